import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import { hashOf, storeFirstBlock } from "#lib/testing/ledger.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

const withServer = process.env.ENGINES !== "sqlite" && postgresBinaries() !== null;

describe.skipIf(!withServer)(`a server whose database${withServer ? "" : `: ${NO_POSTGRES}`}`, () => {
  let primary: ThrowawayServer;
  let replica: ThrowawayServer;
  const endings: (() => Promise<void>)[] = [];
  beforeAll(() => {
    primary = startPostgres();
    replica = startPostgres();
  });
  afterEach(async () => {
    for (const end of endings.splice(0)) await end();
  });
  afterAll(async () => {
    await primary?.stop();
    await replica?.stop();
  });

  async function serve(readUrl?: string) {
    const store = await openStore(primary.url("postgres"), { readUrl, statementTimeoutMs: 2_000 });
    const logged: unknown[] = [];
    const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
    const log = (...entry: unknown[]) => logged.push(entry);
    Object.assign(service.log, { error: log, warn: log });
    await storeFirstBlock(store);
    const { token } = await issueToken(store, { name: "t", scopes: [], expiresAt: null, now: Date.now() });
    const server = createServer(
      service,
      new Framework(async (_request, response) => void response.end("a page")),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    endings.push(async () => {
      server.close();
      server.closeAllConnections();
      await store.close();
    });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const headers = { authorization: `Bearer ${token}`, cookie: `aqs_session=${token}` };
    const statuses = async () => {
      const paths = [`/v0/blocks/${hashOf("none")}/asset-changes`, "/", "/readyz", "/healthz"];
      const answers = await Promise.all(paths.map((path) => fetch(origin + path, { headers })));
      for (const answer of answers) await answer.text();
      return answers.map(({ status }) => status);
    };
    return { statuses, logged };
  }

  const OUTAGE = [
    [{ reason: expect.stringMatching(/^PostgreSQL at /) }, "the database does not answer: requests get 503"],
    [{ seconds: expect.any(Number) }, "the database answers again"],
  ];
  const WORKING = [404, 200, 200, 200];
  const AWAY = [503, 503, 503, 200];

  /** Everything works again, and half a minute later that is logged. */
  async function endOf(statuses: () => Promise<number[]>, logged: unknown[]) {
    await vi.waitFor(async () => expect(await statuses()).toEqual(WORKING), EVENT_TIMEOUT);
    expect(logged).toEqual(OUTAGE.slice(0, 1));
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() + 30_000);
    await vi.waitFor(() => expect(logged).toEqual(OUTAGE), EVENT_TIMEOUT);
    expect(await statuses()).toEqual(WORKING);
  }

  test("is frozen gets 503 in time, and logs one outage", async () => {
    const { statuses, logged } = await serve();
    expect(await statuses()).toEqual(WORKING);
    primary.freeze();
    try {
      for (let i = 0; i < 2; i++) expect(await statuses()).toEqual(AWAY);
    } finally {
      primary.thaw();
    }
    await endOf(statuses, logged);
  });

  test("is away, but for a replica, is not ready: tokens cannot be checked", async () => {
    await storeFirstBlock(await openStore(replica.url("postgres")));
    const { statuses, logged } = await serve(replica.url("postgres"));
    expect(await statuses()).toEqual(WORKING);
    await primary.restart(async () => {
      for (let i = 0; i < 3; i++) expect(await statuses()).toEqual(AWAY);
    });
    await endOf(statuses, logged);
  });
});

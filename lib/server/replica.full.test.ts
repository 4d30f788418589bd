import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openForReading, openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { walkReplicas } from "#lib/testing/replica-walks.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { readiness } from "./health.ts";
import { createMetrics } from "./metrics.ts";

const withServer = process.env.ENGINES !== "sqlite" && postgresBinaries() !== null;

describe.skipIf(!withServer)(`streaming replicas${withServer ? "" : `: ${NO_POSTGRES}`}`, () => {
  let primary: ThrowawayServer;
  let replicas: ThrowawayServer[] = [];
  const opened: Store[] = [];
  beforeAll(() => {
    primary = startPostgres();
    replicas = [startPostgres({}, primary), startPostgres({}, primary)];
  });
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  afterAll(async () => {
    for (const server of [...replicas, primary]) await server?.stop();
  });

  test("that stop and go on at random leave nothing out of a walk over all of them", async () => {
    const { missing, refused } = await walkReplicas(primary, replicas, { walks: 40, seed: 1 });
    expect(missing).toBe(0);
    expect(refused).toBeGreaterThan(0);
  });

  test("that fall behind by more than they may make their servers not ready, until they catch up", async () => {
    const [replica] = replicas as [ThrowawayServer];
    await primary.run("CREATE DATABASE lag");
    const writer = await openStore(primary.url("lag"));
    opened.push(writer);
    await writer.write(identify, identity);
    const ledger = new Ledger();
    const write = () => storeBlocks(writer, [ledger.block()]);
    await write();
    const serve = async (url: string, readUrl?: string) => {
      const store = await vi.waitFor(() => openForReading(url, { readUrl }), EVENT_TIMEOUT);
      opened.push(store);
      // The key of cursors follows the schema.
      const service = await vi.waitFor(
        () => createService(store, readConfig({ MAX_REPLICA_LAG: "1", LOG_LEVEL: "silent" })),
        EVENT_TIMEOUT,
      );
      const { registry } = createMetrics(service);
      return async () => {
        const { status, body } = await readiness(service);
        const lag = /^aqs_replica_lag_seconds (.+)$/m.exec(await registry.metrics())![1];
        const { reason } = JSON.parse(body) as { reason?: string };
        return { status, reason, lag: Number(lag) };
      };
    };
    const ready = { status: 200, reason: undefined, lag: 0 };
    const servers = [
      await serve(primary.url("lag"), replica.url("lag")),
      // One that knows nothing of the primary.
      await serve(replica.url("lag")),
    ];
    const ofPrimary = await serve(primary.url("lag"));

    const all = () => Promise.all(servers.map((state) => state()));
    await vi.waitFor(async () => expect(await all()).toEqual([ready, ready]), EVENT_TIMEOUT);
    await replica.run("SELECT pg_wal_replay_pause()");
    await write();
    const behind = { status: 503, reason: "replica", lag: expect.toSatisfy((lag: number) => lag > 1) };
    await vi.waitFor(async () => expect(await all()).toEqual([behind, behind]), EVENT_TIMEOUT);
    expect(await ofPrimary()).toEqual(ready);
    await replica.run("SELECT pg_wal_replay_resume()");
    await vi.waitFor(async () => expect(await all()).toEqual([ready, ready]), EVENT_TIMEOUT);
  });
});

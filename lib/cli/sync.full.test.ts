import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { commandLine, paying, type Running, seen } from "#lib/testing/command-line.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";

const { startOn } = commandLine();

const withServer = postgresBinaries() !== null;
describe.skipIf(!withServer)(`aqs sync on PostgreSQL${withServer ? "" : `: ${NO_POSTGRES}`}`, () => {
  let server: ThrowawayServer;
  let node: StandInNode;
  beforeAll(() => {
    server = startPostgres();
  });
  afterAll(() => server?.stop());
  beforeEach(async () => {
    node = await StandInNode.start({ blocks: paying(12).blocks });
    return () => node.close();
  });

  const syncOn = (database: string) =>
    startOn(server.url(database), "sync", "--rpc", node.url, "--once").ended;

  test("continues through a restart of the server, which it logs once", async () => {
    await server.run("CREATE DATABASE restarted");
    const running = startOn(server.url("restarted"), "sync", "--rpc", node.url);
    let tipsAsked = 0;
    const atTip = node.onRequest((method) => {
      if (method === "get_tip_header") tipsAsked += 1;
    });
    await vi.waitFor(() => expect(tipsAsked).toBeGreaterThan(1), EVENT_TIMEOUT);
    atTip();
    const back = seen(running, /the database answers again/);
    await server.restart(() => seen(running, /trying again/));
    await back;
    running.child.kill("SIGTERM");
    const { code, stderr } = await running.ended;
    expect(code).toBe(0);
    // There is not a line for each attempt. A server that shuts down may respond once more in between.
    expect(stderr.match(/trying again/g)!.length).toBeLessThanOrEqual(2);
    expect((await syncOn("restarted")).code).toBe(0);
  });

  test("into a server that freezes gives it up 10 s after SIGTERM, in a transaction or not", async () => {
    await server.run("CREATE DATABASE frozen");
    expect((await startOn(server.url("frozen"), "migrate").ended).code).toBe(0);
    const stopped = async (running: Running) => {
      server.freeze();
      try {
        running.child.kill("SIGTERM");
        const { code, stderr } = await running.ended;
        return { code, last: stderr.trimEnd().split("\n").at(-1) };
      } finally {
        server.thaw();
      }
    };

    const admin = new pg.Client({ connectionString: server.url("frozen") });
    await admin.connect();
    await admin.query("BEGIN; LOCK TABLE blocks IN EXCLUSIVE MODE");
    const writing = startOn(server.url("frozen"), "sync", "--rpc", node.url);
    await vi.waitFor(async () => {
      const { rows } = await admin.query("SELECT FROM pg_locks WHERE NOT granted");
      expect(rows.length).toBe(1);
    }, EVENT_TIMEOUT);
    expect(await stopped(writing)).toEqual({
      code: 1,
      last: expect.stringMatching(/^The database did not answer within 10 s .* the transaction .* abandoned/),
    });
    await admin.end();

    // The server ends the session of the first one, and with it its lock, when it notices.
    await vi.waitFor(async () => expect((await syncOn("frozen")).code).toBe(0), EVENT_TIMEOUT);
    const waiting = startOn(server.url("frozen"), "sync", "--rpc", node.url);
    const tipsAsked = () => node.requests.filter(({ method }) => method === "get_tip_header").length;
    const asked = tipsAsked();
    await vi.waitFor(() => expect(tipsAsked()).toBeGreaterThan(asked + 1), EVENT_TIMEOUT);
    // While it waits for the node, it asks the database nothing.
    const release = node.hold();
    const askedUntilHeld = tipsAsked();
    await vi.waitFor(() => expect(tipsAsked()).toBeGreaterThan(askedUntilHeld), EVENT_TIMEOUT);
    try {
      expect(await stopped(waiting)).toEqual({
        code: 0,
        last: expect.stringMatching(/the tip is block 12/),
      });
    } finally {
      release();
    }
    expect((await startOn(server.url("frozen"), "verify").ended).code).toBe(0);
  });
});

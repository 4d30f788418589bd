import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import { account, CKB } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { type SyncOptions, sync } from "./sync.ts";
import { verifyStore } from "./verify/verify.ts";

const withServer = process.env.ENGINES !== "sqlite" && postgresBinaries() !== null;

describe.skipIf(!withServer)(
  `a database that goes away under a sync${withServer ? "" : `: ${NO_POSTGRES}`}`,
  () => {
    let server: ThrowawayServer;
    let node: StandInNode;
    let expected: string;
    let count = 0;
    let database: string;
    let store: Store;
    let log: string[];

    beforeAll(async () => {
      server = startPostgres();
      const chain = new ChainBuilder();
      while (chain.height < 40) {
        chain.transfer({ to: account("ann"), amount: 500n * CKB });
        chain.block();
      }
      node = await StandInNode.start({ blocks: chain.blocks });
      const fresh = await openStore("sqlite::memory:");
      await sync(fresh, new CkbNode(node.url), { once: true });
      expected = await canonicalDump(fresh);
      await fresh.close();
    });
    afterAll(async () => {
      await node?.close();
      await server?.stop();
    });

    beforeEach(async () => {
      database = `outage_${++count}`;
      await server.run(`CREATE DATABASE ${database}`);
      store = await openStore(server.url(database));
      log = [];
    });
    afterEach(() => store.close());

    /** Runs in the database that the sync writes to, on a connection of its own. */
    async function admin(sql: string): Promise<void> {
      const client = new pg.Client({ connectionString: server.url("postgres") });
      await client.connect();
      await client.query(sql);
      await client.end();
    }

    const cutAll = () =>
      admin(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`);

    /** Syncs, with `fault` before the block after height 35, and `cure` when the database has failed twice. */
    async function follow(fault: () => Promise<void>, cure: () => Promise<void>, options: SyncOptions = {}) {
      let sleeps = 0;
      let height = -1;
      let broken = false;
      const lock = await store.acquireSyncLock();
      await sync(store, new CkbNode(node.url), {
        once: true,
        log: (message) => log.push(message),
        onProgress: (progress) => {
          height = progress.height;
        },
        async between() {
          if (height < 35 || broken) return;
          broken = true;
          await fault();
        },
        async sleep() {
          sleeps += 1;
          if (sleeps === 2) await cure();
        },
        ...options,
      });
      await lock.release();
      return sleeps;
    }

    async function expectWhole(): Promise<void> {
      expect(await verifyStore(store)).toEqual([]);
      expect(await canonicalDump(store)).toBe(expected);
    }

    const OUTAGE = [
      expect.stringMatching(
        /^(PostgreSQL at \S+ .+|The connection that holds the sync lock .+); trying again$/,
      ),
      "the database answers again",
    ];

    test("by a restart is waited for, with a line when it goes and one when it is back", async () => {
      let finishRestart = () => {};
      let restarted: Promise<void> | undefined;
      const stopped = Promise.withResolvers<void>();
      await follow(
        async () => {
          restarted = server.restart(() => {
            stopped.resolve();
            return new Promise((resolve) => {
              finishRestart = resolve;
            });
          });
          await stopped.promise;
        },
        async () => {
          finishRestart();
          await restarted;
        },
      );
      expect(log).toEqual(OUTAGE);
      await expectWhole();
    });

    test("by the end of its connections, the lock's with them, is connected to again", async () => {
      await follow(cutAll, async () => {});
      // Idle connections that break are replaced without a failure, unless the lock's is noticed last.
      expect([[], OUTAGE]).toContainEqual(log);
      await expectWhole();
    });

    test("by becoming read-only, as after a failover, is waited for until it takes writes", async () => {
      const sleeps = await follow(
        async () => {
          await admin(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
          await cutAll();
        },
        async () => {
          await admin(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
          await cutAll();
        },
      );
      expect(sleeps).toBeGreaterThanOrEqual(2);
      expect(log).toEqual(OUTAGE);
      await expectWhole();
    });

    test("and comes back with another sync on it ends this one, which names the other", async () => {
      const other = await openStore(server.url(database));
      let lock: Promise<{ release(): Promise<void> }> | undefined;
      const ended = follow(
        async () => {
          await cutAll();
          lock = other.acquireSyncLock();
          await lock;
        },
        async () => {},
      );
      await expect(ended).rejects.toThrow(/^Another sync is running on this database: aqs sync on /);
      await (await lock!).release();
      await other.close();
    });

    test("does not delay a sync that should stop", async () => {
      const stop = new AbortController();
      const options = { signal: stop.signal, sleep: async () => stop.abort() };
      await follow(
        async () => {
          await admin(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
          await cutAll();
        },
        async () => {},
        options,
      );
      expect(log).toEqual([OUTAGE[0]]);
      expect((await store.query(chainTip))!.height).toBe(35);
    });
  },
);

import { spawn } from "node:child_process";
import { chownSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { resolveBlocks } from "#lib/ingest/resolve.ts";
import { StoreUnavailableError } from "#lib/store/store.ts";
import { freePort } from "#lib/testing/free-port.ts";
import { identity, keyOf, Ledger, native } from "#lib/testing/ledger.ts";
import { postgresBinaries, serverUser, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import type { PostgresOptions } from "./connection.ts";
import { PostgresStore } from "./postgres-store.ts";

const PGBOUNCER = "/usr/sbin/pgbouncer";
const missing = postgresBinaries() === null || !existsSync(PGBOUNCER);

describe.skipIf(missing)(
  `behind PgBouncer${missing ? `: ${PGBOUNCER} or PostgreSQL is not here` : ""}`,
  () => {
    let server: ThrowawayServer;
    let count = 0;
    let database: string;
    const endings: (() => Promise<unknown> | unknown)[] = [];

    beforeAll(() => {
      server = startPostgres();
    });
    afterAll(() => server?.stop());
    beforeEach(async () => {
      database = `pooled_${++count}`;
      await server.run(`CREATE DATABASE ${database}`);
    });
    afterEach(async () => {
      for (const end of endings.splice(0).reverse()) await end();
    });

    /** Starts a pooler with so many connections to the server. Returns the database's URL there. */
    async function pooler(mode: "transaction" | "session", size: number): Promise<string> {
      const port = await freePort();
      const file = join(server.folder, `pgbouncer-${port}.ini`);
      const settings = [
        "[databases]",
        `* = host=${server.folder} user=test`,
        "[pgbouncer]",
        "listen_addr = 127.0.0.1",
        `listen_port = ${port}`,
        "unix_socket_dir =",
        "auth_type = any",
        `pool_mode = ${mode}`,
        `default_pool_size = ${size}`,
      ];
      writeFileSync(file, settings.join("\n"));
      const user = serverUser();
      if (user) chownSync(file, user.uid, user.gid);
      const child = spawn(PGBOUNCER, ["-q", file], { ...user, stdio: "ignore" });
      endings.push(() => child.kill("SIGKILL"));
      const url = `postgres://test@127.0.0.1:${port}/${database}`;
      await vi.waitFor(async () => (await connect(url)).query("SELECT 1"), 10_000);
      return url;
    }

    async function connect(url: string): Promise<pg.Client> {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => {});
      await client.connect();
      endings.push(() => client.end());
      return client;
    }

    async function open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
      const store = new PostgresStore(url, options);
      endings.push(() => store.close());
      await store.migrate();
      return store;
    }

    const SETTINGS = ["statement_timeout", "plan_cache_mode", "enable_seqscan", "enable_bitmapscan", "jit"];
    async function settingsOf(client: pg.Client): Promise<string[]> {
      const values: string[] = [];
      for (const name of SETTINGS) values.push((await client.query(`SHOW ${name}`)).rows[0][name]);
      return values;
    }

    test.each([1, 4])(
      "in transaction mode over %i connections, answers as directly and leaves nothing behind",
      async (size) => {
        const url = await pooler("transaction", size);
        const stores = [await open(url), await open(url)];
        const direct = await open(server.url(database));
        const before = await settingsOf(await connect(server.url(database)));
        const ledger = new Ledger();
        await stores[0]!.identify(identity);
        for (let i = 0; i < 5; i++) {
          const block = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
          const store = stores[i % 2]!;
          const resolved = await resolveBlocks([block], store, native.id, async () => new Map());
          expect(await store.applyBlocks(resolved, { extendTip: true })).toBe(1);
        }
        const read = (store: PostgresStore) =>
          Promise.all(
            ["ann", "bob"].flatMap((name) => [
              store.utxosOfAddress({ addressKey: keyOf(name), order: "asc", limit: 3 }),
              store.addressOverview(keyOf(name), 10),
              store.outputAges(keyOf(name), 4),
              store.accessTokenByHash(new Uint8Array(32)),
              store.cursorKey(),
            ]),
          );
        const expected = await read(direct);
        for (let i = 0; i < 3; i++) {
          expect(await Promise.all(stores.map(read))).toEqual([expected, expected]);
        }
        const other = await connect(url);
        for (let i = 0; i < size; i++) {
          expect(await settingsOf(other)).toEqual(before);
          expect((await other.query("SELECT * FROM pg_prepared_statements")).rows).toEqual([]);
        }
      },
    );

    test("in transaction mode, still gives a read up in time", async () => {
      const url = await pooler("transaction", 2);
      const store = await open(url, { statementTimeoutMs: 50 });
      const admin = await connect(server.url(database));
      await admin.query("BEGIN; LOCK TABLE blocks IN ACCESS EXCLUSIVE MODE");
      await expect(store.tip()).rejects.toThrow(StoreUnavailableError);
      await admin.query("ROLLBACK");
      expect(await store.tip()).toBeNull();
    });

    test("takes the lock of a sync in session mode, and refuses it in transaction mode", async () => {
      const sharing = await open(await pooler("transaction", 4));
      await expect(sharing.acquireSyncLock()).rejects.toThrow(/is a pooler that lends connections for one/);
      const store = await open(await pooler("session", 8));
      const lock = await store.acquireSyncLock();
      await store.identify(identity);
      await expect((await open(server.url(database))).acquireSyncLock()).rejects.toThrow(/Another sync/);
      await lock.release();
      await (await (await open(server.url(database))).acquireSyncLock()).release();
    });
  },
);

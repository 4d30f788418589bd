import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { accessTokenByHash, cursorKey } from "#lib/queries/access-tokens.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { outputAges } from "#lib/queries/output-ages.ts";
import { makeCursorKey } from "#lib/store/common-queries.ts";
import { StoreUnavailableError } from "#lib/store/errors.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { identity, keyOf, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { postgresBinaries, serverUser, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { freePort } from "#lib/util/free-port.ts";
import type { PostgresOptions } from "./database.ts";
import { PostgresStore } from "./postgres-store.ts";

/** A program of yours, of another version than Debian's. */
const given = process.env.PGBOUNCER;
const PGBOUNCER = given ?? "/usr/sbin/pgbouncer";
const missing = postgresBinaries() === null || (given === undefined && !existsSync(PGBOUNCER));
const version = missing ? "" : execFileSync(PGBOUNCER, ["--version"], { encoding: "utf8" }).split("\n")[0]!;
/** The setting of PgBouncer for named statements: it exists since 1.21, and is on by default since 1.24. */
const preparing = / 1\.(\d|1\d|20)\./.test(version)
  ? [{}]
  : [0, 100].map((max_prepared_statements) => ({ max_prepared_statements }));

describe.skipIf(missing)(
  `behind ${missing ? `PgBouncer: ${PGBOUNCER} or PostgreSQL is not here` : version}`,
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

    /** Starts a pooler with `size` connections to the server. Returns the database's URL there. */
    async function pooler(
      mode: "transaction" | "session",
      size: number,
      more: Record<string, number> = {},
    ): Promise<string> {
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
        ...Object.entries(more).map(([name, value]) => `${name} = ${value}`),
      ];
      writeFileSync(file, settings.join("\n"));
      const user = serverUser();
      if (user) chownSync(file, user.uid, user.gid);
      const child = spawn(PGBOUNCER, ["-q", file], { ...user, stdio: "ignore" });
      endings.push(() => child.kill("SIGKILL"));
      const url = `postgres://test@127.0.0.1:${port}/${database}`;
      await vi.waitFor(async () => (await connect(url)).query("SELECT 1"), EVENT_TIMEOUT);
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

    test.each([1, 4].flatMap((size) => preparing.map((settings) => ({ size, settings }))))(
      "in transaction mode over $size connections with $settings, answers as directly and leaves nothing behind",
      async ({ size, settings }) => {
        const url = await pooler("transaction", size, settings);
        const stores = [await open(url), await open(url)];
        const direct = await open(server.url(database));
        const before = await settingsOf(await connect(server.url(database)));
        const ledger = new Ledger();
        await stores[0]!.write(identify, identity);
        for (let i = 0; i < 5; i++) {
          const block = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
          const store = stores[i % 2]!;
          expect(await storeBlocks(store, [block])).toBe(1);
        }
        const read = (store: PostgresStore) =>
          Promise.all(
            ["ann", "bob"].flatMap((name) => [
              store.query(utxosOfAddress, { addressKey: keyOf(name), order: "asc", limit: 3 }),
              store.query(addressOverview, { addressKey: keyOf(name), limit: 10 }),
              store.query(outputAges, { addressKey: keyOf(name), ranges: 4 }),
              store.query(accessTokenByHash, new Uint8Array(32)),
              store.query(cursorKey),
            ]),
          );
        await direct.record(makeCursorKey);
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
      await open(url);
      const store = new PostgresStore(url, { statementTimeoutMs: 50 });
      onTestFinished(() => store.close());
      const admin = await connect(server.url(database));
      await admin.query("BEGIN; LOCK TABLE blocks IN ACCESS EXCLUSIVE MODE");
      await expect(store.query(chainTip)).rejects.toThrow(StoreUnavailableError);
      await admin.query("ROLLBACK");
      await vi.waitFor(async () => expect(await store.query(chainTip)).toBeNull(), EVENT_TIMEOUT);
    });

    test.each([0, 1])(
      "refuses the lock of a sync in transaction mode, server_round_robin = %i",
      async (on) => {
        const url = await pooler("transaction", 4, { server_round_robin: on });
        const store = await open(url);
        await Promise.all(Array.from({ length: 8 }, () => store.query(chainTip)));
        await expect(store.acquireSyncLock()).rejects.toThrow(/is a pooler that lends connections for one/);
      },
    );

    test("takes the lock of a sync in session mode", async () => {
      const store = await open(await pooler("session", 8));
      const lock = await store.acquireSyncLock();
      await store.write(identify, identity);
      await expect((await open(server.url(database))).acquireSyncLock()).rejects.toThrow(/Another sync/);
      await lock.release();
      await (await (await open(server.url(database))).acquireSyncLock()).release();
    });
  },
);

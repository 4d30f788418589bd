import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import type { Block } from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { integrityFaults } from "#lib/indexer/verify/integrity.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { accessTokenByHash, createAccessToken, noteTokenUses } from "#lib/queries/access-tokens.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { blockHeights, chainTip, heightsOf } from "#lib/queries/chain.ts";
import { latestBlocks } from "#lib/queries/latest-blocks.ts";
import { outputAges } from "#lib/queries/output-ages.ts";
import { priceAt } from "#lib/queries/prices.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { makeCursorKey } from "#lib/store/common-queries.ts";
import { StoreUnavailableError } from "#lib/store/errors.ts";
import { type Migration, migrations, schemaSteps } from "#lib/store/migrations.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { statement } from "#lib/store/statement.ts";
import type { Store } from "#lib/store/store.ts";
import { at, hashOf, identity, keyOf, Ledger, native, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "#lib/testing/postgres.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { engineFor, openStore } from "../open.ts";
import { Database, type PostgresOptions } from "./database.ts";
import { unfit } from "./migrate.ts";
import { PostgresStore } from "./postgres-store.ts";
import { Upkeep } from "./upkeep.ts";

const missing = postgresBinaries() === null;

test("a server that is too old or has another encoding is refused", () => {
  expect(unfit({ version: 140_011, encoding: "UTF8" })).toMatch(/PostgreSQL 14: .* needs 15/);
  expect(unfit({ version: 170_000, encoding: "LATIN1" })).toMatch(/LATIN1/);
  expect(unfit({ version: 150_000, encoding: "UTF8" })).toBeNull();
});

test("a wrong URL is refused without telling the password in it", async () => {
  await expect(engineFor("postgress://me:hunter2@db/aqs")).rejects.toThrow(
    /^DATABASE_URL must be .*, not postgress:$/,
  );
});

test("a server that does not respond is named by its place, without the user's name or password", async () => {
  const nowhere = openStore("postgres://me:hunter2@127.0.0.1:1/aqs");
  await expect(nowhere).rejects.toThrow(/^PostgreSQL at 127.0.0.1:1 does not answer: .*ECONNREFUSED/);
  await nowhere.catch((error: Error) => {
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect(error.message).not.toMatch(/hunter2|me/);
  });
});

test.each([
  "postgres://me:hunter2@a,b/aqs",
  "postgres://me:hunter2@a:5432,b:5433/aqs?target_session_attrs=read-write",
  "postgres:///aqs?host=/run/a,/run/b",
  "postgres:///aqs?user=me&host=a%2Cb",
])("several hosts are refused, not looked up as one name: %s", async (url) => {
  const refused = /^A database URL with several hosts is not supported: give one/;
  await expect(engineFor(url)).rejects.toThrow(refused);
  await expect(engineFor("postgres://a/aqs", { readUrl: url })).rejects.toThrow(refused);
});

test("a comma in a password is no second host", async () => {
  await (await engineFor("postgres://me:hunter,2@a/aqs")).close();
});

const ADD_NOTES = "ALTER TABLE gaps ADD COLUMN note text";

async function feed(store: Store, blocks: Block[]): Promise<number> {
  await store.write(identify, identity);
  return storeBlocks(store, blocks);
}

describe.skipIf(missing)(`PostgreSQL${missing ? `: ${NO_POSTGRES}` : ""}`, () => {
  let server: ThrowawayServer;
  let count = 0;
  let database: string;
  let store: PostgresStore;
  let ledger: Ledger;
  let opened: Store[];
  let admin: pg.Client;

  const open = (options: PostgresOptions = {}, url = server.url(database)) => {
    const another = new PostgresStore(url, options);
    opened.push(another);
    return another;
  };

  /** Resolves once this many statements wait for a lock. */
  const blocked = async (statements: number) => {
    const waiting = "SELECT pg_sleep(0.01) FROM pg_locks WHERE NOT granted";
    while ((await admin.query(waiting)).rowCount! < statements);
  };
  /** Ends the statement that waits for a lock, as the server's own time limit does. */
  const cancelBlocked = async () => {
    await blocked(1);
    await admin.query("SELECT pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted");
  };

  beforeAll(() => {
    server = startPostgres();
  });
  afterAll(() => server?.stop());

  beforeEach(async () => {
    database = `test_${++count}`;
    await server.run(`CREATE DATABASE ${database}`);
    opened = [];
    store = open();
    await store.migrate();
    ledger = new Ledger();
    admin = new pg.Client({ connectionString: server.url(database) });
    await admin.connect();
  });

  afterEach(async () => {
    await admin.end();
    await Promise.all(opened.map((each) => each.close()));
  });

  describe("starting", () => {
    test("tells of a database that does not exist", async () => {
      await expect(openStore(server.url("nothing"))).rejects.toThrow(/refuses: database "nothing" does not/);
    });

    test("tells of a database with another encoding", async () => {
      await server.run("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0");
      await expect(openStore(server.url("ascii"))).rejects.toThrow(/encoding SQL_ASCII/);
    });

    test("refuses a schema that is newer than the program, or another program's", async () => {
      await admin.query("INSERT INTO schema_migrations VALUES (1000, '1000-later')");
      await expect(open().migrate()).rejects.toThrow(/schema version \d+, this program knows \d+/);
      await admin.query("DELETE FROM schema_migrations WHERE ordinal = 1000");
      await admin.query("UPDATE schema_migrations SET name = 'other' WHERE ordinal = 1");
      await expect(open().migrate()).rejects.toThrow(/migration 1 is other/);
      await admin.query("ALTER TABLE schema_migrations DROP COLUMN ordinal");
      await expect(open().migrate()).rejects.toThrow(/tables of another program/);
      expect(await open().schemaFault()).toMatch(/tables of another program/);
    });

    test("a write that a read-only server refuses leaves the connection fit for use", async () => {
      await admin.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
      const reader = open({ poolSize: 1 });
      for (let time = 0; time < 2; time++) {
        await expect(reader.write(loadPrices, [])).rejects.toThrow(/read-only/);
        expect(await reader.query(chainTip)).toBeNull();
      }
    });

    test("needs no right to write, once the owner has migrated", async () => {
      const role = `reader_${count}`;
      await admin.query(`CREATE ROLE ${role} LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
      const url = server.url(database).replace("//test@", `//${role}@`);
      const config = readConfig({ LOG_LEVEL: "silent" });
      const hint = /refuses: permission denied for .*once its owner has run aqs migrate/;
      // Cursors are signed with a key that the owner's `aqs migrate` makes.
      await expect(createService(open({}, url), config)).rejects.toThrow(/no key for cursors yet: run/);
      await store.record(makeCursorKey);
      await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
      const { token } = await issueToken(store, { name: "t", scopes: [], expiresAt: null, now: 0 });

      const reader = await openStore(url);
      opened.push(reader);
      const service = await createService(reader, config);
      expect(await service.checkToken(token)).toMatchObject({ ok: true });
      expect(await service.availability.check()).toMatchObject({ ready: true, tip: { height: 0 } });
      const page = await reader.query(utxosOfAddress, { addressKey: keyOf("ann"), order: "asc", limit: 10 });
      expect(page.rows).toHaveLength(1);
      const uses = new Map([["t", 1]]);
      expect(await reader.note(noteTokenUses, uses)).toBe(false);
      await admin.query(`GRANT UPDATE (last_used_at) ON access_tokens TO ${role}`);
      expect(await reader.note(noteTokenUses, uses)).toBe(true);

      await admin.query(
        "DELETE FROM schema_migrations WHERE ordinal = (SELECT max(ordinal) FROM schema_migrations)",
      );
      await expect(openStore(url)).rejects.toThrow(hint);
    });

    test("by many processes at once migrates an empty database once", async () => {
      await server.run("CREATE DATABASE empty");
      const all = Array.from({ length: 4 }, () => open({}, server.url("empty")));
      const ran = await Promise.all(all.map((each) => each.migrate()));
      expect(ran.flat()).toEqual(schemaSteps());
    });
  });

  test("runs the migrations that a database lacks, once, or none of them", async () => {
    await server.run("CREATE DATABASE steps");
    const old = open({}, server.url("steps"));
    await old.migrate();
    const added = migrations as Migration[];
    try {
      added.push({ name: "0002-broken", sqlite: [], postgres: [ADD_NOTES, "SELECT broken"] });
      expect(await old.schemaFault()).toMatch(/schema version 1, this program needs 2: run .* migrate/);
      await expect(old.migrate()).rejects.toThrow(/broken/);
      added.splice(0, 1, { name: "0002-notes", sqlite: [], postgres: [ADD_NOTES] });
      expect(await old.migrate()).toEqual(["0002-notes"]);
      expect(await old.migrate()).toEqual([]);
      expect(await old.schemaFault()).toBeNull();
    } finally {
      added.length = 0;
    }
  });

  describe("a busy server", () => {
    /** On a busy machine, a short limit also cuts healthy reads, so they are repeated. */
    const responds = (hasty: PostgresStore) =>
      vi.waitFor(async () => expect(await hasty.query(chainTip)).toBeNull(), EVENT_TIMEOUT);

    test("that does not respond in time is given up, and the connection is used again", async () => {
      const hasty = open({ statementTimeoutMs: 20, poolSize: 1 });
      await admin.query("BEGIN; LOCK TABLE blocks IN ACCESS EXCLUSIVE MODE");
      await expect(hasty.query(chainTip)).rejects.toThrow(StoreUnavailableError);
      await expect(hasty.query(chainTip)).rejects.toThrow(/did not answer in time/);
      await admin.query("ROLLBACK");
      await responds(hasty);
    });

    test("does not cut off what may take long", async () => {
      const hasty = open({ statementTimeoutMs: 500 });
      const whileLocked = async <T>(work: () => Promise<T>) => {
        await admin.query("BEGIN; LOCK TABLE blocks IN ACCESS EXCLUSIVE MODE");
        const done = work();
        await blocked(1);
        await admin.query("SELECT pg_sleep(1)");
        await admin.query("ROLLBACK");
        return done;
      };
      expect(await whileLocked(() => hasty.query(blockHeights, {}))).toEqual([]);
      await store.write(identify, identity);
      const resolved = await resolveBlocks(
        [ledger.block([{ create: [{ to: "ann" }] }])],
        store,
        native.id,
        async () => new Map(),
      );
      expect(await whileLocked(() => hasty.write(applyBlocks, resolved, { extendTip: true }))).toBe(1);
    });

    test("that is frozen is given up, for everything but work of unknown length, and serves again", async () => {
      const hasty = open({ statementTimeoutMs: 20, connectTimeoutMs: 2_000, writeTimeoutMs: 2_000 });
      const lock = await vi.waitFor(() => hasty.acquireSyncLock(), EVENT_TIMEOUT);
      await vi.waitFor(() => hasty.write(identify, identity), EVENT_TIMEOUT);
      await responds(hasty);
      const unhurried = open({ writeTimeoutMs: 20 });
      await unhurried.query(dataStatus);
      server.freeze();
      let status: Promise<unknown>;
      try {
        status = unhurried.query(dataStatus);
        const cut = await Promise.allSettled([
          hasty.query(chainTip),
          hasty.query(accessTokenByHash, new Uint8Array(32)),
          hasty.query(outputAges, { addressKey: keyOf("ann"), ranges: 4 }),
          hasty.query(heightsOf, [hashOf("x")]),
          hasty.query(blockHeights, {}),
          hasty.write(loadPrices, [{ assetId: native.id, time: 0, usd: 1n }]),
          open({ connectTimeoutMs: 300 }).acquireSyncLock(),
          open({ connectTimeoutMs: 300 }).query(chainTip),
        ]);
        for (const each of cut) {
          expect(each).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailableError) });
        }
      } finally {
        server.thaw();
      }
      await status;
      await responds(hasty);
      await vi.waitFor(
        () => hasty.write(loadPrices, [{ assetId: native.id, time: 0, usd: 1n }]),
        EVENT_TIMEOUT,
      );
      await lock.release();
    });

    test("of which all connections are in use says so", async () => {
      const small = open({ poolSize: 1, connectTimeoutMs: 2_000, statementTimeoutMs: 0 });
      await vi.waitFor(() => small.query(chainTip), EVENT_TIMEOUT);
      await admin.query("BEGIN; LOCK TABLE blocks IN ACCESS EXCLUSIVE MODE");
      const waiting = small.query(latestBlocks, 1);
      await expect(small.query(latestBlocks, 1)).rejects.toThrow(/does not answer: timeout/);
      await admin.query("ROLLBACK");
      expect(await waiting).toEqual([]);
    });

    test("serves simultaneous look-ups over a few connections", async () => {
      const asked = open();
      vi.useFakeTimers({ toFake: ["performance"] });
      try {
        await Promise.all(Array.from({ length: 20 }, () => asked.query(chainTip)));
      } finally {
        vi.useRealTimers();
      }
      expect(asked.connections()).toEqual({ busy: 0, idle: 3, waiting: 0 });
    });

    test("that gives up one of the look-ups on a connection serves the others", async () => {
      const asked = open({ statementTimeoutMs: 0 });
      await admin.query("BEGIN; LOCK TABLE live_outputs IN ACCESS EXCLUSIVE MODE");
      // A connection that was silent for a while is not shared.
      vi.useFakeTimers({ toFake: ["performance"] });
      try {
        const page = asked.query(utxosOfAddress, { addressKey: keyOf("ann"), order: "asc", limit: 10 });
        const refused = expect(page).rejects.toThrow(/did not answer in time/);
        const behind = [asked.query(chainTip), asked.query(priceAt, { assetId: native.id, time: 0 })];
        await cancelBlocked();
        await refused;
        expect(await Promise.all(behind)).toEqual([null, null]);
        expect(asked.connections()).toEqual({ busy: 0, idle: 1, waiting: 0 });
      } finally {
        vi.useRealTimers();
      }
      await admin.query("ROLLBACK");
    });

    test("of which one process hangs serves later look-ups on other connections", async () => {
      const asked = open();
      await asked.query(chainTip);
      const { rows } = await admin.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
         ORDER BY backend_start DESC`,
      );
      const { pid } = rows[0]!;
      process.kill(pid, "SIGSTOP");
      vi.useFakeTimers({ toFake: ["performance"] });
      try {
        const hung = [asked.query(chainTip), asked.query(chainTip)];
        vi.advanceTimersByTime(100);
        expect(await Promise.all(Array.from({ length: 20 }, () => asked.query(chainTip)))).toEqual(
          Array(20).fill(null),
        );
        process.kill(pid, "SIGCONT");
        expect(await Promise.all(hung)).toEqual([null, null]);
      } finally {
        vi.useRealTimers();
        process.kill(pid, "SIGCONT");
      }
    });

    test("that ends a connection which several look-ups share is connected to again", async () => {
      const asked = open();
      await admin.query("BEGIN; LOCK TABLE live_outputs IN ACCESS EXCLUSIVE MODE");
      const page = asked.query(utxosOfAddress, { addressKey: keyOf("ann"), order: "asc", limit: 10 });
      const cut = Promise.allSettled([page, asked.query(chainTip), asked.query(chainTip)]);
      await vi.waitFor(async () => {
        const { rows } = await admin.query(
          "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted",
        );
        expect(rows).toHaveLength(1);
      }, EVENT_TIMEOUT);
      for (const each of await cut) {
        expect(each).toMatchObject({ status: "rejected", reason: expect.any(StoreUnavailableError) });
      }
      expect(await asked.query(chainTip)).toBeNull();
      expect(asked.connections()).toEqual({ busy: 0, idle: 1, waiting: 0 });
      await admin.query("ROLLBACK");
    });

    test("that ends a connection is connected to again", async () => {
      expect(await store.query(chainTip)).toBeNull();
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
      );
      await store.query(chainTip).catch((error) => expect(error).toBeInstanceOf(StoreUnavailableError));
      expect(await store.query(chainTip)).toBeNull();
    });
  });

  describe("a reader beside a writer", () => {
    test("sees whole transactions only, and does not wait for them", async () => {
      const reader = open();
      await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
      await store.atomically(async () => {
        await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
        expect((await reader.query(chainTip))!.height).toBe(0);
        expect((await store.query(chainTip))!.height).toBe(1);
        await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
        expect(
          (await reader.query(addressOverview, { addressKey: keyOf("ann"), limit: 1 })).outputCount,
        ).toBe(1);
      });
      expect((await reader.query(chainTip))!.height).toBe(2);
    });

    test("of the same process, outside the transaction, does not see into it", async () => {
      let seen: unknown;
      let look = () => {};
      const outside = new Promise<void>((resolve) => {
        look = resolve;
      }).then(async () => {
        seen = await store.query(chainTip);
      });
      await store.atomically(async () => {
        await feed(store, [ledger.block()]);
        look();
        await outside;
        expect(seen).toBeNull();
        await store.atomically(async () => {
          expect((await store.query(chainTip))!.height).toBe(0);
        });
      });
      expect((await store.query(chainTip))!.height).toBe(0);
    });

    test("always finds a page, its tip and its address's sums of one state", async () => {
      const reader = open();
      const heights = new Set<number>();
      const readBeside = async (writing: Promise<unknown>) => {
        let done = false;
        const written = writing.finally(() => {
          done = true;
        });
        do {
          const page = await reader.query(utxosOfAddress, {
            addressKey: keyOf("ann"),
            order: "asc",
            limit: 1000,
          });
          if (page.tip) heights.add(page.tip.height);
          expect(page.rows).toHaveLength(page.tip ? page.tip.height + 1 : 0);
          const overview = await reader.query(addressOverview, { addressKey: keyOf("bob"), limit: 10 });
          expect(overview.outputCount).toBe(overview.tip ? overview.tip.height + 1 : 0);
        } while (!done);
        await written;
      };
      for (let i = 0; i < 20; i++) {
        await readBeside(feed(store, [ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }])]));
      }
      await readBeside(store.write(revertTo, 9));
      expect(heights.size).toBeGreaterThan(2);
    });

    test("gets an error from a transaction that is over, not another one's connection", async () => {
      let late: Promise<unknown> | undefined;
      let go = () => {};
      await store.atomically(async () => {
        late = new Promise<void>((resolve) => {
          go = resolve;
        }).then(() => store.query(chainTip));
      });
      go();
      await expect(late).rejects.toThrow(/is over/);
    });
  });

  test("the server ends a writer that gave up, and a limit of its role on transactions does not apply", async () => {
    const db = new Database(server.url(database), {});
    const settings = statement(
      `SELECT current_setting('client_connection_check_interval') AS checked,
         coalesce(current_setting('transaction_timeout', true), '0') AS limit_of_transactions`,
    );
    expect(await db.write((session) => session.get(settings))).toEqual({
      checked: "10s",
      limit_of_transactions: "0",
    });
    await db.close();
  });

  test("the longest time limit is no shorter than others", async () => {
    const patient = new PostgresStore(server.url(database), { statementTimeoutMs: 2 ** 31 - 1 });
    expect(await patient.query(chainTip)).toBeNull();
    await patient.close();
  });

  describe("a writer that spends many outputs", () => {
    const vacuums = async () => {
      await admin.query("SELECT pg_stat_clear_snapshot()");
      const { rows } = await admin.query<{ n: number }>(
        "SELECT vacuum_count::integer AS n FROM pg_stat_user_tables WHERE relname = 'live_outputs'",
      );
      return rows[0]!.n;
    };
    test("has their table vacuumed after a share of it is gone, and not before", async () => {
      const db = new Database(server.url(database), {});
      const upkeep = new Upkeep(db, 10);
      const removed = (rows: number) => {
        upkeep.removed(rows);
        upkeep.start();
      };
      removed(9);
      await upkeep.settled();
      expect(await vacuums()).toBe(0);
      removed(1);
      await upkeep.settled();
      await vi.waitFor(async () => expect(await vacuums()).toBe(1), EVENT_TIMEOUT);
      // 10 of 100 live outputs are less than the share.
      await feed(store, [ledger.block([{ create: Array.from({ length: 100 }, () => ({ to: "ann" })) }])]);
      await admin.query("ANALYZE live_outputs");
      removed(19);
      await upkeep.settled();
      expect(await vacuums()).toBe(1);
      removed(1);
      await upkeep.settled();
      await vi.waitFor(async () => expect(await vacuums()).toBe(2), EVENT_TIMEOUT);
      await db.close();
    });

    test("has it vacuumed only after its transaction, so that the server counts the new rows", async () => {
      const start = vi.spyOn(Upkeep.prototype, "start");
      await store.atomically(async () => {
        await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
        await store.atomically(() => feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]));
        expect(start).not.toHaveBeenCalled();
      });
      expect(start).toHaveBeenCalledOnce();
      start.mockClear();
      await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
      expect(start).toHaveBeenCalled();
      start.mockRestore();
    });

    test("does not wait for it, nor when it closes", async () => {
      const db = new Database(server.url(database), {});
      const upkeep = new Upkeep(db, 1);
      // Counting the rows waits for this lock.
      await admin.query("BEGIN; LOCK TABLE pg_class IN ACCESS EXCLUSIVE MODE");
      upkeep.removed(1);
      upkeep.start();
      await db.close();
      await admin.query("ROLLBACK");
      await upkeep.settled();
      expect(await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])])).toBe(1);
    });

    test("cuts work on a connection of its own when it closes", async () => {
      const db = new Database(server.url(database), {});
      const asleep = expect(
        db.onOwnConnection("aqs test", (session) => session.exec("SELECT pg_sleep(300)")),
      );
      const cut = asleep.rejects.toThrow(StoreUnavailableError);
      const asleepNow = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
      await vi.waitFor(async () => expect((await admin.query(asleepNow)).rowCount).toBe(1), EVENT_TIMEOUT);
      await db.close();
      await cut;
    });
  });

  describe("two writers", () => {
    test("run one at a time: what one stores, the other finds", async () => {
      const other = open();
      for (let i = 0; i < 10; i++) ledger.block([{ create: [{ to: "ann", token: tokenOf(`t${i}`) }] }]);
      await store.write(identify, identity);
      const resolved = await resolveBlocks(ledger.blocks, store, native.id, async () => new Map());
      const stored = await Promise.all(
        [store, other, store, other].map((each) => each.write(applyBlocks, resolved, { extendTip: false })),
      );
      expect(stored.sort((a, b) => a - b)).toEqual([0, 0, 0, 10]);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("that follow the chain are kept apart; the second learns who is first", async () => {
      const lock = await store.acquireSyncLock();
      await expect(open().acquireSyncLock()).rejects.toThrow(
        new RegExp(`Another sync.*process ${process.pid}.*the server's own machine.*connected since`),
      );
      await lock.release();
      await (await open().acquireSyncLock()).release();
    });

    const cutLock = () =>
      admin.query("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
    const held = async () =>
      (await admin.query("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted")).rows;

    test("are kept apart again after the first one's lock is lost with its connection", async () => {
      const lock = await store.acquireSyncLock();
      const [first] = await held();
      await cutLock();
      await feed(store, [ledger.block()]).catch((error) =>
        expect(error).toBeInstanceOf(StoreUnavailableError),
      );
      await feed(store, ledger.blocks);
      const [second] = await held();
      expect(second.pid).not.toBe(first.pid);
      await expect(open().acquireSyncLock()).rejects.toThrow(/Another sync/);
      await lock.release();
      expect(await held()).toEqual([]);
    });

    test("never both write: the one that lost its lock to the other ends, and the other goes on", async () => {
      const lock = await store.acquireSyncLock();
      await feed(store, [ledger.block()]);
      await cutLock();
      const other = open();
      const otherLock = await other.acquireSyncLock();
      const next = ledger.block();
      const write = async () => {
        await feed(store, [next]).catch((error) => {
          // Losing the lock counts as temporary. It is an error only that another process holds it.
          if (!(error instanceof StoreUnavailableError)) throw error;
          return feed(store, [next]);
        });
      };
      await expect(write()).rejects.toThrow(/^Another sync is running on this database/);
      expect((await other.query(chainTip))!.height).toBe(0);
      expect(await feed(other, [next])).toBe(1);
      await lock.release();
      await otherLock.release();
    });

    test("do not take the first one's own lost connection for another sync", async () => {
      // A proxy that forgets its clients, but not the server.
      const upstream: Socket[] = [];
      const clients: Socket[] = [];
      const proxy = createServer((client) => {
        const toServer = connect(`${server.folder}/.s.PGSQL.5432`);
        clients.push(client.on("error", () => {}));
        upstream.push(toServer.on("error", () => {}));
        client.pipe(toServer, { end: false }).pipe(client);
      });
      await once(proxy.listen(0, "127.0.0.1"), "listening");
      const { port } = proxy.address() as { port: number };
      const remote = open({}, `postgres://test@127.0.0.1:${port}/${database}`);
      try {
        const lock = await remote.acquireSyncLock();
        const [first] = await held();
        for (const client of clients.splice(0)) client.destroy();
        // The server rightly takes the writes until the loss is noticed.
        await vi.waitFor(async () => {
          await remote.write(identify, identity);
          expect((await held()).map(({ pid }) => pid)).not.toContain(first.pid);
        }, EVENT_TIMEOUT);
        expect(await held()).toHaveLength(1);
        await lock.release();
      } finally {
        await remote.close();
        for (const socket of [...clients, ...upstream]) socket.destroy();
        proxy.close();
      }
    });
  });

  test("with a replica, reads go there; access, writes and sync do not", async () => {
    await store.write(identify, identity);
    await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
    await admin.end();
    await store.close();
    await server.run(`CREATE DATABASE replica_${count} TEMPLATE ${database}`);
    admin = new pg.Client({ connectionString: server.url(database) });
    await admin.connect();

    const both = open({ readUrl: server.url(`replica_${count}`) });
    await both.migrate();
    await feed(both, [ledger.block([{ create: [{ to: "ann" }] }])]);
    const hash = Buffer.from(hashOf("secret").slice(2), "hex");
    const token = {
      id: "t",
      name: "n",
      scopes: [],
      createdAt: 1,
      expiresAt: null,
      revokedAt: null,
      ratePerMinute: null,
      hint: "h",
    };
    await both.record(createAccessToken, { ...token, hash });
    expect(await both.query(accessTokenByHash, hash)).toEqual(token);
    const page = await both.query(utxosOfAddress, { addressKey: keyOf("ann"), order: "asc", limit: 10 });
    expect([page.tip!.height, page.rows.length]).toEqual([0, 1]);
    expect((await both.query(chainTip))!.height).toBe(0);
    const lock = await both.acquireSyncLock();
    expect((await both.query(chainTip))!.height).toBe(1);
    await lock.release();
  });

  test("prices loaded again rewrite nothing, and value again only what changed", async () => {
    await feed(store, [ledger.block([{ create: [{ to: "ann", token: tokenOf("t") }] }])]);
    const prices = (usd: bigint) => [
      { assetId: native.id, time: 0, usd: 10n ** 18n },
      { assetId: tokenOf("t").id, time: 0, usd },
    ];
    await store.write(loadPrices, prices(10n ** 18n));
    const rows = async () => (await admin.query("SELECT xmin, * FROM prices ORDER BY asset_id")).rows;
    // A value that a second valuation would put right.
    await admin.query("UPDATE asset_changes SET amount_usd = 7");
    const values = async () =>
      (await admin.query("SELECT amount_usd::text AS usd FROM asset_changes ORDER BY ordinal")).rows;
    const before = await rows();
    await store.write(loadPrices, prices(10n ** 18n));
    expect(await rows()).toEqual(before);
    expect(await values()).toEqual([{ usd: "7" }, { usd: "7" }]);
    await store.write(loadPrices, prices(3n * 10n ** 18n));
    expect(await values()).toEqual([{ usd: "7" }, { usd: "300000000" }]);
  });

  test("every check of the tables against each other finds its fault", async () => {
    const first = ledger.block([{ create: [{ to: "ann" }, { to: "bob", token: tokenOf("t") }] }]);
    ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "carl" }] }]);
    await feed(store, ledger.blocks);
    expect(await store.query(integrityFaults)).toEqual([]);
    const faultsAfter = async (sql: string) => {
      await admin.query("CREATE SCHEMA copy");
      const { rows } = await admin.query(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
      );
      for (const { name } of rows) await admin.query(`CREATE TABLE copy.${name} AS TABLE public.${name}`);
      await admin.query(`SET search_path = copy; ${sql}; RESET search_path`);
      const damaged = open({}, `${server.url(database)}&options=-c%20search_path%3Dcopy`);
      const faults = await damaged.query(integrityFaults);
      await admin.query("DROP SCHEMA copy CASCADE");
      return faults.join("\n");
    };
    const cases: [string, string][] = [
      ["DELETE FROM transactions WHERE id = 0", "2 outputs without a transaction"],
      ["DELETE FROM addresses WHERE text LIKE '%bob'", "1 outputs without an address"],
      [
        "UPDATE outputs SET token_id = 99 WHERE spent_transaction_id IS NOT NULL",
        "1 outputs without a token",
      ],
      ["UPDATE transactions SET id = 0", "1 transactions that share an id"],
      ["INSERT INTO transactions VALUES ('\\x01', -1)", "1 transactions outside the indexed blocks"],
      [
        "UPDATE outputs SET spent_transaction_id = 5 WHERE spent_transaction_id IS NOT NULL",
        "1 outputs spent by",
      ],
      ["UPDATE live_outputs SET capacity = 7", "2 unspent outputs that are not among the live ones"],
      [
        "DELETE FROM live_outputs WHERE amount IS NOT NULL",
        "1 unspent outputs that are not among the live ones",
      ],
      [
        "UPDATE live_outputs SET transaction_hash = '\\x01'",
        "2 live outputs with the hash of another transaction",
      ],
      ["INSERT INTO live_outputs SELECT * FROM live_outputs", "2 live outputs in excess of unspent ones"],
      ["DELETE FROM blocks WHERE height = 1", "1 transactions whose block is not stored"],
      ["UPDATE holdings SET amount = amount + 1", "is not the sum of its live outputs"],
    ];
    for (const [sql, fault] of cases) expect(await faultsAfter(sql), sql).toContain(fault);
  });

  describe("a cluster", () => {
    /** Opens the store as a server does. Locked tables stand in for those of a node that hangs. */
    const openCluster = async (options: PostgresOptions) => {
      await admin.query("INSERT INTO pg_extension VALUES (1, 'citus', 10, 11, false, '13.2-1')");
      const cluster = open(options);
      expect(await cluster.schemaFault()).toBeNull();
      return cluster;
    };
    const lock = () => admin.query("BEGIN; LOCK TABLE live_outputs IN ACCESS EXCLUSIVE MODE");
    const page = (asked: Store) =>
      asked.query(utxosOfAddress, { addressKey: keyOf("ann"), order: "asc", limit: 10 });

    test("of which a node hangs keeps half of its connections for the others", async () => {
      const cluster = await openCluster({ poolSize: 4 });
      await lock();
      const pages = Promise.allSettled(Array.from({ length: 4 }, () => page(cluster)));
      await vi.waitFor(
        () => expect(cluster.connections()).toEqual({ busy: 2, idle: 0, waiting: 0 }),
        EVENT_TIMEOUT,
      );
      expect(await Promise.all(Array.from({ length: 20 }, () => cluster.query(chainTip)))).toEqual(
        Array(20).fill(null),
      );
      await admin.query("ROLLBACK");
      const reasons = (await pages).flatMap((each) =>
        each.status === "rejected" ? [each.reason.message] : [],
      );
      const givenUp = expect.stringMatching(/did not answer within 250 ms, as 2 other statements wait, too/);
      expect(reasons).toEqual([givenUp, givenUp]);
    });

    test("lends no connection again on which it cancelled a statement", async () => {
      const cluster = await openCluster({});
      await lock();
      const refused = expect(page(cluster)).rejects.toThrow(/did not answer in time/);
      await cancelBlocked();
      await refused;
      await admin.query("ROLLBACK");
      expect(cluster.connections()).toEqual({ busy: 0, idle: 0, waiting: 0 });
    });

    test("has no version, because its nodes do not change at one moment", async () => {
      await feed(store, [ledger.block()]);
      const cluster = await openCluster({});
      const none = { accessToken: null, version: null };
      expect(await cluster.accessTokenAndVersion(new Uint8Array(32))).toEqual(none);
    });
  });

  test("a cluster that cannot reach one of its nodes is unavailable for now", async () => {
    // The error that Citus raises on its coordinator.
    const raised = [
      ["08006", "connection to the remote node aqs@10.0.0.7:5432 failed:\n\tIs the server running?\n"],
      ["XX000", "SSL SYSCALL error: EOF detected"],
      ["XX000", "failure on connection marked as essential: 10.0.0.7:5432"],
      ["58030", "failed to COPY to shard 102008 on 10.0.0.7:5432"],
    ];
    for (const [code, message] of raised) {
      await admin.query(
        `CREATE OR REPLACE FUNCTION lose_node() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE '${message}' USING ERRCODE = '${code}'; END $$;
         CREATE OR REPLACE TRIGGER lose_node BEFORE INSERT ON blocks FOR EACH STATEMENT EXECUTE FUNCTION lose_node()`,
      );
      const failing = feed(store, [ledger.tip ?? ledger.block()]);
      await expect(failing, code).rejects.toThrow(StoreUnavailableError);
      await expect(failing, code).rejects.toThrow(/cannot reach a node of its cluster: [^\n\t]+$/);
    }
    await admin.query("DROP TRIGGER lose_node ON blocks");
    expect(await feed(store, ledger.blocks)).toBe(1);
  });

  test("a database without Citus is not distributed, and says what is missing", async () => {
    const { rowCount } = await admin.query("SELECT 1 FROM pg_available_extensions WHERE name = 'citus'");
    const missing = rowCount === 0 ? /has no Citus extension/ : /not in this database: run CREATE EXTENSION/;
    await expect(store.distribute()).rejects.toThrow(missing);
    expect(await feed(store, [ledger.block()])).toBe(1);
  });
});

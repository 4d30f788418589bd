import pg from "pg";
import { afterAll, test } from "vitest";
import { makeCursorKey } from "#lib/store/common-queries.ts";
import type { Store } from "#lib/store/engine.ts";
import { openStore } from "#lib/store/open.ts";

import { PostgresStore } from "#lib/store/postgres/postgres-store.ts";
import { DISTRIBUTED_WRITE, set } from "#lib/store/postgres/settings.ts";
import { NO_POSTGRES, postgresBinaries, startPostgres, type ThrowawayServer } from "./postgres.ts";

/** A storage engine under test: `open` gives a fresh, empty, migrated store. */
export interface Engine {
  name: string;
  open(): Promise<Store>;
}

const sqlite: Engine = { name: "SQLite", open: () => openStore("sqlite::memory:") };

/** `ENGINES=sqlite` leaves the server out: the quick loop of `npm run check`. */
const wanted = process.env.ENGINES !== "sqlite";
/** A database of yours to test on instead of a temporary server. */
const given = process.env.TEST_DATABASE_URL;

export const engines: Engine[] = [sqlite];
if (wanted && given) engines.push(givenServer(given));
else if (wanted && postgresBinaries() !== null) engines.push(temporaryServer());
// The skipped test tells such a run from one on both engines.
else if (wanted) test.skip(`PostgreSQL: ${NO_POSTGRES}`, () => {});

/** One server for the test file; each store gets a copy of one migrated database, dropped when it is closed. */
function temporaryServer(): Engine {
  let server: ThrowawayServer | undefined;
  let template: Promise<void> | undefined;
  let count = 0;
  afterAll(() => server?.stop());
  return {
    name: "PostgreSQL",
    async open() {
      server ??= startPostgres();
      const { run, url } = server;
      template ??= (async () => {
        // This locale sorts "a" before "B", which shows any order that the schema leaves to the server.
        const local = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
        await run(`CREATE DATABASE template ${local}`).catch(() => run("CREATE DATABASE template"));
        await (await openStore(url("template"))).close();
      })();
      await template;
      const name = `store_${++count}`;
      await run(`CREATE DATABASE ${name} TEMPLATE template`);
      const store = await openStore(url(name));
      closing(store, () => run(`DROP DATABASE IF EXISTS ${name}`));
      return store;
    },
  };
}

/**
 * A database that the environment names, with Citus or without. It may hold other data, because each store has a schema
 * of its own. Schemas are emptied and used again: distributing tables takes seconds.
 */
function givenServer(url: string): Engine {
  const admin = new pg.Client({ connectionString: url });
  let hasCitus: Promise<boolean> | undefined;
  let count = 0;
  const made: string[] = [];
  const free: string[] = [];
  const start = async () => {
    await admin.connect();
    const { rows } = await admin.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
    return rows.length > 0;
  };
  afterAll(async () => {
    for (const schema of made) await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    if (hasCitus) await admin.end();
  });
  return {
    name: "PostgreSQL",
    async open() {
      hasCitus ??= start();
      const distributed = await hasCitus;
      const used = free.pop();
      const schema = used ?? `aqs_test_${process.pid}_${++count}`;
      if (!used) {
        await admin.query(`CREATE SCHEMA ${schema}`);
        made.push(schema);
      }
      // Not through `URL`, which refuses a user without a host, as for a Unix socket.
      const search = `${url.includes("?") ? "&" : "?"}options=-c%20search_path%3D${schema}`;
      const store = new PostgresStore(url + search);
      await store.migrate();
      await store.record(makeCursorKey);
      if (!used && distributed) await store.distribute();
      closing(store, async () => {
        const { rows } = await admin.query<{ name: string }>(
          `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
           WHERE schemaname = $1 AND tablename <> 'schema_migrations'`,
          [schema],
        );
        const tables = rows.map(({ name }) => name);
        await admin.query(distributed ? deleteAll(tables) : `TRUNCATE ${tables.join(", ")}`);
        free.push(schema);
      });
      return store;
    },
  };
}

/** On a cluster, this takes a fifth of the time of TRUNCATE, which makes new files for every shard and its indexes. */
function deleteAll(tables: string[]): string {
  const deletes = tables.map((table) => `DELETE FROM ${table};`).join(" ");
  return `BEGIN; ${set(DISTRIBUTED_WRITE, "transaction")} ${deletes} COMMIT`;
}

/** Once, after the store's own. */
function closing(store: Store, work: () => Promise<unknown>): void {
  const close = store.close.bind(store);
  let closed: Promise<void> | undefined;
  store.close = () => {
    closed ??= close().then(async () => {
      await work();
    });
    return closed;
  };
}

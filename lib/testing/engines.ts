import pg from "pg";
import { inject, test } from "vitest";
import { makeCursorKey } from "#lib/store/common-queries.ts";
import { openStore } from "#lib/store/open.ts";
import { PostgresStore } from "#lib/store/postgres/postgres-store.ts";
import { DISTRIBUTED_WRITE, set } from "#lib/store/postgres/settings.ts";
import type { Store } from "#lib/store/store.ts";
import { NO_POSTGRES } from "./postgres.ts";
import { SCHEMAS } from "./shared-postgres.ts";

/** A storage engine under test: `open` gives an empty, migrated store. */
export interface Engine {
  name: string;
  open(): Promise<Store>;
}

const sqlite: Engine = { name: "SQLite", open: () => openStore("sqlite::memory:") };

/** Factor of random runs in `npm run test:full`. */
export const MORE = process.env.TESTS === "full" ? 5 : 1;

export const engines: Engine[] = [sqlite];
/** A database of yours to test on instead of a temporary server. */
const given = process.env.TEST_DATABASE_URL;
const server = inject("postgres");
if (given || server) engines.push(postgres());
// `ENGINES=sqlite` leaves PostgreSQL out. The skipped test shows that the run had no server.
else if (process.env.ENGINES !== "sqlite") test.skip(`PostgreSQL: ${NO_POSTGRES}`, () => {});

/** For tests that hardly depend on the engine: one engine in `npm test`, all in `npm run test:full`. */
export const someEngines: Engine[] = process.env.TESTS === "full" ? engines : [sqlite];

interface Database {
  url: string;
  admin: pg.Client;
  /** Its tables are to be distributed. */
  hasCitus: boolean;
}

/**
 * Each process of test files has a database of its own, unless one is given. Each store has a schema of its own in it,
 * because the given database may hold other data. Schemas are emptied and used again: making one takes many times as long.
 */
function postgres(): Engine {
  let database: Promise<Database> | undefined;
  const name = `tests_${process.pid}`;
  let made = 0;
  const free: string[] = [];

  const connect = async (): Promise<Database> => {
    const url = given ?? server!.replace("/postgres?", `/${name}?`);
    if (!given) {
      // This locale sorts "a" before "B", which shows any order that the schema leaves to the server.
      const local = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
      await onServer(`CREATE DATABASE ${name} ${local}`).catch(() => onServer(`CREATE DATABASE ${name}`));
    }
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    // The server may stop before this process, when no test runs any more.
    admin.on("error", () => {});
    const { rows } = await admin.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'");
    return { url, admin, hasCitus: rows.length > 0 };
  };

  return {
    name: "PostgreSQL",
    async open() {
      database ??= connect();
      const { url, admin, hasCitus } = await database;
      const used = free.pop();
      const schema = used ?? `${SCHEMAS}${process.pid}_${made}`;
      if (!used) {
        made += 1;
        await admin.query(`CREATE SCHEMA ${schema}`);
      }
      // `URL` would refuse a user without a host, as for a Unix socket.
      const search = `${url.includes("?") ? "&" : "?"}options=-c%20search_path%3D${schema}`;
      // On a busy machine, any statement may be late.
      const patient = { statementTimeoutMs: 0, connectTimeoutMs: 0, writeTimeoutMs: 0 };
      const store = new PostgresStore(url + search, patient);
      await store.migrate();
      await store.record(makeCursorKey);
      if (!used && hasCitus) await store.distribute();
      closing(store, async () => {
        await empty(admin, schema);
        free.push(schema);
      });
      return store;
    },
  };
}

/** Runs a statement in the temporary server's own database. */
async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server! });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Uses DELETE: TRUNCATE makes new files for every table and index, and on a cluster for every shard. */
async function empty(admin: pg.Client, schema: string): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname = $1 AND tablename <> 'schema_migrations'`,
    [schema],
  );
  const deletes = rows.map(({ name }) => `DELETE FROM ${name};`).join(" ");
  await admin.query(`BEGIN; ${set(DISTRIBUTED_WRITE, "transaction")} ${deletes} COMMIT`);
}

/** Runs `work` once, after the store has closed. */
function closing(store: Store, work: () => Promise<void>): void {
  const close = store.close.bind(store);
  let closed: Promise<void> | undefined;
  store.close = () => {
    closed ??= close().then(work);
    return closed;
  };
}

import { existsSync } from "node:fs";
import { codeOf } from "#lib/contract/errors.ts";
import type { Store } from "#lib/store/store.ts";
import { aqs } from "#lib/util/program.ts";
import { makeCursorKey, schemaFault } from "./common-queries.ts";
import { schemaSteps } from "./migrations.ts";
import type { PostgresOptions } from "./postgres/database.ts";
import { type DatabaseOptions, isFile } from "./sqlite/database.ts";
import { SqliteStore } from "./sqlite/sqlite-store.ts";

/** Options of the engines besides their URLs, and what messages call a URL: `DATABASE_URL` by default. */
export type OpenOptions = DatabaseOptions & PostgresOptions & { name?: string };

/** Opens the store for a program that does not migrate. Throws an Error that says what to run unless the schema is current. */
export async function openForReading(url: string, options: OpenOptions = {}): Promise<Store> {
  const file = sqliteFile(url);
  if (file !== undefined && isFile(file) && !existsSync(file)) {
    throw new Error(
      `${file} does not exist. \`${aqs("sync --rpc URL")}\` fills it from a node, \`${aqs("demo")}\` with demo data`,
    );
  }
  return opened(url, { ...options, readOnly: true }, async (store) => {
    const fault = await store.schemaFault();
    if (fault) throw new Error(fault);
  });
}

/** The file that a `DATABASE_URL` names to SQLite; undefined for a server. */
export const sqliteFile = (url: string): string | undefined => /^sqlite:(.+)$/.exec(url)?.[1];

/** Opens and migrates the store that a `DATABASE_URL` names: `sqlite:<file>`, `sqlite::memory:`, `postgres://…`. */
export async function openStore(url: string, options: OpenOptions = {}): Promise<Store> {
  return opened(url, options, prepare);
}

/** Opens and migrates a database that must exist. Throws an Error, and creates nothing, if there is none or it is empty. */
export async function openExistingStore(url: string, options: OpenOptions = {}): Promise<Store> {
  const file = sqliteFile(url);
  if (file !== undefined && isFile(file) && !existsSync(file)) {
    throw new Error(`${file}: there is no such file`);
  }
  const empty = schemaFault(0, schemaSteps().length)!;
  return opened(url, options, async (store) => {
    if ((await store.schemaFault()) === empty) throw new Error(empty);
    await prepare(store);
  });
}

async function prepare(store: Store): Promise<void> {
  await store.migrate();
  // Programs that only read cannot make the key.
  await store.record(makeCursorKey);
}

async function opened(
  url: string,
  options: OpenOptions,
  check: (store: Store) => Promise<void>,
): Promise<Store> {
  const store = await engineFor(url, options);
  try {
    await check(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The store behind a `DATABASE_URL`, not migrated. The PostgreSQL driver is loaded only when it is needed. */
export async function engineFor(url: string, options: OpenOptions = {}): Promise<Store> {
  const { name = "DATABASE_URL" } = options;
  const file = sqliteFile(url);
  if (file !== undefined) return new SqliteStore(file, options);
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { PostgresStore } = await import("./postgres/postgres-store.ts");
    try {
      return new PostgresStore(url, options);
    } catch (error) {
      if (codeOf(error) !== "ERR_INVALID_URL") throw error;
      throw new Error(
        `${name} is not a valid URL: check the port, and percent-encode special characters in the password`,
      );
    }
  }
  // The rest of a wrong URL may hold a password.
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "a text without a scheme";
  throw new Error(`${name} must be sqlite:<file> or postgres://…, not ${scheme}`);
}

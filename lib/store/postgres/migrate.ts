import { readFileSync } from "node:fs";
import { schemaFault } from "#lib/store/common-queries.ts";
import { migrations, schemaSteps } from "#lib/store/migrations.ts";
import { statement, statementWith } from "#lib/store/statement.ts";
import { MIGRATION_LOCK } from "./lock.ts";
import type { Session } from "./session.ts";
import { timeLimit } from "./settings.ts";

/** The oldest supported major version. */
const OLDEST_VERSION = 15;

const readSchema = (): string => readFileSync(new URL("schema.sql", import.meta.url), "utf8");

export interface ServerFacts {
  /** 150018 for version 15.18. */
  version: number;
  encoding: string;
  citus: boolean;
}

export const SERVER = statement(`SELECT current_setting('server_version_num')::integer AS version,
          current_setting('server_encoding') AS encoding,
          EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS citus`);
/** `to_regclass` would cache that the table is missing, even after another process created it. */
const HAS_HISTORY = statement(
  `SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attname = 'ordinal') AS "isOurs"
   FROM pg_class c WHERE relname = 'schema_migrations' AND pg_table_is_visible(oid)`,
);
const HISTORY = statement("SELECT name FROM schema_migrations ORDER BY ordinal");
const NOTE_STEP = statementWith(["ordinal", "name"])(
  "INSERT INTO schema_migrations (ordinal, name) VALUES ($ordinal, $name)",
);

/** Describes why the program cannot work with the server, or returns null. */
export function unfit({ version, encoding }: Omit<ServerFacts, "citus">): string | null {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_VERSION)
    return `is on PostgreSQL ${major}: this program needs ${OLDEST_VERSION} or later`;
  return encoding === "UTF8" ? null : `has the encoding ${encoding}: create one with encoding UTF8`;
}

export async function findSchemaFault(session: Session): Promise<string | null> {
  const ran = await history(session);
  return ran ? (foreignStep(ran) ?? schemaFault(ran.length, schemaSteps().length)) : FOREIGN;
}

const FOREIGN = "The database holds the tables of another program: create one for this service";

/** The names of the steps that ran on this database; null if another program's did. */
async function history(session: Session): Promise<string[] | null> {
  const found = await session.get<{ isOurs: boolean }>(HAS_HISTORY);
  if (!found) return [];
  if (!found.isOurs) return null;
  return (await session.all<{ name: string }>(HISTORY)).map((row) => row.name);
}

/** Describes the first step that this program does not have, or returns null. */
function foreignStep(ran: string[]): string | null {
  const i = schemaSteps().findIndex((name, at) => ran[at] !== undefined && ran[at] !== name);
  if (i < 0) return null;
  return `The database's migration ${i + 1} is ${ran[i]}, this program's is ${schemaSteps()[i]}`;
}

/** Counts the steps that ran. Throws if the database is newer than this program, or belongs to another one. */
async function stepsRun(session: Session): Promise<number> {
  const ran = await history(session);
  if (!ran) throw new Error(FOREIGN);
  const fault = foreignStep(ran) ?? schemaFault(ran.length, Math.min(ran.length, schemaSteps().length));
  if (fault) throw new Error(fault);
  return ran.length;
}

/**
 * Brings the schema to the current version in one transaction. Returns the names of the steps that ran. Throws if the database is
 * newer than this program, or belongs to another one.
 */
export async function migrate(session: Session): Promise<string[]> {
  if ((await stepsRun(session)) === schemaSteps().length) return [];
  const work = async () => {
    // Another process may have run them in the meantime.
    const ran = await stepsRun(session);
    const wanted = ran === 0 ? [readSchema()] : migrations.slice(ran - 1).flatMap(({ postgres }) => postgres);
    // Run them one by one: for some changes of a table, Citus sends its nodes the whole text that it was given.
    for (const sql of wanted) await session.exec(sql);
    const names = schemaSteps().slice(ran);
    for (const [i, name] of names.entries()) await session.run(NOTE_STEP({ ordinal: ran + i + 1, name }));
    return names;
  };
  const alone = `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  return session.transaction("BEGIN", timeLimit(0), work, alone);
}

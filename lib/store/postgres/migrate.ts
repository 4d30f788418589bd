import { schemaFault } from "#lib/store/common-queries.ts";
import { beginFill, fillSome, isFilling } from "#lib/store/fill.ts";
import { migrations } from "#lib/store/migrations.ts";
import { foldNames } from "#lib/store/rules/names.ts";
import { runInTurn } from "#lib/store/rules/steps.ts";
import { statement } from "#lib/store/statement.ts";
import { MIGRATION_LOCK } from "./lock.ts";
import type { Session } from "./session.ts";
import { timeLimit } from "./settings.ts";

/** The oldest major version that the statements were written for. */
const OLDEST_VERSION = 15;

export interface ServerFacts {
  /** As the server counts: 150018 is 15.18. */
  version: number;
  encoding: string;
  citus: boolean;
}

export const SERVER = statement(`SELECT current_setting('server_version_num')::integer AS version,
          current_setting('server_encoding') AS encoding,
          EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS citus`);
const HAS_HISTORY = statement("SELECT to_regclass('schema_migrations') IS NOT NULL AS present");
const HISTORY = statement("SELECT name FROM schema_migrations ORDER BY ordinal");
const NOTE_MIGRATION = statement("INSERT INTO schema_migrations (ordinal, name) VALUES ($1, $2)");

/** Why the program cannot work with such a server; null if it can. */
export function unfit({ version, encoding }: Omit<ServerFacts, "citus">): string | null {
  const major = Math.floor(version / 10_000);
  if (major < OLDEST_VERSION)
    return `is on PostgreSQL ${major}: this program needs ${OLDEST_VERSION} or later`;
  return encoding === "UTF8" ? null : `has the encoding ${encoding}: create one with encoding UTF8`;
}

export async function findSchemaFault(session: Session): Promise<string | null> {
  const ran = await history(session);
  return foreignMigration(ran) ?? schemaFault(ran.length, migrations.length);
}

/** Names of the migrations that the database has run. */
async function history(session: Session): Promise<string[]> {
  const { present } = (await session.get<{ present: boolean }>(HAS_HISTORY))!;
  return present ? (await session.all<{ name: string }>(HISTORY)).map((row) => row.name) : [];
}

/** In words, the first one of them that is not this program's; null if there is none. */
function foreignMigration(ran: string[]): string | null {
  const i = migrations.findIndex(({ name }, at) => ran[at] !== undefined && ran[at] !== name);
  if (i < 0) return null;
  return `The database's migration ${i + 1} is ${ran[i]}, this program's is ${migrations[i]!.name}`;
}

/** The migrations still to run, with their place in the history. Throws if the database has run others. */
async function pending(session: Session) {
  const ran = await history(session);
  const known = Math.min(ran.length, migrations.length);
  const fault = foreignMigration(ran) ?? schemaFault(ran.length, known);
  if (fault) throw new Error(fault);
  return migrations.map((migration, i) => ({ ...migration, ordinal: i + 1 })).slice(ran.length);
}

/**
 * Runs the migrations that the database has not seen, and returns their names. Throws if it has run others. They are one
 * transaction; each that fills tables ends it, and fills them in several: then `onProgress` gets a line after each.
 */
export async function migrate(session: Session, onProgress: (line: string) => void): Promise<string[]> {
  const names: string[] = [];
  const alone = `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  const inTurn = <T>(work: () => Promise<T>) => session.transaction("BEGIN", timeLimit(0), work, alone);
  while ((await pending(session)).length > 0) {
    const line = await inTurn(async () => {
      await session.exec(
        'CREATE TABLE IF NOT EXISTS schema_migrations (ordinal integer PRIMARY KEY, name text COLLATE "C" NOT NULL)',
      );
      for (const migration of await pending(session)) {
        const { ordinal, name, postgres, fill } = migration;
        if (!(await runInTurn(isFilling(session, migration)))) {
          // One after another: with some changes of a table, Citus passes on the whole text that they came in.
          for (const sql of postgres) await session.exec(sql);
          if (fill.length > 0) await runInTurn(beginFill(session, migration));
        }
        if (fill.length > 0) {
          const progress = await runInTurn(fillSome(session, migration));
          if (progress !== null) return progress;
        }
        await session.run(NOTE_MIGRATION, ordinal, name);
        names.push(name);
      }
      await runInTurn(foldNames(session));
      return null;
    });
    if (line !== null) onProgress(line);
  }
  return names;
}

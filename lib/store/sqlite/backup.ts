import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { schemaSteps } from "#lib/store/migrations.ts";
import { createPrivately, ownerOf } from "./database.ts";

/** Copies all pages in one step, because SQLite starts again if another connection writes between two steps. */
const ALL_PAGES = 2 ** 31 - 1;

export type Journal = "WAL" | "DELETE";

/** Suffixes of the logs beside a database. SQLite would apply logs of an older file to the copy. */
const LOGS = ["-wal", "-journal"];

/**
 * Copies one state of a database, which may be in use. `target` must not exist, and appears only when it is complete. Throws an
 * Error if the source is missing, damaged, or not a database of this service.
 * @param journal `DELETE` for a backup: to read a file in the mode `WAL`, SQLite writes two more files beside it
 */
export async function copyDatabase(source: string, target: string, journal: Journal): Promise<void> {
  if (!existsSync(source)) throw new Error(`${source}: there is no such file`);
  const logs = LOGS.map((suffix) => target + suffix).filter(
    (log) => statSync(log, { throwIfNoEntry: false })?.size,
  );
  const taken = existsSync(target) ? target : logs[0];
  if (taken !== undefined) throw new Error(`${taken} already exists: move it away first`);
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  createPrivately(unfinished);
  try {
    using from = new DatabaseSync(source, { readOnly: true, timeout: 10_000 });
    await backup(from, unfinished, { rate: ALL_PAGES });
    check(unfinished, journal);
    renameSync(unfinished, target);
  } catch (error) {
    throw new Error(`${source} cannot be copied to ${target}: ${(error as Error).message}`);
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(unfinished + suffix, { force: true });
  }
}

/** Throws an Error unless the file is an undamaged database of this program. Sets its journal mode. */
function check(file: string, journal: Journal): void {
  using db = new DatabaseSync(file);
  const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
  if (version === 0 || ownerOf(db) !== "us") throw new Error("it is not a database of this service");
  if (version > schemaSteps().length) {
    throw new Error(`it has schema version ${version}, this program knows ${schemaSteps().length}`);
  }
  const { quick_check: result } = db.prepare("PRAGMA quick_check(1)").get() as { quick_check: string };
  if (result !== "ok") throw new Error(`it is damaged (${result})`);
  db.exec(`PRAGMA journal_mode = ${journal}`);
}

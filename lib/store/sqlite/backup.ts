import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { schemaSteps } from "#lib/store/migrations.ts";
import { createPrivately } from "./database.ts";

/** All pages in one step: SQLite starts again if another connection writes between two steps. */
const ALL_PAGES = 2 ** 31 - 1;

/** Files beside a database. What another one left in them would become part of the copy. */
const LOGS = ["-wal", "-journal"];

/**
 * Copies a database as it is at one moment, while it may be served and synced. `target` must not exist, and appears only once it
 * is whole. Throws an Error if the source is missing, damaged, or not a database of this service.
 */
export async function copyDatabase(source: string, target: string): Promise<void> {
  if (!existsSync(source)) throw new Error(`${source}: there is no such file`);
  const logs = LOGS.map((suffix) => target + suffix).filter(
    (log) => statSync(log, { throwIfNoEntry: false })?.size,
  );
  const taken = existsSync(target) ? target : logs[0];
  if (taken !== undefined) throw new Error(`${taken} exists already: move it away first`);
  const unfinished = `${target}.unfinished`;
  rmSync(unfinished, { force: true });
  createPrivately(unfinished);
  try {
    using from = new DatabaseSync(source, { readOnly: true, timeout: 10_000 });
    await backup(from, unfinished, { rate: ALL_PAGES });
    check(unfinished);
    renameSync(unfinished, target);
  } catch (error) {
    throw new Error(`${source} cannot be copied to ${target}: ${(error as Error).message}`);
  } finally {
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(unfinished + suffix, { force: true });
  }
}

/** Throws an Error unless the file is a database of this program, in one piece. */
function check(file: string): void {
  using db = new DatabaseSync(file);
  const { user_version: version } = db.prepare("PRAGMA user_version").get() as { user_version: number };
  const { count } = db
    .prepare("SELECT count(*) AS count FROM sqlite_schema WHERE name IN ('blocks', 'outputs', 'state')")
    .get() as { count: number };
  if (version === 0 || count < 3) throw new Error("it is not a database of this service");
  if (version > schemaSteps().length) {
    throw new Error(`it has schema version ${version}, this program knows ${schemaSteps().length}`);
  }
  const [{ quick_check: result } = { quick_check: "" }] = db.prepare("PRAGMA quick_check(1)").all() as {
    quick_check: string;
  }[];
  if (result !== "ok") throw new Error(`it is damaged (${result})`);
}

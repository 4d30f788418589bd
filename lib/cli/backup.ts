import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { databaseName, readConfig } from "#lib/config.ts";
import { sqliteFile } from "#lib/store/open.ts";
import { copyDatabase, type Journal } from "#lib/store/sqlite/backup.ts";
import { isFile } from "#lib/store/sqlite/database.ts";
import { command, report, UsageError } from "./command.ts";

function databaseFile(tool: string): string {
  const { DATABASE_URL: url } = readConfig();
  const file = sqliteFile(url);
  if (file !== undefined && isFile(file)) return file;
  throw new UsageError(
    `${databaseName(url)} is not a SQLite file. For PostgreSQL use ${tool}: see docs/operations.md`,
  );
}

async function copyChecked(source: string, target: string, journal: Journal, advice = ""): Promise<void> {
  await copyDatabase(source, target, journal);
  report(`${target}: ${(statSync(target).size / 1e6).toFixed(1)} MB, checked.${advice}`);
}

export const backupDatabase = command({
  usage: "backup FILE",
  summary: "Copy the SQLite database to a new file, while it is in use.",
  details: `The copy is the database at one moment. sync and the server may run meanwhile.
FILE must not exist. It holds the access tokens' hashes and the key of the cursors,
and only its owner can read it. For PostgreSQL use pg_dump.`,
  takes: [1, 1, "takes one file"],
  run: (_, target) => copyChecked(databaseFile("pg_dump"), target, "DELETE"),
});

export const restoreDatabase = command({
  usage: "restore FILE",
  summary: "Restore the SQLite database from a backup.",
  details: `The database of DATABASE_URL must not exist: stop sync and the server, and move its
file and the two beside it (-wal, -shm) away first. For PostgreSQL use pg_restore.`,
  takes: [1, 1, "takes one file"],
  run(_, source) {
    const target = databaseFile("pg_restore");
    if (!existsSync(source)) throw new Error(`${source}: there is no such file`);
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    return copyChecked(source, target, "WAL", " Run verify to check what it holds.");
  },
});

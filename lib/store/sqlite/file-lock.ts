import { DatabaseSync } from "node:sqlite";
import { BUSY, hasResultCode } from "#lib/store/errors.ts";
import type { SyncLock } from "#lib/store/store.ts";
import { createPrivately } from "./database.ts";
import { explain } from "./failure.ts";

/** A lock that ends with its holder's process: the write lock of a small database, in which the holder is named. */
export async function acquireFileLock(file: string): Promise<SyncLock> {
  // Other processes cannot open a database in memory.
  if (file === ":memory:") return { async release() {} };
  createPrivately(`${file}-sync`);
  const lock = new DatabaseSync(`${file}-sync`, { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS holder (pid INTEGER, since TEXT)");
    lock.exec("BEGIN IMMEDIATE");
    lock.exec("DELETE FROM holder");
    lock.prepare("INSERT INTO holder VALUES (?, ?)").run(process.pid, new Date().toISOString());
    // Others must be able to read the name, so commit it, and take the lock again.
    lock.exec("COMMIT; BEGIN IMMEDIATE");
  } catch (error) {
    const isBusy = hasResultCode(error, [BUSY]);
    const holder = isBusy && lock.prepare("SELECT pid, since FROM holder").get();
    lock.close();
    if (!isBusy) throw explain(`${file}-sync`, error);
    const who = holder ? `process ${holder.pid}, since ${holder.since}` : "another process";
    throw new Error(
      `Another sync into this database is running: ${who}. End it, or set DATABASE_URL to another one`,
    );
  }
  return {
    async release() {
      lock.close();
    },
  };
}

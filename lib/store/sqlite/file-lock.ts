import { DatabaseSync } from "node:sqlite";
import { createPrivately } from "./database.ts";
import { inWords } from "./failure.ts";

/** A lock that the system takes back however its holder ends: the write lock of a small database, which holds the holder's name. */
export async function acquireFileLock(file: string): Promise<{ release(): Promise<void> }> {
  // A database in memory has no other process.
  if (file === ":memory:") return { async release() {} };
  createPrivately(`${file}-sync`);
  const lock = new DatabaseSync(`${file}-sync`, { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS holder (pid INTEGER, since TEXT)");
    lock.exec("BEGIN IMMEDIATE");
    lock.exec("DELETE FROM holder");
    lock.prepare("INSERT INTO holder VALUES (?, ?)").run(process.pid, new Date().toISOString());
    // The note must be readable, so it is committed, and the lock taken again at once.
    lock.exec("COMMIT; BEGIN IMMEDIATE");
  } catch (error) {
    const busy = error instanceof Error && "errcode" in error && error.errcode === 5;
    const holder = busy && readHolder(lock);
    lock.close();
    if (!busy) throw inWords(`${file}-sync`, error);
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

function readHolder(lock: DatabaseSync): { pid: number; since: string } | undefined {
  return lock.prepare("SELECT pid, since FROM holder").get() as { pid: number; since: string } | undefined;
}

import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "./open.ts";

test("the files of a SQLite database, and a folder made for them, are their owner's alone", async () => {
  const outside = mkdtempSync(join(tmpdir(), "aqs-modes-"));
  const mode = (path: string) => (statSync(join(outside, path)).mode & 0o777).toString(8);
  const before = process.umask(0o022);
  try {
    const store = await openStore(`sqlite:${outside}/a/b/new.db`);
    const lock = await store.acquireSyncLock();
    for (const folder of ["a", "a/b"]) expect([folder, mode(folder)]).toEqual([folder, "700"]);
    for (const file of ["new.db", "new.db-wal", "new.db-shm", "new.db-sync", "new.db-sync-wal"]) {
      expect([file, mode(`a/b/${file}`)]).toEqual([file, "600"]);
    }
    await lock.release();
    await store.close();

    // What the operator chose stays.
    mkdirSync(join(outside, "chosen"), { mode: 0o755 });
    writeFileSync(join(outside, "chosen/old.db"), "", { mode: 0o640 });
    await (await openStore(`sqlite:${outside}/chosen/old.db`)).close();
    expect([mode("chosen"), mode("chosen/old.db")]).toEqual(["755", "640"]);
  } finally {
    process.umask(before);
    rmSync(outside, { recursive: true });
  }
});

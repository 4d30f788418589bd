import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cursorKey, revokeAccessToken } from "#lib/queries/access-tokens.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { schemaSteps } from "./migrations.ts";
import { openExistingStore, openForReading, openStore } from "./open.ts";

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

    // The operator's choice stays.
    mkdirSync(join(outside, "chosen"), { mode: 0o755 });
    writeFileSync(join(outside, "chosen/old.db"), "", { mode: 0o640 });
    await (await openStore(`sqlite:${outside}/chosen/old.db`)).close();
    expect([mode("chosen"), mode("chosen/old.db")]).toEqual(["755", "640"]);
  } finally {
    process.umask(before);
    rmSync(outside, { recursive: true });
  }
});

test("an existing database opens once it has a schema, and an empty file stays as it is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-existing-"));
  const file = join(folder, "a.db");
  const url = `sqlite:${file}`;
  try {
    await expect(openExistingStore(url)).rejects.toThrow(`${file}: there is no such file`);
    writeFileSync(file, "");
    await expect(openExistingStore(url)).rejects.toThrow(/^The database is empty: run /);
    await (await openStore(url)).close();
    const store = await openExistingStore(url);
    expect(await store.schemaFault()).toBeNull();
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("a program that only reads", () => {
  let folder: string;
  let file: string;
  let url: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "aqs-reader-"));
    file = join(folder, "a.db");
    url = `sqlite:${file}`;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test("is told what to run if there is no database, and makes none", async () => {
    await expect(openForReading(url)).rejects.toThrow(/a\.db does not exist.*aqs -- sync.*aqs -- demo/);
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, "");
    await expect(openForReading(url)).rejects.toThrow(
      "The database is empty: run `npm run --silent aqs -- migrate`",
    );
    expect(statSync(file).size).toBe(0);
  });

  test("does not wait for a writer, and sees what it commits", async () => {
    const writer = await openStore(url);
    const key = await writer.query(cursorKey);
    const other = new DatabaseSync(file, { timeout: 0 });
    other.exec("BEGIN IMMEDIATE");
    const reader = await openForReading(url);
    expect([await reader.query(chainTip), await reader.schemaFault()]).toEqual([null, null]);
    expect(Buffer.from(await reader.query(cursorKey)).equals(key)).toBe(true);
    other.exec("INSERT INTO blocks VALUES (7, x'07', x'06', 0, 1, 0, x''); COMMIT");
    expect(await reader.query(chainTip)).toEqual({ height: 7, hash: "0x07" });
    await expect(reader.record(revokeAccessToken, "a", 1)).rejects.toThrow(/read-only/);
    other.close();
    await writer.close();
    await reader.close();
  });

  test("needs no right to write to the file", async () => {
    await (await openStore(url)).close();
    chmodSync(file, 0o444);
    const reader = await openForReading(url);
    expect(await reader.query(chainTip)).toBeNull();
    await reader.close();
  });

  test("refuses a schema of another version, also one that changes while it runs", async () => {
    await (await openStore(url)).close();
    const reader = await openForReading(url);
    const other = new DatabaseSync(file);
    other.exec(`PRAGMA user_version = ${schemaSteps().length + 1}`);
    expect(await reader.schemaFault()).toMatch(/knows \d+: update the program/);
    other.exec("PRAGMA user_version = 0");
    expect(await reader.schemaFault()).toBe("The database is empty: run `npm run --silent aqs -- migrate`");
    other.close();
    await expect(openForReading(url)).rejects.toThrow(/is empty/);
    await reader.close();
  });

  test("is told to migrate a database whose key for cursors was never made", async () => {
    await (await openStore(url)).close();
    const other = new DatabaseSync(file);
    other.exec("DELETE FROM state");
    other.close();
    const reader = await openForReading(url);
    await expect(reader.query(cursorKey)).rejects.toThrow(/no key for cursors yet: run/);
    await reader.close();
  });
});

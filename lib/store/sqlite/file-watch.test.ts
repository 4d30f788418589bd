import { mkdtempSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isLost, isUnavailable, isUnreadable } from "#lib/store/errors.ts";
import { Database } from "./database.ts";

let folder: string;
let file: string;
let db: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-watch-"));
  file = join(folder, "a.db");
  db = new Database(file);
  db.migrate();
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const write = () => db.run("INSERT OR REPLACE INTO state (key, value) VALUES ('a', ?)", "x".repeat(100_000));
const writeInTransaction = () => db.transaction(write);

function failure(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error("It did not fail");
}

test.for<[string, RegExp, () => void]>([
  ["the database file is removed", /a\.db: the file was removed or replaced/, () => rmSync(file)],
  [
    "another file takes the database's place",
    /a\.db: the file was removed or replaced/,
    () => {
      renameSync(file, `${file}.old`);
      writeFileSync(file, "");
    },
  ],
  ["the WAL is removed", /a\.db-wal: the file was removed or replaced/, () => rmSync(`${file}-wal`)],
  ["the WAL is cut", /a\.db-wal: the file was cut/, () => truncateSync(`${file}-wal`, 4096)],
  ["the WAL is cut to nothing", /a\.db-wal: the file was cut/, () => truncateSync(`${file}-wal`)],
])("nothing is written once %s", ([, words, damage]) => {
  writeInTransaction();
  writeInTransaction();
  damage();
  const error = failure(writeInTransaction);
  expect(isLost(error)).toBe(true);
  expect(error.message).toMatch(words);
});

test("nothing is written once the database file is cut", () => {
  writeInTransaction();
  db.all("PRAGMA wal_checkpoint(PASSIVE)");
  writeInTransaction();
  truncateSync(file, statSync(file).size - 4096);
  expect(failure(writeInTransaction).message).toMatch(/a\.db: the file was cut/);
});

test("a checkpoint that empties the WAL is no damage", () => {
  writeInTransaction();
  const other = new Database(file);
  other.all("PRAGMA wal_checkpoint(TRUNCATE)");
  other.close();
  expect(statSync(`${file}-wal`).size).toBe(0);
  writeInTransaction();
});

test("nothing is read any more from a file that was lost, not even when it is back", () => {
  writeInTransaction();
  const reader = new Database(file, { readOnly: true });
  const read = () => reader.get("SELECT count(*) AS n FROM state");
  read();
  renameSync(file, `${file}.old`);
  const later = performance.now() + 1_000;
  vi.spyOn(performance, "now").mockReturnValue(later);
  for (let i = 0; i < 3; i++) expect(isLost(failure(read))).toBe(true);
  renameSync(`${file}.old`, file);
  expect(isLost(failure(read))).toBe(true);
  expect(isLost(failure(() => reader.latestVersion))).toBe(true);
  reader.close();
});

test("a WAL that is cut to nothing is not reported as damage, even by the first read after it", () => {
  writeInTransaction();
  const reader = new Database(file, { readOnly: true, cacheMb: 2 });
  reader.get("SELECT count(*) AS n FROM state");
  truncateSync(`${file}-wal`);
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
  const error = failure(() => reader.get("SELECT value FROM state WHERE key = 'a'"));
  expect(error.message).toMatch(/a\.db-wal: the file was cut/);
  expect(isUnavailable(error)).toBe(true);
  reader.close();
});

test("a read that fails as damaged is tried again, and named if it fails twice", () => {
  const sql = "SELECT count(*) AS n FROM state";
  const malformed = Object.assign(new Error("database disk image is malformed"), { errcode: 11 });
  const get = vi.spyOn(db.prepared(sql), "get").mockImplementationOnce(() => {
    throw malformed;
  });
  expect(db.get(sql)).toEqual({ n: 0 });
  get.mockImplementation(() => {
    throw malformed;
  });
  const error = failure(() => db.get(sql));
  expect(error.message).toMatch(/a\.db: the file is damaged, or the disk fails to read it: .*code 11/);
  expect([isUnavailable(error), isUnreadable(error)]).toEqual([false, true]);
});

test("a full disk is named, keeps what was stored, and passes", () => {
  writeInTransaction();
  const pages = db.get<{ page_count: number }>("PRAGMA page_count")!.page_count;
  db.all(`PRAGMA max_page_count = ${pages}`);
  const fill = () =>
    db.transaction(() => {
      for (let i = 0; i < 100; i++) {
        db.run("INSERT INTO state (key, value) VALUES (?, ?)", `key ${i}`, "x".repeat(10_000));
      }
    });
  const error = failure(fill);
  expect(error.message).toBe(`${file}: the disk is full (database or disk is full, SQLite's code 13)`);
  expect(isUnavailable(error)).toBe(true);
  expect(db.get("SELECT count(*) AS n FROM state WHERE key LIKE 'key %'")).toEqual({ n: 0 });
  db.all("PRAGMA max_page_count = 1000000");
  fill();
});

test("a damaged file is named, and does not pass", () => {
  db.close();
  writeFileSync(file, "This is no database. ".repeat(1000));
  const error = failure(() => new Database(file));
  expect(error.message).toMatch(
    /a\.db: is damaged: restore a backup, or fill a new database \(file is not a/,
  );
  expect(isUnavailable(error)).toBe(false);
  rmSync(file);
  db = new Database(file);
});

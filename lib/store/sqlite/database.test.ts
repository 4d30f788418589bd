import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { dialects } from "#lib/store/statement.ts";
import { Database } from "./database.ts";
import { toAny } from "./encoding.ts";

test("memory for pages of the file has the limit that is asked for, and SQLite's own at least", () => {
  const limitOf = (cacheMb?: number) =>
    new Database(":memory:", { cacheMb }).prepared("PRAGMA cache_size").get()?.cache_size;
  // A negative number counts KiB (sqlite.org/pragma.html#pragma_cache_size).
  expect(limitOf(8)).toBe(-8192);
  expect(limitOf(0)).toBe(-2048);
  expect(limitOf()).toBe(-65536);
});

test("a file of another program is refused, and nothing in it is changed", () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-foreign-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "other.db");
  using other = new DatabaseSync(file);
  other.exec("CREATE TABLE blocks (id INTEGER)");
  const before = readFileSync(file);
  expect(() => new Database(file)).toThrow(`${file}: is not a database of this service`);
  expect(readFileSync(file)).toEqual(before);
});

test("sums of two numbers are exact around 62 and 63 bits and above", () => {
  const database = new Database(":memory:");
  const sum = database.prepared(`SELECT CAST(${dialects.sqlite.add("?1", "?2")} AS TEXT) AS sum`);
  const numbers = [0n, 1n, 62n, 63n, 64n, 127n]
    .flatMap((bits) => [2n ** bits - 1n, 2n ** bits])
    .flatMap((number) => [number, -number]);
  for (const a of numbers) {
    for (const b of numbers) expect(sum.get(toAny(a), toAny(b))).toEqual({ sum: String(a + b) });
  }
});

test("sums of many numbers are exact around 31, 62 and 63 bits and above, and of none 0", () => {
  const database = new Database(":memory:");
  database.run("CREATE TABLE numbers (value ANY) STRICT");
  const add = database.prepared("INSERT INTO numbers VALUES (?)");
  const { sum, total } = dialects.sqlite;
  const sumOf = (numbers: bigint[]) => {
    database.run("DELETE FROM numbers");
    for (const number of numbers) add.run(toAny(number));
    return database.get(`SELECT ${sum("value")} AS sum, typeof(${total("value")}) AS type FROM numbers`);
  };
  expect(sumOf([])).toEqual({ sum: "0", type: "integer" });
  for (const bits of [31n, 32n, 61n, 62n, 63n, 64n, 127n]) {
    for (const number of [2n ** bits - 1n, 2n ** bits, 2n ** bits + 1n]) {
      const lists = [
        [number],
        [number, number],
        [-number, 3n, -number],
        [1n, number, 7n, number, number - 2n],
      ];
      for (const numbers of lists) {
        const exact = numbers.reduce((a, b) => a + b);
        const type = exact < 2n ** 63n && exact > -(2n ** 63n) ? "integer" : "text";
        expect(sumOf(numbers)).toEqual({ sum: String(exact), type });
      }
    }
  }
});

test("a long transaction leaves its pages in the WAL, and a short one has them copied", async () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-checkpoints-"));
  let time = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => time);
  try {
    const database = new Database(join(folder, "a.db"));
    database.run("CREATE TABLE pages (page BLOB)");
    const transactionOf = async (seconds: number, pages: number) => {
      await database.transactionAsync(async () => {
        database.run("INSERT INTO pages VALUES (zeroblob(? * 4096))", pages);
        time += seconds * 1000;
      });
      const { log, checkpointed } = database.prepared("PRAGMA wal_checkpoint(NOOP)").get()!;
      return Number(log) - Number(checkpointed);
    };
    expect(await transactionOf(10, 17_000)).toBeGreaterThan(17_000);
    expect(await transactionOf(1, 1)).toBe(0);
    database.close();
  } finally {
    clock.mockRestore();
    rmSync(folder, { recursive: true });
  }
});

test("a snapshot has one version to its end, and the next one has another if something was written", () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-snapshots-"));
  try {
    const writer = new Database(join(folder, "aqs.db"));
    writer.run("CREATE TABLE numbers (number INTEGER)");
    const reader = new Database(join(folder, "aqs.db"), { readOnly: true });
    const [begun, ended] = reader.snapshot(() => {
      const before = reader.dataVersion;
      writer.run("INSERT INTO numbers VALUES (1)");
      expect(reader.all("SELECT number FROM numbers")).toEqual([]);
      return [before, reader.dataVersion];
    });
    expect(ended).toBe(begun);
    expect(reader.snapshot(() => reader.dataVersion)).not.toBe(begun);
    expect(reader.dataVersion).not.toBe(begun);
    reader.close();
    writer.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

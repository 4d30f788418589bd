import { expect, test } from "vitest";
import { Database } from "./database.ts";

test("memory for pages of the file has the limit that is asked for, and SQLite's own at least", () => {
  const limitOf = (cacheMb?: number) =>
    new Database(":memory:", { cacheMb }).prepared("PRAGMA cache_size").get()?.cache_size;
  // A negative number counts KiB (sqlite.org/pragma.html#pragma_cache_size).
  expect(limitOf(8)).toBe(-8192);
  expect(limitOf(0)).toBe(-2048);
  expect(limitOf()).toBe(-65536);
});

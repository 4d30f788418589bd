import { expect, test } from "vitest";
import { statement, statementWith, valuesOf } from "./statement.ts";

const HOLDERS = statementWith(["token", "limit", "size?"])({
  sqlite: "SELECT 1 WHERE $size > 0 AND $token = $token LIMIT CAST($limit AS bigint)",
  postgres: "SELECT 1 WHERE $token = $token LIMIT CAST($limit AS bigint)",
});

test("names become the numbers of their values in each engine, and equal names share one", () => {
  const given = HOLDERS({ limit: 10, size: 3, token: "a" });
  expect(given.sqlite).toBe("SELECT 1 WHERE ?3 > 0 AND ?1 = ?1 LIMIT CAST(?2 AS bigint)");
  expect(valuesOf(given, "sqlite")).toEqual(["a", 10, 3]);
  expect(given.postgres).toBe("SELECT 1 WHERE $1 = $1 LIMIT CAST($2 AS bigint)");
  expect(valuesOf(given, "postgres")).toEqual(["a", 10]);
});

test("a text that names another value, or not a listed one, is refused", () => {
  expect(() => statementWith(["height"])("SELECT $hieght")).toThrow(/listed .*height/s);
  expect(() => statementWith(["height", "limit"])("SELECT $height")).toThrow(/listed .*limit/s);
  expect(() => statementWith(["height", "limit?"])("SELECT $height")).not.toThrow();
  expect(() => statement("SELECT $1")).toThrow(/listed .*1/s);
});

test("a bare value after LIMIT, by which SQLite would plan each call anew, is refused", () => {
  expect(() => statementWith(["limit"])("SELECT 1 LIMIT $limit")).toThrow(/Write LIMIT CAST/);
});

test("the compiler refuses a missing and a misspelt value, and a missing one is never NULL", () => {
  // @ts-expect-error: `limit` is missing.
  expect(() => valuesOf(HOLDERS({ token: "a", size: 1 }), "postgres")).toThrow(/limit/);
  // @ts-expect-error: `tokne` is no value of the statement.
  expect(() => valuesOf(HOLDERS({ tokne: "a", limit: 1 }), "postgres")).toThrow(/token/);
  expect(() => valuesOf(HOLDERS({ token: "a", limit: 1 }), "sqlite")).toThrow(/size/);
  expect(valuesOf(HOLDERS({ token: null, limit: 1 }), "postgres")).toEqual([null, 1]);
});

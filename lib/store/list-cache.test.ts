import { expect, test } from "vitest";
import { listCache } from "./list-cache.ts";

const keysAfter = (count: number, keyLength: number, rows: number) => {
  const cache = listCache((list: object[]) => list.length);
  const list = Array.from({ length: rows }, () => ({}));
  for (let i = 0; i < count; i++) cache.set(String(i).padEnd(keyLength, "x"), list);
  return [...cache.keys()];
};

test("lists without rows are limited by their number, and by what their keys hold", () => {
  expect(keysAfter(100_000, 10, 0)).toHaveLength(40_000);
  const long = keysAfter(1_000, 100_000, 0);
  expect(long.reduce((sum, key) => sum + key.length, 0)).toBeLessThan(15_000_000);
  expect(long.at(0)).toMatch(/^999x/);
});

test("the lists used last stay, as many as have 200,000 rows together", () => {
  expect(keysAfter(30, 10, 10_000)).toHaveLength(19);
});

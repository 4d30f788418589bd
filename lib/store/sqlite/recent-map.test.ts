import { expect, test } from "vitest";
import { RecentMap } from "./recent-map.ts";

test("finds what was set lately", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("c", 3);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([1, 2, 3]);
});

test("forgets what was neither set nor asked for in two generations", () => {
  const map = new RecentMap<number, number>(2);
  for (let key = 0; key < 6; key++) {
    map.set(key, key);
    map.get(0);
  }
  expect(map.get(0)).toBe(0);
  expect(map.get(1)).toBeUndefined();
});

test("keeps no more than two generations, by weight; finding moves to the young one", () => {
  const map = new RecentMap<number, string>(10, (text) => text.length);
  for (let key = 0; key < 100; key++) map.set(key, "x".repeat(4));
  expect(Array.from({ length: 100 }, (_, key) => key).filter((key) => map.get(key) !== undefined)).toEqual([
    96, 98, 99,
  ]);
});

test("does not keep what alone is too heavy", () => {
  const map = new RecentMap<string, string>(3, (text) => text.length);
  map.set("light", "abc");
  map.set("heavy", "abcd");
  expect(map.get("heavy")).toBeUndefined();
  expect(map.get("light")).toBe("abc");
});

test("is empty once cleared", () => {
  const map = new RecentMap<string, number>(1);
  map.set("a", 1);
  map.set("b", 2);
  map.clear();
  expect([map.get("a"), map.get("b")]).toEqual([undefined, undefined]);
});

import { expect, test } from "vitest";
import { storedVisits, storedWatches, type Visit, withLatest, withVisit } from "./visits.ts";

const HOUR = 3_600_000;
const visit = (address: string, height: number, time: number): Visit => ({
  address,
  height,
  time,
  hash: `0x${String(height).padStart(64, "0")}`,
});
const before = (list: Visit[]) => list[0]?.before?.height;

test("the visit before is the one that ended at least half an hour ago", () => {
  const first = withVisit([], visit("ann", 10, 0));
  expect(before(first)).toBeUndefined();
  const reloaded = withVisit(first, visit("ann", 11, HOUR / 4));
  expect(before(reloaded)).toBeUndefined();
  const later = withVisit(reloaded, visit("ann", 50, 5 * HOUR));
  expect(before(later)).toBe(11);
  const laterReloaded = withVisit(later, visit("ann", 51, 5.2 * HOUR));
  expect(before(laterReloaded)).toBe(11);
  expect(before(withVisit(laterReloaded, visit("ann", 90, 9 * HOUR)))).toBe(51);
});

test("fifty addresses are stored, each once, and read back unchanged", () => {
  let list: Visit[] = [];
  for (let at = 0; at < 60; at += 1) list = withVisit(list, visit(`address ${at}`, at, at));
  list = withVisit(list, visit("address 30", 70, 70 * HOUR));
  expect(list).toHaveLength(50);
  expect(list[0]).toMatchObject({ address: "address 30", height: 70, before: { height: 30 } });
  expect(list.filter(({ address }) => address === "address 30")).toHaveLength(1);
  expect(storedVisits.parse(JSON.stringify(list))).toEqual(list);
});

test("invalid stored text has no visits", () => {
  expect(storedVisits.parse(null)).toEqual([]);
  for (const stored of [
    "{",
    "{}",
    "[null, 1]",
    '[{"address":"a","height":1,"time":1,"hash":"javascript:"}]',
  ]) {
    expect(storedVisits.parse(stored)).toEqual([]);
  }
});

test("a stored visit that no page could show or send is left out, and so is a second one of an address", () => {
  const first = visit("ann", 1, 8_640_000_000_000_000);
  const others = [
    ...[visit("bob", 1, 8_640_000_000_000_001), visit("bob", 1, -1), visit("bob", -5, 1)],
    ...[visit("", 1, 1), visit("bob,cay", 1, 1), visit("b".repeat(2_001), 1, 1), visit("ann", 2, 2)],
    { ...visit("bob", 1, 1), before: visit("bob", 1, 8_640_000_000_000_001) },
  ];
  expect(storedVisits.parse(JSON.stringify([first, ...others]))).toEqual([first]);
});

test("a watched address keeps its place with a later visit, and strangers' watches are left out", () => {
  const watch = (address: string, height: number, valueUsd: string | null) => ({
    ...visit(address, height, height),
    valueUsd,
  });
  const list = [watch("ann", 1, "5"), watch("bob", 1, null)];
  expect(withLatest(list, watch("bob", 9, "7"))).toEqual([list[0], watch("bob", 9, "7")]);
  expect(withLatest(list, watch("cay", 9, "7"))).toEqual(list);
  expect(storedWatches.parse(JSON.stringify(list))).toEqual(list);
  for (const valueUsd of ["-1", "1.5", "9".repeat(61), {}, undefined]) {
    expect(storedWatches.parse(JSON.stringify([{ ...list[0], valueUsd }]))).toEqual([]);
  }
});

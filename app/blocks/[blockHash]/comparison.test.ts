import { expect, test } from "vitest";
import { compareChanges, difference, differenceUsd } from "./comparison.ts";

const change = (id: string, amount: bigint, amountUsd = 0n) => ({
  amount: String(amount),
  amountUsd: String(amountUsd),
  asset: { id, name: id, icon: "", symbol: id, decimals: 8, standard: "udt", tags: [] },
});

test("assets are new, gone, changed or unchanged, the largest difference in value first", () => {
  const there = [change("same", 5n, 7n), change("gone", 1n), change("less", 9n, 90n), change("more", 1n, 1n)];
  const here = [
    change("new", 3n, 5n),
    change("same", 5n, 7n),
    change("newer", 2n ** 130n, 6n),
    change("more", 2n, 2n),
    change("less", 4n, 40n),
  ];
  const { groups, unchanged } = compareChanges(there, here, 10);
  const ids = (kind: keyof typeof groups) => groups[kind].rows.map(({ asset }) => asset.id);
  expect([ids("added"), ids("gone"), ids("changed"), unchanged]).toEqual([
    ["newer", "new"],
    ["gone"],
    ["less", "more"],
    1,
  ]);
  expect(groups.changed.rows.map((row) => [difference(row), differenceUsd(row)])).toEqual([
    [-5n, -50n],
    [1n, 1n],
  ]);
  expect(difference(groups.added.rows[0]!)).toBe(2n ** 130n);
  expect(difference(groups.gone.rows[0]!)).toBe(-1n);
});

test("an asset with another price is changed", () => {
  const { groups, unchanged } = compareChanges([change("a", 5n, 7n)], [change("a", 5n, 8n)], 10);
  expect([groups.changed.total, unchanged]).toEqual([1, 0]);
});

test("the largest few of each kind are listed, and all are counted", () => {
  const here = Array.from({ length: 30 }, (_, at) => change(`new ${at}`, 1n, BigInt(at)));
  const { added } = compareChanges([], here, 2).groups;
  expect(added.total).toBe(30);
  expect(added.rows.map(({ asset }) => asset.id)).toEqual(["new 29", "new 28"]);
});

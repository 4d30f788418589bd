import { expect, test } from "vitest";
import { firstId, transactionId } from "#lib/store/transaction-id.ts";
import { blocksAtOnce, retractionOf } from "./revert.ts";
import type { OutputRow } from "./rows.ts";

const output = (id: number, spentBy: number | null): OutputRow => ({
  transactionId: id,
  outputIndex: 0,
  addressKey: "0x01",
  assetId: "0x02",
  amount: null,
  capacity: 1n,
  kind: "",
  spentBy,
  spentInput: spentBy === null ? null : 0,
});

test("full blocks are reverted a few at a time, and each at least by itself", () => {
  const countOf = (...sizes: number[]) =>
    blocksAtOnce(sizes.map((transactions) => ({ transactions }))).length;
  expect(countOf(3, 2, 1)).toBe(3);
  expect(countOf(4_000, 4_000, 4_000, 1)).toBe(2);
  expect(countOf(20_000, 1)).toBe(1);
});

test("blocks that are reverted revive what is older, end what is live, and leave what they made and spent", () => {
  const first = firstId(7);
  const older = output(transactionId(6, 3), first);
  const outside = [output(-2, first), output(-2, first + 1)];
  const live = output(first, null);
  const passing = output(first, transactionId(8, 0));
  const blocks = [8, 7].map((height) => ({ height, hash: `0x${height}` }));
  expect(retractionOf(blocks, [live, passing], [older, ...outside, passing])).toEqual({
    live: [live],
    revived: [older],
    outside: [-2],
  });
});

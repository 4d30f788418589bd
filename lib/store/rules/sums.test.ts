import { expect, test } from "vitest";
import { Sums } from "./sums.ts";

const NATIVE = "0x00";
const TOKEN = "0x01";

test("an output counts for its token and, with its capacity, for the native asset", () => {
  const sums = new Sums(NATIVE);
  sums.add({ addressKey: "0xaabbccddee", assetId: TOKEN, amount: 5n, capacity: 100n, kind: "" });
  sums.add({ addressKey: "0xaabbccddee", assetId: NATIVE, amount: null, capacity: 30n, kind: "plain" });
  const supplies = sums.tokens().map(({ assetId, supply }) => [assetId, supply]);
  expect(supplies).toEqual([
    [NATIVE, 130n],
    [TOKEN, 5n],
  ]);
  expect(sums.holdings()).toEqual([
    {
      addressKey: "0xaabbccddee",
      keyStart: "0xaabbccdd",
      assetId: TOKEN,
      count: 1,
      amount: 5n,
      capacity: 100n,
    },
    {
      addressKey: "0xaabbccddee",
      keyStart: "0xaabbccdd",
      assetId: NATIVE,
      count: 1,
      amount: 30n,
      capacity: 30n,
    },
  ]);
});

test("outputs of the native asset that are not plain count for their kind, too", () => {
  const sums = new Sums(NATIVE);
  const held = { addressKey: "0xaa", assetId: NATIVE, amount: null };
  for (const kind of ["dao@7", "dao@8", "plain", "", "", "code"]) sums.add({ ...held, capacity: 3n, kind });
  sums.add({ addressKey: "0xaa", assetId: TOKEN, amount: 1n, capacity: 9n, kind: "" });
  sums.remove({ ...held, capacity: 2n, kind: "dao@9" });
  sums.remove({ ...held, capacity: 3n, kind: "code" });
  expect(sums.kinds()).toEqual([
    { addressKey: "0xaa", kind: "dao", count: 1, capacity: 4n },
    { addressKey: "0xaa", kind: "", count: 2, capacity: 6n },
  ]);
});

test("what comes and goes within the blocks changes no holding", () => {
  const sums = new Sums(NATIVE);
  const held = { addressKey: "0xaa", assetId: TOKEN, amount: 5n, capacity: 100n, kind: "" };
  sums.add(held);
  sums.remove(held);
  expect(sums.holdings()).toEqual([]);
});

test("an asset is first seen and first minted at the lowest height, whatever the order of blocks", () => {
  const sums = new Sums(NATIVE);
  for (const height of [5, 3, 4]) sums.see(TOKEN, height);
  for (const height of [4, 9]) sums.mint(TOKEN, height);
  expect(sums.tokens()).toEqual([
    { assetId: NATIVE, supply: 0n, outputs: 0, firstHeight: 3, firstMint: null },
    { assetId: TOKEN, supply: 0n, outputs: 0, firstHeight: 3, firstMint: 4 },
  ]);
});

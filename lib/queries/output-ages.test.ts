import { describe, expect, test } from "vitest";
import { outputAges } from "#lib/queries/output-ages.ts";
import { priceAt } from "#lib/queries/prices.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { at, keyOf } from "#lib/testing/ledger.ts";

import { describeEngines, feed, ledger, nft, store, usd } from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("the ages of an address's live outputs", () => {
    test("are counted by equally long ranges of heights, from the oldest one to the tip", async () => {
      const ages = (ranges: number) => store.query(outputAges, { addressKey: keyOf("ann"), ranges });
      expect(await ages(4)).toEqual([]);
      ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
      const first = ledger.block([{ create: [{ to: "ann" }, { to: "ann", token: usd }] }]);
      for (let height = 2; height < 9; height += 1) ledger.block();
      ledger.block([{ spend: [at(ledger.blocks[0]!, 0, 0)], create: [{ to: "ann" }] }]);
      ledger.block();
      await feed(store, ledger.blocks);
      expect(first.height).toBe(1);
      expect(await ages(4)).toEqual([
        { from: 1, to: 3, count: 2 },
        { from: 4, to: 6, count: 0 },
        { from: 7, to: 9, count: 1 },
        { from: 10, to: 10, count: 0 },
      ]);
      expect(await ages(1)).toEqual([{ from: 1, to: 10, count: 3 }]);
      expect((await ages(100))?.map(({ count }) => count)).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 1, 0]);
      expect(await store.query(outputAges, { addressKey: keyOf("nobody"), ranges: 4 })).toEqual([]);
    });
  });

  test("the price of an asset at a time is the last one that had come into force", async () => {
    const price = (time: number, usdUnits: bigint) => ({ assetId: usd.id, time, usd: usdUnits });
    await store.write(loadPrices, [price(1_000, 7n), price(2_000, 10n ** 30n)]);
    expect(await store.query(priceAt, { assetId: usd.id, time: 999 })).toBeNull();
    expect(await store.query(priceAt, { assetId: usd.id, time: 1_999 })).toEqual({ usd: "7", time: 1_000 });
    expect(await store.query(priceAt, { assetId: usd.id, time: 2_000 })).toEqual({
      usd: String(10n ** 30n),
      time: 2_000,
    });
    for (const other of [nft.id, "", "\0"])
      expect(await store.query(priceAt, { assetId: other, time: 9_000 })).toBeNull();
  });
});

import { describe, expect, test } from "vitest";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { blockOverview } from "#lib/queries/block-overview.ts";
import { blockHashAt, blockHeader } from "#lib/queries/chain.ts";
import { dataExamples } from "#lib/queries/examples.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { hashOf, keyOf, native, tokenOf } from "#lib/testing/ledger.ts";

import { describeEngines, feed, ledger, nft, store, U128_MAX, usd } from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("what the pages show", () => {
    test("a block has its neighbours, tags with counts and the value of its priced changes", async () => {
      const first = ledger.block();
      const second = ledger.block([
        {
          create: [
            { to: "ann", token: usd, amount: 4n },
            { to: "ann", token: nft },
            { to: "ann", token: tokenOf("nothing"), amount: 0n },
          ],
        },
      ]);
      const third = ledger.block();
      await feed(store, ledger.blocks);
      await store.write(replaceRegistry, [
        { id: usd.id, tags: ["stable", "x"] },
        { id: native.id, tags: ["x"] },
      ]);
      await store.write(loadPrices, [{ assetId: usd.id, time: 0, usd: 10n ** 18n }]);
      expect(await store.query(blockOverview, second.hash)).toEqual({
        height: 1,
        hash: second.hash,
        parentHash: first.hash,
        timestamp: second.timestamp,
        transactionCount: 1,
        assetCount: 4,
        pricedCount: 1,
        unpricedCount: 2,
        volumeUsd: "400000000",
        tags: [
          { tag: "x", count: 2, volumeUsd: "400000000" },
          { tag: "stable", count: 1, volumeUsd: "400000000" },
        ],
        nextHash: third.hash,
        parentIndexed: true,
        tip: { height: 2, hash: third.hash },
      });
      expect(await store.query(blockOverview, hashOf("none"))).toBeNull();
      const { timestamp } = second;
      expect(await store.query(blockHeader, second.hash)).toEqual({
        height: 1,
        hash: second.hash,
        timestamp,
      });
      expect(await store.query(blockHeader, hashOf("none"))).toBeNull();
      expect(await store.query(blockHashAt, 2)).toBe(third.hash);
      expect(await store.query(blockHashAt, 3)).toBeNull();
    });

    test("an address has what it holds of each asset", async () => {
      const block = ledger.block([
        {
          create: [{ to: "ann" }, { to: "ann", capacity: 50n }, { to: "ann", token: usd, amount: U128_MAX }],
        },
        { create: [{ to: "ann", token: usd, amount: U128_MAX, capacity: 1n }] },
      ]);
      await feed(store, [block]);
      const overview = await store.query(addressOverview, { addressKey: keyOf("ann"), limit: 10 });
      expect(overview).toMatchObject({ outputCount: 4, capacity: "251", tokenCount: 2 });
      expect(
        overview.holdings.map((held) => [held.token.id, held.amount, held.capacity, held.outputCount]),
      ).toEqual([
        [usd.id, (2n * U128_MAX).toString(), "101", 2],
        [native.id, "150", "150", 2],
      ]);
    });

    test("examples are the busiest of the recent addresses and blocks", async () => {
      const busy = ledger.block([{ create: [{ to: "ann" }, { to: "ann", token: usd }, { to: "bob" }] }]);
      ledger.block([{ create: [{ to: "bob" }] }]);
      await feed(store, ledger.blocks);
      const examples = await store.query(dataExamples, 1);
      expect(examples).toEqual({
        transactions: [ledger.blocks[1]!.transactions.at(-1)!.hash],
        addresses: [{ text: "address-of-ann", outputs: 2 }],
        blocks: [{ height: 0, hash: busy.hash, assetCount: 2, transactionCount: 1 }],
        assets: [native.id],
      });
    });
  });
});

import { describe, expect, test } from "vitest";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { accessTokenByHash, createAccessToken } from "#lib/queries/access-tokens.ts";
import { abandonedBlock } from "#lib/queries/chain.ts";
import { dataCoverage } from "#lib/queries/coverage.ts";
import { adoptOperatorData, operatorData } from "#lib/queries/operator-data.ts";
import { pricesAfter } from "#lib/queries/prices.ts";
import { storedBlock } from "#lib/queries/stored.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { hashOf, Ledger, native } from "#lib/testing/ledger.ts";

import { claimOf, describeEngines, feed, ledger, open, store, usd } from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("what a copy needs", () => {
    test("is everything that the operator made, and goes into another database as it is", async () => {
      const block = ledger.block([{ create: [{ to: "ann", token: usd }], claims: [claimOf(usd.id)] }]);
      const abandoned = ledger.fork(0, "gone").block();
      await feed(store, [block, abandoned]);
      await store.write(revertTo, 0);
      await store.write(replaceRegistry, [{ id: usd.id, name: "Dollar", tags: ["b", "a"] }]);
      const prices = [1, 2, 3].map((time) => ({ assetId: usd.id, time, usd: BigInt(time) }));
      await store.write(loadPrices, prices);
      const token = {
        id: "t1",
        name: "ci",
        scopes: ["utxos:read" as const],
        createdAt: 1,
        expiresAt: 9,
        revokedAt: null,
        ratePerMinute: null,
      };
      const hash = Buffer.from(hashOf("secret").slice(2), "hex");
      await store.record(createAccessToken, { ...token, hint: "abcd", hash });

      const data = await store.query(operatorData);
      expect(data.abandonedBlocks).toEqual([{ height: 1, hash: abandoned.hash, parentHash: block.hash }]);
      expect(data.registry).toEqual([{ id: usd.id, name: "Dollar", tags: ["b", "a"] }]);
      expect((await store.query(storedBlock, 0)).transactions[0]!.claims).toEqual([claimOf(usd.id)]);
      expect(await store.query(pricesAfter, { price: null, limit: 2 })).toEqual(prices.slice(0, 2));
      expect(await store.query(pricesAfter, { price: prices[1]!, limit: 2 })).toEqual(prices.slice(2));

      const copy = await open();
      try {
        await adoptOperatorData(copy, data);
        expect(await copy.query(operatorData)).toEqual(data);
        expect(await copy.query(accessTokenByHash, hash)).toEqual({ ...token, hint: "abcd" });
      } finally {
        await copy.close();
      }
    });

    test("lists no block as abandoned that the copy still has", async () => {
      const block = ledger.block();
      const reverted = ledger.block();
      await feed(store, [block, reverted]);
      await store.write(revertTo, 0);
      const copy = await open();
      try {
        await feed(copy, [block, reverted]);
        await adoptOperatorData(copy, await store.query(operatorData));
        expect(await verifyStore(copy)).toEqual([]);
        expect(await copy.write(revertTo, 0)).toBe(1);
        expect(await copy.query(abandonedBlock, reverted.hash)).toMatchObject({
          height: 1,
          replacedBy: null,
        });
      } finally {
        await copy.close();
      }
    });

    test("covers what is indexed, and how many assets have prices", async () => {
      const nothing = { tip: null, lowestHeight: null, tokens: 0, pricedAssets: 0, listsAssets: false };
      expect(await store.query(dataCoverage)).toEqual(nothing);
      const later = new Ledger("later", [], 5);
      later.block([{ create: [{ to: "ann", token: usd }] }]);
      await feed(store, later.blocks);
      await store.write(
        loadPrices,
        [native.id, native.id, usd.id].map((assetId, time) => ({ assetId, time, usd: 1n })),
      );
      const tip = { height: 5, hash: later.tip!.hash, coverage: "5" };
      const covered = { tip, lowestHeight: 5, tokens: 2, pricedAssets: 2 };
      expect(await store.query(dataCoverage)).toEqual({ ...covered, listsAssets: false });
      await store.write(replaceRegistry, [{ id: usd.id }]);
      expect(await store.query(dataCoverage)).toEqual({ ...covered, listsAssets: true });
    });
  });
});

import { describe, expect, test } from "vitest";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { keyOf, native, tokenOf } from "#lib/testing/ledger.ts";

import { describeEngines, feed, ledger, nft, store, U128_MAX, usd } from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("the value of an address", () => {
    const priceOf = (assetId: string, time: number, dollars: bigint) => ({
      assetId,
      time,
      usd: dollars * 10n ** 18n,
    });

    test("sums its holdings at the latest prices as of the tip, and counts what has none", async () => {
      const block = ledger.block(
        [
          {
            create: [
              { to: "ann", capacity: 3n * 10n ** 8n },
              { to: "ann", token: usd, amount: U128_MAX },
              { to: "ann", token: nft },
            ],
          },
        ],
        10_000,
      );
      await feed(store, [block]);
      expect(await store.query(addressOverview, { addressKey: keyOf("ann"), limit: 10 })).toMatchObject({
        valueUsd: "0",
        unpricedCount: 3,
      });
      await store.write(replaceRegistry, [{ id: usd.id, decimals: 6 }]);
      await store.write(loadPrices, [
        priceOf(native.id, 5_000, 7n),
        priceOf(native.id, 10_000, 2n),
        priceOf(native.id, 10_001, 9n),
        priceOf(usd.id, 1, 1n),
        priceOf(nft.id, 10_001, 1n),
      ]);
      const value = 3n * 2n * 10n ** 8n + U128_MAX * 100n;
      // The sums do not depend on how many holdings are listed.
      for (const limit of [0, 10]) {
        expect(await store.query(addressOverview, { addressKey: keyOf("ann"), limit })).toMatchObject({
          valueUsd: value.toString(),
          unpricedCount: 1,
        });
      }
      expect(await store.query(addressOverview, { addressKey: keyOf("nobody"), limit: 10 })).toMatchObject({
        valueUsd: "0",
        unpricedCount: 0,
      });
    });

    test("lists holdings by value, then those without a price by their outputs, a page at a time", async () => {
      const worthless = tokenOf("worthless");
      const common = tokenOf("common");
      const block = ledger.block(
        [
          {
            create: [
              { to: "ann", capacity: 3n },
              { to: "ann", token: nft, capacity: 500n },
              { to: "ann", token: common, capacity: 7n },
              { to: "ann", token: common, capacity: 7n },
              { to: "ann", token: worthless, amount: U128_MAX, capacity: 100n },
              { to: "ann", token: usd, amount: 2n, capacity: 20n },
              { to: "bob", token: usd },
            ],
          },
        ],
        10_000,
      );
      await feed(store, [block]);
      await store.write(replaceRegistry, [
        { id: usd.id, decimals: 77, name: "Dollar of Ö", symbol: "USd" },
        { id: common.id, name: "100% common" },
      ]);
      await store.write(loadPrices, [
        priceOf(usd.id, 9_000, 10n ** 77n),
        priceOf(native.id, 9_999, 4n),
        { assetId: worthless.id, time: 1, usd: 0n },
        priceOf(nft.id, 10_001, 1n),
      ]);
      const all = await store.query(addressOverview, { addressKey: keyOf("ann"), limit: 10 });
      expect(all).toMatchObject({
        capacity: "637",
        tokenCount: 5,
        matchCount: 5,
        valueUsd: (2n * 10n ** 8n + 12n).toString(),
        unpricedCount: 2,
      });
      expect(
        all.holdings.map((held) => [held.token.id, held.valueUsd, held.price?.time, held.outputCount]),
      ).toEqual([
        [usd.id, (2n * 10n ** 8n).toString(), 9_000, 1],
        [native.id, "12", 9_999, 1],
        [worthless.id, "0", 1, 1],
        [common.id, null, undefined, 2],
        [nft.id, null, undefined, 1],
      ]);
      expect(all.holdings[0]).toMatchObject({ amount: "2", capacity: "20", token: { symbol: "USd" } });
      expect(all.holdings[0]?.price?.usd).toBe((10n ** 95n).toString());

      const page = await store.query(addressOverview, { addressKey: keyOf("ann"), offset: 1, limit: 2 });
      expect(page.holdings.map(({ token }) => token.id)).toEqual([native.id, worthless.id]);
      expect(page).toMatchObject({ matchCount: 5, valueUsd: all.valueUsd });

      const found = async (search: string) => {
        const { holdings, matchCount, tokenCount } = await store.query(addressOverview, {
          addressKey: keyOf("ann"),
          search,
          limit: 1,
        });
        expect(tokenCount).toBe(5);
        return [matchCount, holdings[0]?.token.id];
      };
      expect(await found("dollar OF ö")).toEqual([1, usd.id]);
      expect(await found("usD")).toEqual([1, usd.id]);
      expect(await found("0% C")).toEqual([1, common.id]);
      expect(await found(nft.id.slice(4, 40).toUpperCase())).toEqual([1, nft.id]);
      for (const nothing of ["_ollar", "%c", "nowhere", "\0", "usd\0"]) {
        expect(await found(nothing)).toEqual([0, undefined]);
      }
      expect((await found("0x"))[0]).toBe(5);
    });

    test("several addresses are summed up as one", async () => {
      const create = ["ann", "bob", "cay"].map((to) => ({ to, token: usd, amount: U128_MAX }));
      await feed(store, [ledger.block([{ create }])]);
      const addressKey = [keyOf("ann"), keyOf("bob")];
      const { outputCount, holdings } = await store.query(addressOverview, { addressKey, limit: 9 });
      expect(outputCount).toBe(2);
      expect(holdings).toMatchObject([{ amount: `${2n * U128_MAX}`, outputCount: 2 }]);
    });

    test("takes the NFTs of a collection together if that is asked for, and finds each by its collection", async () => {
      const other = tokenOf("other-nft", { fungible: false, standard: "Spore", parentId: nft.parentId });
      const lone = tokenOf("lone-nft", { fungible: false, standard: "Spore" });
      const member = tokenOf("member", { fungible: false, standard: "Spore", parentId: "0x0a" });
      const create = [nft, other, lone, member, usd].map((token) => ({
        to: "ann",
        token,
        amount: 1n,
        capacity: 10n,
      }));
      await feed(store, [ledger.block([{ create }], 10_000)]);
      await store.write(loadPrices, [priceOf(other.id, 1, 7n)]);
      const ask = (more: object) =>
        store.query(addressOverview, { addressKey: keyOf("ann"), limit: 10, ...more });
      const together = await ask({ collections: true });
      expect(together).toMatchObject({
        matchCount: 3,
        tokenCount: 5,
        unpricedCount: 4,
        valueUsd: "700000000",
      });
      expect(together.holdings[0]).toMatchObject({
        token: { parentId: nft.parentId },
        members: 2,
        amount: "2",
        capacity: "20",
        outputCount: 2,
        price: null,
        valueUsd: "700000000",
      });
      expect(together.holdings[1]).toMatchObject({ members: 2, collection: "", amount: "2", outputCount: 2 });
      const ids = (all: { holdings: { token: { id: string } }[] }) =>
        all.holdings.map(({ token }) => token.id);
      expect(ids(await ask({ unnamed: true })).toSorted()).toEqual(
        [nft, other, lone, member].map(({ id }) => id).toSorted(),
      );
      expect((await ask({})).holdings.map(({ members }) => members)).toEqual([1, 1, 1, 1, 1]);
      const found = await ask({ collections: true, search: nft.parentId });
      expect(found.holdings.map(({ token }) => token.id).toSorted()).toEqual([nft.id, other.id].toSorted());
    });

    test("is that of a past block if one is named", async () => {
      ledger.block([{ create: [{ to: "ann", capacity: 5n }] }], 10_000);
      ledger.block([{ create: [{ to: "ann", token: usd, amount: 3n, capacity: 1n }] }], 20_000);
      await feed(store, ledger.blocks);
      await store.write(loadPrices, [priceOf(native.id, 15_000, 2n)]);
      const at = (height: number) =>
        store.query(addressOverview, { addressKey: keyOf("ann"), limit: 10, at: { height } });
      expect(await at(0)).toMatchObject({
        outputCount: 1,
        capacity: "5",
        tokenCount: 1,
        unpricedCount: 1,
        asOf: { height: 0, hash: ledger.blocks[0]!.hash },
        tip: { height: 1 },
      });
      expect(await at(1)).toMatchObject({ outputCount: 2, capacity: "6", tokenCount: 2, unpricedCount: 1 });
      await expect(at(2)).rejects.toMatchObject({ code: "NOT_FOUND" });
    });
  });
});

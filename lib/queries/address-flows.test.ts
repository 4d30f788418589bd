import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressFlows } from "#lib/queries/address-flows.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { at, keyOf, Ledger, native } from "#lib/testing/ledger.ts";

import {
  describeEngines,
  feed,
  flowsByHand,
  grow,
  ledger,
  nft,
  OWNERS,
  open,
  randomChain,
  store,
  U128_MAX,
  usd,
} from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("what came to an address and left it", () => {
    /** By token, transactions and amounts that came and left. */
    const flows = async (to: string | string[], since: number, more = {}) => {
      const result = await store.query(addressFlows, {
        addressKey: [to].flat().map(keyOf),
        since,
        limit: 10,
        ...more,
      });
      return result.flows.map(({ token, came, left }) => [
        token.id,
        [came.transactionCount, came.amount],
        [left.transactionCount, left.amount],
      ]);
    };

    test("is summed up by token since a height, exactly, the token with most transactions first", async () => {
      const first = ledger.block([
        { create: [{ to: "ann", token: usd, amount: U128_MAX }, { to: "ann" }, { to: "bob" }] },
      ]);
      const second = ledger.block([
        {
          spend: [at(first, 0, 0)],
          create: [1, 2, 3].map(() => ({ to: "ann", token: usd, amount: U128_MAX })),
        },
        { create: [{ to: "ann", token: nft }] },
      ]);
      ledger.block([{ spend: [at(second, 0, 0), at(first, 0, 2)], create: [{ to: "bob", token: usd }] }]);
      expect(await flows("ann", 0)).toEqual([]);
      await feed(store, ledger.blocks);
      expect(await flows("ann", 0)).toEqual([
        [usd.id, [1, String(U128_MAX * 2n)], [1, String(U128_MAX)]],
        [nft.id, [1, "1"], [0, "0"]],
      ]);
      expect(await flows("ann", 1)).toEqual([[usd.id, [0, "0"], [1, String(U128_MAX)]]]);
      expect(await flows("ann", 2)).toEqual([]);
      expect(await flows("ann", 0, { upTo: 1 })).toEqual([
        [usd.id, [1, String(U128_MAX * 2n)], [0, "0"]],
        [nft.id, [1, "1"], [0, "0"]],
      ]);
      expect(await flows("nobody", 0)).toEqual([]);
      expect((await flows(["ann", "bob"], 0)).slice(0, 2)).toEqual([
        [usd.id, [1, String(U128_MAX * 2n)], [1, String(U128_MAX - 1n)]],
        [native.id, [0, "0"], [1, "100"]],
      ]);
      const one = await store.query(addressFlows, { addressKey: keyOf("ann"), since: 0, limit: 1 });
      expect(one).toMatchObject({ total: 2, tip: { height: 2 }, flows: { length: 1 } });
    });

    test("neither change nor what two addresses of one wallet pay each other comes or leaves", async () => {
      const first = ledger.block([
        {
          create: [
            { to: "ann", capacity: 100n },
            { to: "bob", token: nft },
          ],
        },
      ]);
      ledger.block([
        {
          spend: [at(first, 0, 0)],
          create: [
            { to: "bob", capacity: 30n },
            { to: "ann", capacity: 69n },
          ],
        },
        { spend: [at(first, 0, 1)], create: [{ to: "ann", token: nft }] },
      ]);
      await feed(store, ledger.blocks);
      expect(await flows("ann", 0)).toEqual([
        [native.id, [0, "0"], [1, "31"]],
        [nft.id, [1, "1"], [0, "0"]],
      ]);
      expect(await flows(["ann", "bob"], 0)).toEqual([[native.id, [0, "0"], [1, "1"]]]);
    });

    test("comes by net value, with the values of all that came and left", async () => {
      const first = ledger.block([{ create: [{ to: "ann", token: usd, amount: 9n }] }]);
      ledger.block([
        {
          spend: [at(first, 0, 0)],
          create: [
            { to: "ann", token: usd, amount: 7n },
            ...[1, 2, 3].map(() => ({ to: "ann", token: nft })),
            ...[1, 2].map(() => ({ to: "ann", capacity: 10n ** 8n })),
          ],
        },
      ]);
      await feed(store, ledger.blocks);
      await store.write(loadPrices, [
        { assetId: usd.id, time: 0, usd: 5n * 10n ** 18n },
        { assetId: native.id, time: 0, usd: 10n ** 18n },
      ]);
      const result = await store.query(addressFlows, { addressKey: keyOf("ann"), since: 0, limit: 1 });
      // The address gives 2 of the token, worth $5 each, and gets 7 back as change. It receives 2 of the native asset, worth $1 each.
      expect(result.flows.map(({ token }) => token.id)).toEqual([usd.id]);
      expect(result).toMatchObject({
        ...{ total: 3, unpricedCount: 1, cameUsd: String(2n * 10n ** 8n), leftUsd: String(10n * 10n ** 8n) },
      });
      const all = await store.query(addressFlows, { addressKey: keyOf("ann"), since: 0, limit: 9 });
      expect(all.flows.map(({ token }) => token.id)).toEqual([usd.id, native.id, nft.id]);
    });

    test("comes with the prices in force at the last block of the range, whichever that is now", async () => {
      for (const amount of [1n, 2n, 3n]) ledger.block([{ create: [{ to: "ann", token: usd, amount }] }]);
      ledger.block([{ create: [{ to: "ann" }] }]);
      await feed(store, ledger.blocks);
      const prices = ledger.blocks.map(({ height, timestamp }) => ({
        ...{ assetId: usd.id, time: timestamp, usd: BigInt(height) * 10n ** 18n },
      }));
      await store.write(loadPrices, prices.slice(1));
      const priced = async (upTo?: number) => {
        const query = { addressKey: keyOf("ann"), since: -1, limit: 10, upTo };
        const { last, flows } = await store.query(addressFlows, query);
        return [last?.hash, ...flows.map(({ price }) => price)];
      };
      const [first, , third, tip] = ledger.blocks.map(({ hash }) => hash);
      expect(await priced()).toEqual([tip, `3${"0".repeat(18)}`, null]);
      expect(await priced(0)).toEqual([first, null]);
      expect(await priced(2)).toEqual([third, `2${"0".repeat(18)}`]);
      await store.write(revertTo, 2);
      expect(await priced()).toEqual([third, `2${"0".repeat(18)}`]);
      expect((await priced(3))[0]).toBeUndefined();
    });

    test("agrees with the blocks of a random chain since any height, through a reorganisation", async () => {
      await fc.assert(
        fc.asyncProperty(randomChain(), randomChain(), fc.nat({ max: 8 }), async (plan, other, since) => {
          const fresh = await open();
          try {
            const chain = new Ledger();
            grow(chain, plan);
            await feed(fresh, chain.blocks);
            const fork = Math.floor((plan.length - 1) / 2);
            const rival = chain.fork(fork, "rival");
            grow(rival, other);
            await fresh.write(revertTo, fork);
            await feed(fresh, rival.blocks.slice(fork + 1));
            for (const owners of [...OWNERS.map((owner) => [owner]), OWNERS]) {
              const query = { addressKey: owners.map(keyOf), since, limit: 10 };
              const { flows: stored } = await fresh.query(addressFlows, query);
              const sums = stored.map(({ token, came, left }) => [
                token.id,
                came.transactionCount,
                BigInt(came.amount),
                left.transactionCount,
                BigInt(left.amount),
              ]);
              expect(new Set(sums.map(String))).toEqual(flowsByHand(rival.blocks, query.addressKey, since));
            }
          } finally {
            await fresh.close();
          }
        }),
        { numRuns: 8 },
      );
    });
  });

  test("migrating a current database does nothing", async () => {
    expect(await store.migrate()).toEqual([]);
  });
});

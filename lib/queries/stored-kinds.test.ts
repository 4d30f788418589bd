import { describe, expect, test } from "vitest";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { blockFacts } from "#lib/queries/output-kinds.ts";
import { storedKinds } from "#lib/queries/stored-kinds.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { at, keyOf, native, tokenOf } from "#lib/testing/ledger.ts";

import { describeEngines, feed, ledger, nft, store, usd } from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("the capacity of an address by kind", () => {
    const none = { kinds: [], rewardsOnly: false, blocks: 1 };
    const sumsOf = async (to: string) => {
      const { sums } = await store.query(storedKinds, { addressKey: keyOf(to), changing: none });
      return Object.fromEntries(
        sums.map(({ kind, outputCount, capacity }) => [kind, [outputCount, capacity]]),
      );
    };

    test("is summed by the word of the outputs' kind or their token's standard, and reverted with a block", async () => {
      const first = ledger.block([
        {
          create: [
            { to: "ann", kind: "dao@1", capacity: 2n ** 64n - 1n },
            { to: "ann", kind: "dao@2", capacity: 2n ** 64n - 1n },
            { to: "ann", capacity: 5n },
            { to: "ann", kind: "", capacity: 3n },
            { to: "ann", token: usd, capacity: 7n },
            { to: "ann", token: tokenOf("euro"), capacity: 8n },
            { to: "ann", token: nft, capacity: 9n },
            { to: "bob", kind: "dao@1" },
          ],
        },
      ]);
      await feed(store, [first]);
      const others = { plain: [1, "5"], "": [1, "3"], xUDT: [2, "15"], Spore: [1, "9"] };
      const before = { ...others, dao: [2, (2n ** 65n - 2n).toString()] };
      expect(await sumsOf("ann")).toEqual(before);
      const [overview] = (
        await store.query(addressOverview, { addressKey: keyOf("ann"), limit: 9 })
      ).holdings.filter(({ token }) => token.id === native.id);
      expect(overview).toMatchObject({ outputCount: 4, amount: (2n ** 65n + 6n).toString() });

      ledger.block([{ spend: [at(first, 0, 0), at(first, 0, 2)], create: [{ to: "ann", kind: "dao@0" }] }]);
      ledger.block([{ spend: [at(first, 0, 1)] }]);
      await feed(store, ledger.blocks.slice(1));
      const { plain: _, ...left } = others;
      expect(await sumsOf("ann")).toEqual({ ...left, dao: [1, "100"] });
      expect(await verifyStore(store)).toEqual([]);
      await store.write(revertTo, 0);
      expect(await sumsOf("ann")).toEqual(before);
      expect(await verifyStore(store)).toEqual([]);
      expect(await sumsOf("nobody")).toEqual({});
    });

    test("comes with the outputs of the last blocks that were asked for, and with what their headers say", async () => {
      const genesis = ledger.block([{ create: [{ to: "ann", kind: "reward" }] }]);
      ledger.block([{ create: [{ to: "ann", kind: "reward", capacity: 1n }] }, { create: [{ to: "ann" }] }]);
      ledger.block([
        { create: [{ to: "bob", kind: "reward" }] },
        { create: [{ to: "ann", kind: "reward", capacity: 2n }] },
      ]);
      const tip = ledger.block([
        { create: [{ to: "ann", kind: "reward", capacity: 3n }, { to: "ann" }] },
        { create: [{ to: "ann", token: usd }], spend: [at(genesis, 0, 0)] },
      ]);
      await feed(store, ledger.blocks);
      const ask = async (kinds: string[], blocks: number, rewardsOnly: boolean) => {
        const stored = await store.query(storedKinds, {
          addressKey: keyOf("ann"),
          changing: { kinds, blocks, rewardsOnly },
        });
        expect(stored.tip).toMatchObject({ height: 3, hash: tip.hash });
        const heights = [3, ...stored.changing!.map(({ height }) => height)];
        expect(stored.blocks.toSorted((a, b) => a.height - b.height)).toEqual(
          [...new Set(heights)]
            .sort()
            .map((height) => ledger.blocks[height]!)
            .map(({ height, timestamp, headerFacts }) => ({ height, timestamp, headerFacts })),
        );
        return stored.changing!.map(({ kind, height, capacity }) => `${kind} ${height} ${capacity}`).sort();
      };
      const rewards = ["reward 1 1", "reward 3 3"];
      expect(await ask(["reward"], Number.POSITIVE_INFINITY, true)).toEqual(rewards);
      expect(await ask(["reward"], 3, true)).toEqual(rewards);
      expect(await ask(["reward"], 2, true)).toEqual(["reward 3 3"]);
      expect(await ask(["reward"], 2, false)).toEqual(["reward 2 2", "reward 3 3"]);
      expect(await ask(["reward", "plain"], 1, false)).toEqual(["plain 3 100", "reward 3 3"]);
      expect(await ask(["other"], 9, false)).toEqual([]);
      expect(await store.query(blockFacts, { heights: [3, 99, 0, 3], asOf: tip })).toHaveLength(2);
      const empty = await store.query(storedKinds, { addressKey: keyOf("nobody"), changing: none });
      expect([empty.sums, empty.changing]).toEqual([[], []]);
    });
  });
});

import { expect, test } from "vitest";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { rangeOverview } from "./range-overview.ts";

const [usd, eur] = ["usd", "eur"].map((name) => tokenOf(name)) as [
  ReturnType<typeof tokenOf>,
  ReturnType<typeof tokenOf>,
];

describeEngines(() => {
  test("a range of blocks sums values and tags of its assets, and ends where the chain does", async () => {
    for (const amount of [1n, 2n, 3n]) {
      ledger.block([
        {
          create: [
            { to: "ann", token: usd, amount },
            { to: "ann", token: eur, amount: 7n },
          ],
        },
      ]);
    }
    await feed(store, ledger.blocks);
    await store.write(replaceRegistry, [{ id: usd.id, name: "Dollar", symbol: "USD", tags: ["cash"] }]);
    await store.write(loadPrices, [{ assetId: usd.id, time: 0, usd: 10n ** 18n }]);
    const moved = await store.ask(rangeOverview, { from: 0, to: 2, largest: 1 });
    expect(moved).toMatchObject({ assetCount: 3, unpricedCount: 2, isCut: false });
    expect(moved.largest).toMatchObject([{ amount: "5", asset: { id: usd.id } }]);
    expect(moved.volumeUsd).toBe(moved.largest[0]!.amountUsd);
    expect(moved.tags).toContainEqual({ tag: "cash", count: 1, volumeUsd: moved.volumeUsd });
    expect(moved.names.filter((asset) => asset.public).map(({ id }) => id)).toEqual([usd.id]);
    await expect(store.ask(rangeOverview, { from: 0, to: 3, largest: 1 })).rejects.toThrow();
  });
});

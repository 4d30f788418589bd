import { expect, test } from "vitest";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { native, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store, U128_MAX, usd } from "#lib/testing/stores.ts";
import { latestBlocks } from "./latest-blocks.ts";

describeEngines(() => {
  test("the latest blocks have what they moved, and the priced assets that they moved most", async () => {
    const others = ["a", "b", "c", "d"].map((name) => tokenOf(name));
    const create = (amounts: bigint[]) => [
      ...others.map((token, i) => ({ to: "ann", token, amount: amounts[i]! })),
      { to: "ann", token: tokenOf("unpriced"), amount: 1n },
    ];
    ledger.block();
    const second = ledger.block([{ create: create([7n, 7n, U128_MAX, 10n]) }]);
    const third = ledger.block([{ create: [{ to: "ann", token: usd }] }]);
    const fourth = ledger.block();
    await feed(store, ledger.blocks);
    await store.write(replaceRegistry, [{ id: others[2]!.id, name: "Most", symbol: "MST" }]);
    const prices = [...others, { id: native.id }].map(({ id }) => ({
      assetId: id,
      time: 0,
      usd: 10n ** 18n,
    }));
    await store.write(loadPrices, prices);

    const [tip, unpriced, priced, ...rest] = await store.query(latestBlocks, 3);
    expect(rest).toEqual([]);
    const { height, hash, timestamp } = fourth;
    const nothing = { transactionCount: 0, assetCount: 0, volumeUsd: "0", largest: [] };
    expect(tip).toEqual({ height, hash, timestamp, ...nothing });
    expect(unpriced).toMatchObject({ hash: third.hash, assetCount: 2, volumeUsd: "100" });
    // The native asset has 8 decimals, the others none.
    const volume = U128_MAX * 10n ** 8n;
    expect(priced).toMatchObject({
      hash: second.hash,
      transactionCount: 1,
      assetCount: 6,
      volumeUsd: String(volume + 24n * 10n ** 8n + 500n),
    });
    const [a, b, c, d] = others.map(({ id }) => id);
    expect(priced!.largest.map(({ asset, volumeUsd }) => [asset.id, volumeUsd])).toEqual([
      [c, String(volume)],
      [d, "1000000000"],
      [a, "700000000"],
      [b, "700000000"],
    ]);
    expect(priced!.largest[0]!.asset).toMatchObject({ name: "Most", symbol: "MST", public: true });
    expect(await store.query(latestBlocks, 60)).toHaveLength(4);
  });

  test("an empty database has no latest blocks", async () => {
    expect(await store.query(latestBlocks, 60)).toEqual([]);
  });
});

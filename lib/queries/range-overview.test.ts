import { expect, test } from "vitest";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { native, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, nft, store, usd } from "#lib/testing/stores.ts";
import { blockOverview } from "./block-overview.ts";
import { rangeOverview } from "./range-overview.ts";

describeEngines(() => {
  test("a range has the figures of its blocks together, and of what a filter leaves", async () => {
    const [other, nothing] = [tokenOf("other"), tokenOf("nothing")];
    for (const tokens of [[usd], [usd, nft], [other, nothing], [usd, other]]) {
      ledger.block([
        { create: tokens.map((token) => ({ to: "ann", token, amount: token === nothing ? 0n : 4n })) },
      ]);
    }
    await feed(store, ledger.blocks);
    await store.write(replaceRegistry, [
      { id: usd.id, tags: ["stable", "x"], symbol: "USD" },
      { id: native.id, tags: ["x"] },
    ]);
    const prices = [usd, native].map(({ id }) => ({ assetId: id, time: 0, usd: 10n ** 18n }));
    await store.write(loadPrices, prices);
    const ask = (from: number | null, to: number, filters = { search: "", tags: [] as string[] }) => {
      const range = { ...(from !== null && { from: { height: from } }), to: { height: to } };
      return store.query(rangeOverview, { ...filters, ...range, largest: 1 });
    };
    const dollars = 4n * 10n ** 8n;
    const [first, third] = [ledger.blocks[0]!, ledger.blocks[2]!];
    expect(await ask(0, 2)).toMatchObject({
      after: 0,
      to: { height: 2, hash: third.hash, timestamp: third.timestamp },
      blockCount: 2,
      isCut: false,
      assetCount: 5,
      pricedCount: 2,
      unpricedCount: 2,
      volumeUsd: String(dollars + 400n),
      tags: [
        { tag: "x", count: 2, volumeUsd: String(dollars + 400n) },
        { tag: "stable", count: 1, volumeUsd: String(dollars) },
      ],
      largest: [{ asset: { id: usd.id }, amountUsd: String(dollars) }],
    });
    const { names, pricedCount, unpricedCount, volumeUsd, tags } = await ask(null, 0);
    const figures = { pricedCount, unpricedCount, volumeUsd, tags };
    expect(await store.query(blockOverview, first.hash)).toMatchObject(figures);
    expect(names.map(({ id, public: listed }) => [id, listed])).toEqual([
      [usd.id, true],
      [native.id, true],
    ]);
    expect(await ask(null, 3, { search: "usd", tags: [] })).toMatchObject({
      after: -1,
      blockCount: 4,
      assetCount: 1,
      volumeUsd: String(3n * dollars),
    });
    expect(await ask(null, 3, { search: "", tags: ["x"] })).toMatchObject({ assetCount: 2 });
    await expect(ask(2, 1)).rejects.toMatchObject({ code: "BAD_REQUEST" });
    await expect(ask(0, 9)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

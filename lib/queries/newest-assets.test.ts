import { expect, test } from "vitest";
import { hashOf, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, nft, store, usd } from "#lib/testing/stores.ts";
import { newestAssets } from "./newest-assets.ts";

describeEngines(() => {
  test("the newest assets come first, members of a collection once, and imitations name what they resemble", async () => {
    const fake = tokenOf("fake");
    const claim = (assetId: string, symbol: string) => ({
      assetId,
      outputIndex: 0,
      name: symbol,
      symbol,
      decimals: 0,
    });
    const members = ["one", "two", "three"].map((name) => tokenOf(name, { ...nft, id: hashOf(name) }));
    ledger.block([{ create: [{ to: "ann", token: usd }], claims: [claim(usd.id, "USD")] }]);
    ledger.block([{ create: members.map((token) => ({ to: "ann", token })) }]);
    ledger.block([{ create: [{ to: "ann", token: fake }], claims: [claim(fake.id, "USD")] }]);
    await feed(store, ledger.blocks);
    const newest = await store.query(newestAssets, 3);
    expect(newest.map(({ token, members, resembles }) => [token.id, members, resembles])).toEqual([
      [fake.id, 1, usd.id],
      [members.at(-1)!.id, 3, ""],
      [usd.id, 1, ""],
    ]);
  });
});

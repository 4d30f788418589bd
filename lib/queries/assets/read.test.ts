import { describe, expect, test } from "vitest";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { hashOf, native, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, nft, store } from "#lib/testing/stores.ts";
import { createCursorCodec, jsonPlaces } from "../cursor.ts";
import { type AssetPlace, assetById, assetPage } from "./read.ts";

/** Issues fungible assets with these names and symbols, each in a block of its own. */
async function issue(...names: [name: string, symbol: string][]): Promise<string[]> {
  const blocks = names.map(([name, symbol], n) => {
    const token = tokenOf(`${ledger.blocks.length} ${n} ${name}`);
    const claims = [{ assetId: token.id, outputIndex: 0, name, symbol, decimals: 0 }];
    return { id: token.id, block: ledger.block([{ create: [{ to: "ann", token }], claims }]) };
  });
  await feed(
    store,
    blocks.map(({ block }) => block),
  );
  return blocks.map(({ id }) => id);
}

async function found(search: string, limit = 1000): Promise<string[]> {
  const ids: string[] = [];
  for (let after: AssetPlace | undefined; ; ) {
    const page = await store.query(assetPage, { search, after, limit });
    ids.push(...page.rows.map(({ token }) => token.id));
    if (!page.hasNext) return ids;
    after = page.last!;
  }
}

const cursors = createCursorCodec(new Uint8Array(32));

const resembles = async (id: string) => (await store.query(assetById, id))!.asset.resembles;

describeEngines(() => {
  describe("a search", () => {
    test("finds the start of an id, a name or a symbol in any case, exact matches first", async () => {
      const [dollars, straße, coin, usdc] = await issue(
        ["Dollars", "DLS"],
        ["STRAẞE", "ΛΌΓΟΣ"],
        ["USD Coin", "USDC"],
        ["usd", "US"],
      );
      expect(await found("usd")).toEqual([usdc, coin]);
      expect(await found("US")).toEqual([usdc, coin]);
      expect(await found("usd c")).toEqual([coin]);
      expect(await found("strasse")).toEqual([straße]);
      expect(await found("λόγος")).toEqual([straße]);
      expect(await found("d")).toEqual([dollars]);
      expect(await found(coin!)).toEqual([coin]);
      expect(await found(coin!.slice(0, 20).toUpperCase())).toEqual([coin]);
    });

    test("finds later words after names, at any page size", async () => {
      const [usdCoin, coin, coinbase, dollar, both, many] = await issue(
        ["USD Coin", "USDC"],
        ["coin", "C"],
        ["Coinbase Wrapped", "CBW"],
        ["$dollar (bridged) ÉTÉ", "D"],
        ["Coin Coin", "COIN"],
        [`${"a ".repeat(8)}ninth tenth`, ""],
      );
      expect(await found("coin")).toEqual([coin, both, coinbase, usdCoin]);
      for (const limit of [1, 2, 3]) expect(await found("coin", limit)).toEqual(await found("coin"));
      expect([await found("dollar"), await found("BRIDGED) é"), await found("été")]).toEqual(
        Array(3).fill([dollar]),
      );
      expect(await found("oin")).toEqual([]);
      // A search finds eight words after the first, so that one name cannot fill the table.
      expect([await found("ninth"), await found("tenth")]).toEqual([[many], []]);
      await store.write(revertTo, -1);
      expect(await found("coin")).toEqual([]);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("also finds an asset by the chain's names if the registry has others", async () => {
      const [id] = await issue(["Chain", "CHN"]);
      const before = await found("registered");
      await store.write(replaceRegistry, [{ id: id!, name: "Registered", symbol: "REG" }]);
      expect([before, await found("registered"), await found("reg")]).toEqual([[], [id], [id]]);
      expect([await found("chain"), await found("chn")]).toEqual([[id], [id]]);
      await store.write(replaceRegistry, []);
      expect([await found("registered"), await found("chain")]).toEqual([[], [id]]);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("lists assets with the same name with those of the registry first, then older ones first", async () => {
      const ids = await issue(["Same", "A"], ["same", "B"], ["SAME", "C"], ["Samea", "D"]);
      expect(await found("same")).toEqual(ids);
      await store.write(replaceRegistry, [{ id: ids[2]!, tags: [] }]);
      const [first, second, third, longer] = ids;
      expect(await found("same")).toEqual([third, first, second, longer]);
      for (const limit of [1, 2, 3]) expect(await found("same", limit)).toEqual(await found("same"));
    });

    test("takes %, _, quotes, U+0000 and letters beyond the basic plane literally", async () => {
      const [percent, low, wide, last] = await issue(
        ["100% real", ""],
        ["a_b", ""],
        ["𝔸𝕊", ""],
        ["\u{10ffff}\u{10ffff}", "😀"],
      );
      expect([await found("%"), await found("100%"), await found("_"), await found("a_")]).toEqual([
        [],
        [percent],
        [],
        [low],
      ]);
      expect([await found("\0"), await found("a\0"), await found("' OR 1")]).toEqual([[], [], []]);
      expect([await found("𝔸"), await found("\u{10ffff}"), await found("😀")]).toEqual([
        [wide],
        [last],
        [last],
      ]);
    });

    test("for nothing finds all, in order of id, at any page size", async () => {
      const ids = [...(await issue(["x", "y"], ["x", "y"], ["", ""])), native.id].sort();
      for (const limit of [1, 2, 1000]) expect(await found("", limit)).toEqual(ids);
    });
  });

  test("names of any length and decomposition are stored, and found by their beginning", async () => {
    const names = ["\ufdfa".repeat(256), "ΐ".repeat(256), "\u0001".repeat(256), "W".repeat(256)];
    const ids = await issue(...names.map((name): [string, string] => [name, name.slice(0, 64)]));
    for (const [i, name] of names.entries()) {
      expect(await found(name.slice(0, 130))).toEqual([ids[i]]);
      const page = await store.query(assetPage, { search: name.slice(0, 130), after: undefined, limit: 1 });
      // A model's tools take arguments of up to 1,000 characters.
      expect(cursors.encode(jsonPlaces("listAssets"), page.last, "").length).toBeLessThan(1_000);
    }
    // A registry's JSON may hold half of a character.
    await store.write(replaceRegistry, [{ id: ids[3]!, name: "half \ud800" }]);
    expect(await found("half \ufffd")).toEqual([ids[3]]);
  });

  describe("an asset that looks like another one", () => {
    test("names that asset: one that the registry lists, the native one, or else an older one", async () => {
      const [first, cyrillic, hidden, other, fake] = await issue(
        ["Tide Dollar", "TIDE"],
        ["Тіdе Dоllаr", "T1"],
        ["Something", "TI\u200bDE"],
        ["Other", "OTH"],
        ["СКВ", "X"],
      );
      expect(await resembles(first!)).toBe("");
      expect(await resembles(other!)).toBe("");
      expect(await resembles(native.id)).toBe("");
      expect([await resembles(cyrillic!), await resembles(hidden!)]).toEqual([first, first]);
      expect(await resembles(fake!)).toBe(native.id);
      await store.write(replaceRegistry, [{ id: cyrillic! }]);
      expect([await resembles(cyrillic!), await resembles(first!)]).toEqual(["", cyrillic]);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("is never a member of a collection, whose members share a name", async () => {
      const members = [0, 1].map((n) => ({ ...nft, id: hashOf(`member ${n}`) }));
      const claims = [{ assetId: nft.parentId, outputIndex: 0, name: "Unicorns", symbol: "U", decimals: 0 }];
      await feed(store, [ledger.block([{ create: members.map((token) => ({ to: "ann", token })), claims }])]);
      expect(await found("unicorns")).toEqual(members.map(({ id }) => id));
      for (const { id } of members) expect(await resembles(id)).toBe("");
    });
  });

  test("an asset has its latest price as of the tip and its tags, and is gone when its blocks are reverted", async () => {
    await feed(store, [ledger.block()]);
    const [id] = await issue(["Priced", "P"]);
    const time = ledger.tip!.timestamp;
    await store.write(replaceRegistry, [{ id: id!, tags: ["b", "a"] }]);
    await store.write(loadPrices, [
      { assetId: id!, time: time - 1, usd: 5n },
      { assetId: id!, time: time + 1, usd: 7n },
    ]);
    const { asset } = (await store.query(assetById, id!))!;
    expect(asset).toMatchObject({ price: "5", tags: ["a", "b"], holderCount: 1, outputCount: 1 });
    await store.write(revertTo, 0);
    expect([await store.query(assetById, id!), await found("priced"), await found(id!)]).toEqual([
      null,
      [],
      [],
    ]);
    expect(await verifyStore(store)).toEqual([]);
  });
});

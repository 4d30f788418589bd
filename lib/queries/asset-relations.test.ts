import { expect, test } from "vitest";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { at, hashOf, native, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, nft, store, U128_MAX, usd } from "#lib/testing/stores.ts";
import { assetMoves, collectionOf, listedAlike, lookAlikes } from "./asset-relations.ts";

/** Fungible assets with these names and symbols, in this order, in one block. */
async function issue(...names: [name: string, symbol: string][]): Promise<string[]> {
  const tokens = names.map((_, n) => tokenOf(`${n}`));
  const claims = names.map(([name, symbol], outputIndex) => {
    return { assetId: tokens[outputIndex]!.id, outputIndex, name, symbol, decimals: 0 };
  });
  await feed(store, [ledger.block([{ create: tokens.map((token) => ({ to: "ann", token })), claims }])]);
  return tokens.map(({ id }) => id);
}

describeEngines(() => {
  test("an asset's newest moves have their blocks, with a value where it had a price", async () => {
    const first = ledger.block([{ create: [{ to: "ann", token: usd, amount: U128_MAX }] }], 10_000);
    const second = ledger.block([{ create: [{ to: "ann" }] }], 20_000);
    const third = ledger.block(
      [
        { create: [{ to: "bob", token: usd, amount: 4n }] },
        { create: [{ to: "bob", token: usd, amount: 3n }] },
      ],
      30_000,
    );
    await feed(store, ledger.blocks);
    await store.write(loadPrices, [{ assetId: usd.id, time: 20_000, usd: 10n ** 18n }]);
    const moves = await store.query(assetMoves, { id: usd.id, limit: 9 });
    expect(moves).toEqual([
      {
        height: 2,
        hash: third.hash,
        timestamp: 30_000,
        amount: "7",
        amountUsd: "700000000",
        transactions: 2,
        transaction: null,
      },
      {
        ...{ height: 0, hash: first.hash, timestamp: 10_000 },
        ...{ amount: String(U128_MAX), amountUsd: null, transactions: 1 },
        transaction: first.transactions[0]!.hash,
      },
    ]);
    expect(await store.query(assetMoves, { id: usd.id, limit: 1 })).toEqual(moves.slice(0, 1));
    expect(await store.query(assetMoves, { id: usd.id, before: 2, limit: 9 })).toEqual(moves.slice(1));
    const ofNative = await store.query(assetMoves, { id: native.id, limit: 9 });
    expect(ofNative.map(({ transaction }) => transaction)).toEqual([
      null,
      second.transactions[0]!.hash,
      first.transactions[0]!.hash,
    ]);
    expect(await store.query(assetMoves, { id: hashOf("none"), limit: 9 })).toEqual([]);
  });

  test("a single transaction that burnt an asset is named, and one far behind many outputs is not", async () => {
    const minted = ledger.block([{ create: [{ to: "ann", token: usd, amount: 5n }] }]);
    const burnt = ledger.block([{ create: [{ to: "bob" }] }, { spend: [at(minted, 0, 0)] }]);
    const crowd = Array.from({ length: 600 }, () => ({ to: "bob" }));
    ledger.block([{ create: crowd }, { create: [{ to: "ann", token: usd, amount: 5n }] }]);
    await feed(store, ledger.blocks);
    const moves = await store.query(assetMoves, { id: usd.id, limit: 9 });
    expect(moves.map(({ transaction }) => transaction)).toEqual([
      null,
      burnt.transactions[1]!.hash,
      minted.transactions[0]!.hash,
    ]);
  });

  test("look-alikes of an asset are those of its name or its symbol, the registry's first, never too many", async () => {
    const ids = await issue(
      ["Tide Dollar", "TIDE"],
      ["Other", "OTH"],
      ["Тіdе Dоllаr", "T1"],
      ["Something", "TI\u200bDE"],
      ["Tide Dollar", "TIDE"],
      ["", ""],
    );
    const [tide, other, cyrillic, hidden, clone, nameless] = ids;
    await store.write(replaceRegistry, [{ id: clone! }]);
    const of = async (id: string, limit = 9) => {
      const { assets, hasMore } = await store.query(lookAlikes, { id, limit });
      return [...assets.map(({ token }) => token.id), hasMore];
    };
    expect(await of(tide!)).toEqual([tide, clone, cyrillic, hidden, false]);
    expect(await of(clone!)).toEqual([clone, tide, cyrillic, hidden, false]);
    expect(await of(tide!, 2)).toEqual([tide, clone, cyrillic, true]);
    const listed = (await store.query(listedAlike, ids)).map(({ id }) => id);
    expect([listed, await store.query(listedAlike, [other!, nameless!, clone!])]).toEqual([[clone], []]);
    expect([await of(other!), await of(nameless!)]).toEqual([
      [other, false],
      [nameless, false],
    ]);
    expect(await of(hashOf("none"))).toEqual([false]);
  });

  test("a collection has its name and its members in order, each with the address that has it", async () => {
    const members = [0, 1, 2].map((n) => ({ ...nft, id: hashOf(`member ${n}`) }));
    const claims = [{ assetId: nft.parentId, outputIndex: 0, name: "Apes", symbol: "", decimals: 0 }];
    const to = ["ann", "bob", "bob"];
    const block = ledger.block([
      { create: members.map((token, n) => ({ to: to[n]!, token })), claims },
      { create: [{ to: "ann", token: usd }] },
    ]);
    ledger.block([{ spend: [at(block, 0, 2)] }]);
    await feed(store, ledger.blocks);
    const page = async (after: string | undefined, limit: number) =>
      (await store.query(collectionOf, { id: nft.parentId, limit, ...(after && { after }) }))!;
    const all = await page(undefined, 9);
    expect(all).toMatchObject({ name: "Apes", memberCount: 3, next: null, tip: { height: 1 } });
    expect(all.members.map(({ token, holder }) => [token.id, token.name, holder])).toEqual([
      [members[0]!.id, "Apes", "address-of-ann"],
      [members[1]!.id, "Apes", "address-of-bob"],
      [members[2]!.id, "Apes", null],
    ]);
    const start = await page(undefined, 2);
    expect(start).toMatchObject({ memberCount: 3, next: members[1]!.id, members: all.members.slice(0, 2) });
    expect((await page(start.next!, 2)).members).toEqual(all.members.slice(2));
    for (const id of [usd.id, "", hashOf("none"), "\0"]) {
      expect(await store.query(collectionOf, { id, limit: 9 })).toBeNull();
    }
  });
});

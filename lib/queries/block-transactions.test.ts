import { expect, test } from "vitest";
import { blockOverview, namesInBlock } from "#lib/queries/block-overview.ts";
import { blockTransactions } from "#lib/queries/block-transactions.ts";
import { PIECE } from "#lib/queries/pieces.ts";
import { volumeOfChanges } from "#lib/queries/volume-of-changes.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { at, hashOf, native } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, nft, store, U128_MAX, usd } from "#lib/testing/stores.ts";

describeEngines(() => {
  test("a block's transactions have what each takes and makes of each asset, exactly", async () => {
    const first = ledger.block([
      {
        create: [
          { to: "ann", token: usd, amount: U128_MAX, capacity: 70n },
          { to: "ann", capacity: 30n },
        ],
      },
    ]);
    const second = ledger.block([
      { create: [{ to: "bob", capacity: 9n }] },
      {
        spend: [at(first, 0, 0), at(first, 0, 1)],
        create: [
          { to: "bob", token: usd, amount: U128_MAX - 1n, capacity: 50n },
          { to: "bob", token: usd, amount: 2n, capacity: 20n },
          { to: "bob", token: nft, capacity: 29n },
        ],
      },
    ]);
    // Later transactions spend its outputs, which does not change what its block shows.
    const third = ledger.block([{ spend: [at(second, 1, 0)], create: [{ to: "ann", capacity: 50n }] }]);
    await feed(store, ledger.blocks);
    const read = async (blockHash: string, offset = 0, limit = 10, assets = 9) => {
      const page = await store.query(blockTransactions, { blockHash, offset, limit, assets });
      return (
        page && {
          total: page.total,
          rows: page.rows.map(({ moved, ...row }) => ({
            ...row,
            moved: moved.map(({ token, in: came, out }) => [token.id, came, out]),
          })),
        }
      );
    };
    const [reward, payment] = second.transactions;
    const rows = [
      {
        hash: reward!.hash,
        index: 0,
        inputs: 0,
        outputs: 1,
        isWhole: true,
        moved: [[native.id, 0n, 9n]],
        more: 0,
        from: [],
        to: ["address-of-bob"],
      },
      {
        hash: payment!.hash,
        index: 1,
        inputs: 2,
        outputs: 3,
        isWhole: true,
        moved: [
          [native.id, 100n, 99n],
          [usd.id, U128_MAX, U128_MAX + 1n],
          [nft.id, 0n, 1n],
        ],
        more: 0,
        from: ["address-of-ann"],
        to: ["address-of-bob"],
      },
    ];
    expect(await read(second.hash)).toEqual({ total: 2, rows });
    expect(await read(second.hash, 1, 1)).toEqual({ total: 2, rows: rows.slice(1) });
    expect(await read(second.hash, 2)).toEqual({ total: 2, rows: [] });
    expect((await read(second.hash, 1, 1, 2))!.rows[0]).toMatchObject({
      more: 1,
      moved: rows[1]!.moved.slice(0, 2),
    });
    expect((await read(third.hash))!.rows[0]!.moved).toEqual([
      [native.id, 50n, 50n],
      [usd.id, U128_MAX - 1n, 0n],
    ]);
    expect(await read(hashOf("none"))).toBeNull();
  });

  test("a block's transactions that hold an asset are counted and paged exactly, at any number of outputs", async () => {
    const few = { create: [{ to: "ann", token: usd, amount: 3n }] };
    const first = ledger.block([few, { create: [{ to: "ann" }] }]);
    const many = Array.from({ length: PIECE + 10 }, () => ({ to: "bob" }));
    const { hash } = ledger.block([
      { create: [{ to: "bob" }] },
      { spend: [at(first, 1, 0)], create: many },
      { spend: [at(first, 0, 0)], create: [{ to: "bob" }] },
      { create: [...many, { to: "bob", token: usd, amount: 5n }, { to: "bob", token: nft }] },
      few,
    ]);
    await feed(store, ledger.blocks);
    const read = async (asset: string, offset = 0, limit = 9) => {
      const page = await store.query(blockTransactions, { blockHash: hash, asset, offset, limit, assets: 1 });
      const rows = page!.rows.map(({ index, moved, more }) => [
        index,
        moved.map((one) => one.token.id),
        more,
      ]);
      return { total: page!.total, rows };
    };
    const held = [
      [2, [usd.id], 1],
      [3, [usd.id], 2],
      [4, [usd.id], 1],
    ];
    expect(await read(usd.id)).toEqual({ total: 3, rows: held });
    expect(await read(usd.id, 1, 1)).toEqual({ total: 3, rows: held.slice(1, 2) });
    expect(await read(usd.id, 3)).toEqual({ total: 3, rows: [] });
    expect(await read(nft.id)).toEqual({ total: 1, rows: [[3, [nft.id], 2]] });
    // Every output holds the native asset.
    expect(await read(native.id, 4)).toEqual({ total: 5, rows: [[4, [native.id], 1]] });
    for (const unknown of ["none", "a\0"]) expect(await read(unknown)).toEqual({ total: 0, rows: [] });
  });

  test("what spends an output of its own block has it as an input", async () => {
    const block = ledger.block([{ create: [{ to: "ann", token: usd, amount: 5n }] }]);
    const spent = { spend: [at(block, 0, 0)], create: [{ to: "bob", token: usd, amount: 4n }] };
    const both = ledger.fork(-1, "both").block([{ create: [{ to: "ann", token: usd, amount: 5n }] }]);
    both.transactions.push({
      ...ledger.fork(0, "x").block([spent]).transactions[0]!,
      inputs: [at(both, 0, 0)],
    });
    await feed(store, [both]);
    const page = await store.query(blockTransactions, {
      blockHash: both.hash,
      offset: 0,
      limit: 9,
      assets: 9,
    });
    expect(page!.rows[1]).toMatchObject({ inputs: 1, outputs: 1 });
    expect(page!.rows[1]!.moved[1]).toMatchObject({ in: 5n, out: 4n });
  });

  test("the changes that a filter leaves are worth what these are together", async () => {
    ledger.block();
    const { hash } = ledger.block([
      { create: [{ to: "ann", token: usd, amount: 4n }, { to: "ann", token: nft }, { to: "ann" }] },
    ]);
    await feed(store, ledger.blocks);
    await store.write(replaceRegistry, [
      { id: usd.id, tags: ["stable", "x"], symbol: "USD" },
      { id: native.id, tags: ["x"] },
    ]);
    const prices = [usd, native].map(({ id }) => ({ assetId: id, time: 0, usd: 10n ** 18n }));
    await store.write(loadPrices, prices);
    const volume = (tags: string[], search = "") =>
      store.query(volumeOfChanges, { blockHash: hash, tags, search });
    const whole = await volume([]);
    expect(whole).toBe((await store.query(blockOverview, hash))!.volumeUsd);
    const stable = await volume(["stable"]);
    expect(stable).toBe("400000000");
    expect(await volume(["x"])).toBe(whole);
    expect(await volume(["x", "stable"], "us")).toBe(stable);
    expect(await volume([], "a\0")).toBe("0");
    expect(await volume(["none"])).toBe("0");
    const names = await store.query(namesInBlock, hash);
    expect(names.filter(({ firstMint }) => firstMint).map(({ id }) => id)).toEqual([
      native.id,
      usd.id,
      nft.id,
    ]);
  });
});

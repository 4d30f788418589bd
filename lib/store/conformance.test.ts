import { describe, expect, test } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { changesOfAddresses } from "#lib/queries/address-changes/read.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { statementOfAddresses } from "#lib/queries/address-statement/read.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { blockOverview } from "#lib/queries/block-overview.ts";
import { blockTransactions } from "#lib/queries/block-transactions.ts";
import { abandonedBlock, chainTip, firstGap, placeOf } from "#lib/queries/chain.ts";
import { chainProgress } from "#lib/queries/chain-progress.ts";
import { pricesAfter } from "#lib/queries/prices.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { storedBlock, storedTokens } from "#lib/queries/stored.ts";
import { transactionOverview } from "#lib/queries/transaction-overview.ts";
import { ChainConflictError, PositionAheadError } from "#lib/store/errors.ts";
import type { Position } from "#lib/store/rows.ts";
import { applyBlocks, identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices, removePrices } from "#lib/store/rules/values.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { at, hashOf, identity, keyOf, Ledger, native, outputOf, tokenOf } from "#lib/testing/ledger.ts";

import {
  changeQuery,
  describeEngines,
  feed,
  ledger,
  open,
  store,
  text,
  usd,
  utxoQuery,
  walk,
} from "#lib/testing/stores.ts";

describeEngines(() => {
  describe("reverting prices", () => {
    test("removes those of one asset from a time to a time, and values its changes by what is left", async () => {
      const blocks = [1, 2, 3].map((n) => ledger.block([{ create: [{ to: "ann", token: usd }] }], n * 1000));
      await feed(store, blocks);
      const other = { assetId: native.id, time: 2000, usd: 5n };
      const prices = [1000, 2000, 3000].map((time) => ({
        assetId: usd.id,
        time,
        usd: BigInt(time) * 10n ** 15n,
      }));
      await store.write(loadPrices, [...prices, other]);
      const values = () =>
        Promise.all(
          blocks.map(async ({ height }) => {
            const { changes } = await store.query(storedBlock, height);
            return changes.find(({ assetId }) => assetId === usd.id)!.amountUsd;
          }),
        );
      expect(await values()).toEqual([1n, 2n, 3n].map((n) => n * 10n ** 8n));
      expect(await store.write(removePrices, usd.id, 1500, 1999)).toBe(0);
      expect(await store.write(removePrices, usd.id, 2000, 2000)).toBe(1);
      expect(await values()).toEqual([1n, 1n, 3n].map((n) => n * 10n ** 8n));
      expect(await store.query(pricesAfter, { price: null, limit: 10 })).toContainEqual(other);
      expect(await store.write(removePrices, usd.id, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).toBe(
        2,
      );
      expect(await values()).toEqual([0n, 0n, 0n]);
      expect(await store.query(pricesAfter, { price: null, limit: 10 })).toEqual([other]);
      expect(await verifyStore(store)).toEqual([]);
    });
  });

  test("a price values every block that is not earlier, although times of blocks go back", async () => {
    const times = [1000, 4000, 2000, 3000, 2500, 5000];
    const blocks = times.map((time) => ledger.block([{ create: [{ to: "ann", token: usd }] }], time));
    await feed(store, blocks);
    await store.write(loadPrices, [{ assetId: usd.id, time: 2600, usd: 10n ** 18n }]);
    const values = blocks.map(async ({ height }) => {
      const { changes } = await store.query(storedBlock, height);
      return changes.find(({ assetId }) => assetId === usd.id)!.amountUsd;
    });
    expect(await Promise.all(values)).toEqual(times.map((time) => (time < 2600 ? 0n : 10n ** 8n)));
    expect(await verifyStore(store)).toEqual([]);
  });

  describe("storing blocks", () => {
    test("gives the same block no effect the second time", async () => {
      const block = ledger.block([{ create: [{ to: "ann" }] }]);
      expect(await feed(store, [block])).toBe(1);
      expect(await feed(store, [block], { extendTip: false })).toBe(0);
      expect(await walk(store, "ann")).toHaveLength(1);
    });

    test("refuses a transaction that another block has, at once and later", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }] }]);
      const second = { ...ledger.block(), transactions: first.transactions };
      const fault = new RegExp(`${first.transactions[0]!.hash} is already stored, in block 0`);
      await expect(feed(store, [first, second])).rejects.toThrow(fault);
      await feed(store, [first]);
      for (const extendTip of [true, false]) {
        await expect(feed(store, [second], { extendTip })).rejects.toThrow(fault);
        await expect(feed(store, [second], { extendTip })).rejects.toThrow(ChainConflictError);
      }
      expect(await verifyStore(store)).toEqual([]);
    });

    test("knows the transactions of a long chain by their hashes", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }, { to: "ann" }] }]);
      const middle = new Ledger("middle", [], 2 ** 17).block([
        { spend: [at(first, 0, 0)], create: [{ to: "bob" }] },
      ]);
      const last = new Ledger("far", [], 2 ** 20).block([
        { spend: [at(first, 0, 1), at(middle, 0, 0)], create: [{ to: "ann" }] },
      ]);
      for (const block of [first, middle, last]) await feed(store, [block], { extendTip: false });
      for (const block of [first, middle, last]) {
        expect(await store.query(placeOf, at(block, 0, 0))).toMatchObject({ height: block.height });
      }
      expect(await walk(store, "ann")).toEqual([`${last.transactions[0]!.hash}:0`]);
      // The index of hashes may not see that a transaction comes a second time. But it spends the same outputs.
      const empty = new Ledger("again", [], 2 ** 21).block();
      const again = feed(store, [{ ...empty, transactions: middle.transactions }], { extendTip: false });
      await expect(again).rejects.toThrow(ChainConflictError);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("refuses a wrong parent, an occupied height, a gap when following the tip, and a double spend", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }] }]);
      await feed(store, [first]);
      const other = new Ledger("other");
      const rival = other.block();
      await expect(feed(store, [rival])).rejects.toThrow(ChainConflictError);
      await expect(feed(store, [other.block()])).rejects.toThrow(ChainConflictError);
      ledger.block();
      await expect(feed(store, [ledger.block()])).rejects.toThrow(ChainConflictError);
      const spender = ledger.fork(0, "spender");
      await feed(store, [spender.block([{ spend: [at(first, 0, 0)], create: [{ to: "bob" }] }])]);
      const again = spender.block([{ spend: [at(first, 0, 0)], create: [{ to: "bob" }] }]);
      await expect(feed(store, [again])).rejects.toThrow(/already spent/);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("stores nothing of a batch of which one block is refused", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }] }]);
      const rival = new Ledger("rival").block([{ create: [{ to: "ann" }] }]);
      await expect(feed(store, [first, rival], { extendTip: false })).rejects.toThrow(ChainConflictError);
      expect(await store.query(chainTip)).toBeNull();
      expect(await walk(store, "ann")).toEqual([]);
      await feed(store, [first]);
      expect(await walk(store, "ann")).toHaveLength(1);
    });

    test("in any order, with gaps, gives one result, once spent outputs from outside are supplied", async () => {
      const first = ledger.block([{ create: [{ to: "ann", token: usd, amount: 9n }, { to: "ann" }] }]);
      ledger.block();
      const third = ledger.block([
        { spend: [at(first, 0, 0)], create: [{ to: "bob", token: usd, amount: 9n }] },
      ]);
      await store.write(identify, identity);
      const vouched = new Map([[text(at(first, 0, 0)), outputOf({ to: "ann", token: usd, amount: 9n })]]);
      await store.write(applyBlocks, await resolveBlocks([third], store, native.id, async () => vouched), {
        extendTip: false,
      });
      expect(await verifyStore(store)).toEqual([]);
      await feed(store, [first], { extendTip: false });
      expect(await walk(store, "ann")).toEqual([text(at(first, 0, 1))]);
      expect(await walk(store, "bob")).toEqual([text(at(third, 0, 0))]);
      const token = (await store.query(storedTokens, {})).find((stored) => stored.id === usd.id)!;
      expect(token).toMatchObject({ totalSupply: "9", firstFoundBlock: first.hash });
      expect(await verifyStore(store)).toEqual([]);
    });

    test("notes which heights are covered, whatever order they come in, and through a reorganisation", async () => {
      const base = Array.from({ length: 12 }, () => ledger.block([{ create: [{ to: "ann" }] }]));
      const takes = async (...heights: number[]) => {
        await feed(
          store,
          heights.map((height) => base[height]!),
          { extendTip: false },
        );
        expect(await verifyStore(store)).toEqual([]);
        return (await store.query(chainTip))!.coverage;
      };
      expect(await takes(7)).toBe("7");
      expect(await store.query(firstGap, 0)).toBeNull();
      expect(await takes(3)).toBe("3, 7");
      expect(await store.query(firstGap, 0)).toEqual({ from: 4, to: 6 });
      expect(await takes(10, 5)).toBe("3, 5, 7, 10");
      expect(await store.query(firstGap, 4)).toEqual({ from: 6, to: 6 });
      expect(await store.query(firstGap, 8)).toBeNull();
      expect(await takes(4)).toBe("3-5, 7, 10");
      expect((await store.query(utxosOfAddress, utxoQuery("nobody"))).tip).toEqual(
        await store.query(chainTip),
      );
      expect((await store.query(assetChangesOfBlock, changeQuery(base[3]!)))!.tip).toEqual(
        await store.query(chainTip),
      );
      expect((await store.query(blockOverview, base[3]!.hash))!.tip).toEqual(await store.query(chainTip));
      expect((await store.query(addressOverview, { addressKey: keyOf("nobody"), limit: 1 })).tip).toEqual(
        await store.query(chainTip),
      );
      expect((await store.query(dataStatus)).tip).toEqual(await store.query(chainTip));

      await store.write(revertTo, 8);
      expect((await store.query(chainTip))!.coverage).toBe("3-5, 7");
      await store.write(revertTo, 6);
      expect((await store.query(chainTip))!.coverage).toBe("3-5");
      expect(await verifyStore(store)).toEqual([]);
      expect(await takes(2, 0, 1)).toBeUndefined();
      expect(await store.query(chainTip)).toEqual({ height: 5, hash: base[5]!.hash });
      expect(await store.query(firstGap, 0)).toBeNull();
      expect(await takes(11)).toBe("0-5, 11");
      await store.write(revertTo, -1);
      expect(await takes(1)).toBe("1");
    });

    test("refuses a block whose output is not what was vouched for when it was spent", async () => {
      const first = ledger.block([{ create: [{ to: "ann", capacity: 7n }] }]);
      const second = ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "bob" }] }]);
      await store.write(identify, identity);
      const lie = new Map([[text(at(first, 0, 0)), outputOf({ to: "ann", capacity: 8n })]]);
      await store.write(applyBlocks, await resolveBlocks([second], store, native.id, async () => lie), {
        extendTip: false,
      });
      await expect(feed(store, [first], { extendTip: false })).rejects.toThrow(/differs/);
    });

    test("refuses a second network in one database", async () => {
      await store.write(identify, identity);
      await expect(store.write(identify, { ...identity, network: "mainnet" })).rejects.toThrow(
        ChainConflictError,
      );
      await expect(store.write(identify, { ...identity, demo: true })).rejects.toThrow(ChainConflictError);
    });

    test("within `atomically`, shows all of it or none", async () => {
      const [first, second] = [ledger.block([{ create: [{ to: "ann" }] }]), ledger.block()];
      const failing = store.atomically(async () => {
        await feed(store, [first]);
        throw new Error("stop");
      });
      await expect(failing).rejects.toThrow("stop");
      expect(await store.query(chainTip)).toBeNull();
      await store.atomically(async () => {
        await feed(store, [first]);
        await feed(store, [second]);
      });
      expect((await store.query(chainTip))!.height).toBe(1);
    });

    test("clears the cache if `atomically` fails", async () => {
      await feed(store, [ledger.block([{ create: [{ to: "ann", token: usd }] }])]);
      const name = async () => (await store.query(utxosOfAddress, utxoQuery("ann"))).rows[0]!.token.name;
      const before = await name();
      const failing = store.atomically(async () => {
        await store.write(replaceRegistry, [{ id: usd.id, name: "Never" }]);
        await name();
        throw new Error("stop");
      });
      await expect(failing).rejects.toThrow("stop");
      expect(await name()).toBe(before);
    });

    test("lets an input spend a later transaction of its block, and reverts both", async () => {
      const first = ledger.block([{ create: [{ to: "ann", capacity: 7n }] }]);
      const later = { transactionHash: hashOf("transaction main 1 1"), outputIndex: 0 };
      const second = ledger.block([
        { spend: [later], create: [{ to: "cid", capacity: 6n }] },
        { spend: [at(first, 0, 0)], create: [{ to: "bob", capacity: 6n }] },
      ]);
      expect(at(second, 1, 0)).toEqual(later);
      await store.write(identify, identity);
      await feed(store, [first]);
      const before = await canonicalDump(store);
      await feed(store, [second]);
      const held = async (name: string) =>
        (await store.query(utxosOfAddress, utxoQuery(name))).rows.map(({ capacity }) => capacity);
      expect([await held("ann"), await held("bob"), await held("cid")]).toEqual([[], [], ["6"]]);
      expect(await verifyStore(store)).toEqual([]);
      await store.write(revertTo, 0);
      expect(await held("ann")).toEqual(["7"]);
      expect(await verifyStore(store)).toEqual([]);
      expect(await canonicalDump(store)).toBe(before);
    });

    test("keeps an output that nobody can spend, and lists it nowhere", async () => {
      const burn = { to: "nobody", capacity: 30n, kind: "data", spendable: false } as const;
      const first = ledger.block([{ create: [{ to: "ann", capacity: 100n }, burn] }]);
      await store.write(identify, identity);
      await feed(store, [first]);
      const before = await canonicalDump(store);
      const second = ledger.block([
        { spend: [at(first, 0, 0)], create: [burn, { to: "bob", capacity: 60n }] },
      ]);
      await feed(store, [second]);
      for (const reference of [undefined, { height: 0 }, { height: 1 }]) {
        const { rows } = await store.query(utxosOfAddress, utxoQuery("nobody", { at: reference }));
        expect(rows).toEqual([]);
      }
      expect((await store.query(storedTokens, {}))[0]!.totalSupply).toBe("60");
      expect((await store.query(dataStatus)).counts).toMatchObject({ outputs: 4, liveOutputs: 1 });
      const ofNobody = { addressKeys: [keyOf("nobody")], limit: 10 };
      expect((await store.query(changesOfAddresses, ofNobody)).rows).toEqual([]);
      expect((await store.query(statementOfAddresses, ofNobody)).rows).toEqual([]);
      const { transactions } = await store.query(storedBlock, 1);
      expect(transactions[0]!.outputs.map(({ output }) => output.spendable)).toEqual([false, undefined]);
      expect(transactions[0]!.inputs).toHaveLength(1);
      const ofSecond = { blockHash: second.hash, offset: 0, limit: 10, assets: 1 };
      const { rows: moves } = (await store.query(blockTransactions, ofSecond))!;
      const ofTransaction = { hash: at(second, 0, 0).transactionHash, from: 0, limit: 10 };
      const created = (await store.query(transactionOverview, ofTransaction))!.outputs;
      expect(created.map(({ isUnspendable, spent }) => [isUnspendable, spent])).toEqual([
        [true, null],
        [false, null],
      ]);
      expect(moves.map(({ inputs, outputs, moved }) => [inputs, outputs, moved[0]!.in])).toEqual([
        [1, 2, 100n],
      ]);
      expect(await verifyStore(store)).toEqual([]);

      await expect(feed(store, [ledger.block([{ spend: [at(second, 0, 0)] }])])).rejects.toThrow(
        /cannot be spent/,
      );
      await store.write(revertTo, 0);
      expect(await verifyStore(store)).toEqual([]);
      expect(await canonicalDump(store)).toBe(before);
    });

    test("refuses an output that comes after the block that spends it", async () => {
      const early = { transactionHash: hashOf("transaction main 1 0"), outputIndex: 0 };
      const first = ledger.block([{ spend: [early], create: [{ to: "bob" }] }]);
      const second = ledger.block([{ create: [{ to: "ann" }] }]);
      expect(at(second, 0, 0)).toEqual(early);
      await store.write(identify, identity);
      const vouched = new Map([[text(early), outputOf({ to: "ann" })]]);
      await store.write(applyBlocks, await resolveBlocks([first], store, native.id, async () => vouched), {
        extendTip: true,
      });
      await expect(feed(store, [second])).rejects.toThrow(/comes after/);
      expect(await verifyStore(store)).toEqual([]);
    });
  });

  describe("a reorganisation", () => {
    test("restores spent outputs, supply, names and first blocks, and lists the abandoned blocks", async () => {
      const claim = { assetId: usd.id, outputIndex: 0, name: "Later", symbol: "L", decimals: 1 };
      const first = ledger.block([{ create: [{ to: "ann", token: usd, amount: 9n }] }]);
      await feed(store, [first]);
      const before = [await store.query(storedTokens, {}), await store.query(storedBlock, 0)];
      const second = ledger.block([
        {
          spend: [at(first, 0, 0)],
          create: [{ to: "bob", token: tokenOf("new") }, { to: "carl" }],
          claims: [claim],
        },
      ]);
      await feed(store, [second]);
      expect(await store.write(revertTo, 0)).toBe(1);
      expect([await store.query(storedTokens, {}), await store.query(storedBlock, 0)]).toEqual(before);
      expect(await walk(store, "ann")).toEqual([text(at(first, 0, 0))]);
      expect(await walk(store, "bob")).toEqual([]);
      expect(await store.query(abandonedBlock, second.hash)).toEqual({
        height: 1,
        hash: second.hash,
        replacedBy: null,
      });
      expect(await store.query(assetChangesOfBlock, changeQuery(second))).toBeNull();
      expect((await store.query(dataStatus)).counts).toMatchObject({
        addresses: 1,
        tokens: 2,
        blocks: 1,
        abandonedBlocks: 1,
      });
      const rival = ledger.fork(0, "rival").block([{ create: [{ to: "dan" }] }]);
      await feed(store, [rival]);
      expect(await store.query(abandonedBlock, second.hash)).toMatchObject({ replacedBy: rival.hash });
      expect(await verifyStore(store)).toEqual([]);
    });

    test("stores which addresses the reverted blocks touched", async () => {
      const first = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
      const spending = ledger.block([{ spend: [at(first, 0, 0)], create: [{ to: "carl" }] }]);
      const passing = ledger.block([{ create: [{ to: "dan" }] }, { create: [{ to: "eve" }] }]);
      const last = ledger.block([{ spend: [at(passing, 0, 0), at(passing, 1, 0)] }]);
      const empty = ledger.block();
      await feed(store, [first, spending, passing, last, empty]);
      const rival = ledger.fork(0, "rival").block([{ spend: [at(first, 0, 1)] }]);
      await store.atomically(async () => {
        await store.write(revertTo, 0);
        await feed(store, [rival]);
      });
      const touched = async (options: { limit: number; withAddresses: boolean }) => {
        const { removed, added } = await store.query(chainProgress, { block: empty, ...options });
        return [...removed!, ...added].map((block) => [
          block.hash,
          block.touched.map(({ key }) => key).toSorted(),
        ]);
      };
      const keys = (...names: string[]) => names.map(keyOf).toSorted();
      expect(await touched({ limit: 10, withAddresses: true })).toEqual([
        [empty.hash, []],
        [last.hash, keys("dan", "eve")],
        [passing.hash, keys("dan", "eve")],
        [spending.hash, keys("ann", "carl")],
        [rival.hash, keys("bob")],
      ]);
      expect(await touched({ limit: 2, withAddresses: false })).toEqual([
        [empty.hash, []],
        [last.hash, []],
      ]);
    });

    test("deletes touches of blocks that are too deep to be traced, and says so", async () => {
      const blocks = Array.from({ length: 10_200 }, () => ledger.block());
      await feed(store, blocks);
      const [old, later] = [blocks[1]!, blocks.at(-1)!];
      const removedSince = async (block: Block, withAddresses: boolean) =>
        (await store.query(chainProgress, { block, limit: 1, withAddresses })).removed?.length ?? null;
      await store.write(revertTo, 0);
      // One call stores the touches of the highest 10,000 blocks that it reverts. They are deleted far below a new tip.
      expect(await removedSince(old, true)).toBe(null);
      expect(await removedSince(old, false)).toBe(1);
      expect(await removedSince(later, true)).toBe(1);
      await feed(store, [ledger.fork(0, "far").block()]);
      await feed(store, [new Ledger("imported", [], 30_000).block()], { extendTip: false });
      await store.write(revertTo, 1);
      expect(await removedSince(later, true)).toBe(null);
      expect(await removedSince(later, false)).toBe(1);
    });

    test("lets a walk resume from the fork, or from the start when it goes newest first", async () => {
      const shared = ledger.block([{ create: [{ to: "ann" }] }]);
      const second = ledger.block([{ create: [{ to: "ann" }] }]);
      const third = ledger.block([{ create: [{ to: "ann" }, { to: "ann" }] }]);
      await feed(store, [shared, second, third]);
      const after = (await store.query(utxosOfAddress, utxoQuery("ann", { limit: 3 }))).last!;
      await store.write(revertTo, 0);
      const rival = ledger.fork(0, "rival");
      const blocks = [rival.block([{ create: [{ to: "ann" }] }]), rival.block([{ create: [{ to: "ann" }] }])];
      await feed(store, blocks);
      const rest = await store.query(utxosOfAddress, utxoQuery("ann", { after }));
      expect(rest.rows.map((row) => row.transactionHash)).toEqual(
        blocks.map((block) => block.transactions[0]!.hash),
      );
      const newestFirst = await store.query(utxosOfAddress, utxoQuery("ann", { after, order: "desc" }));
      expect(newestFirst.rows).toHaveLength(3);
    });

    test("is noticed by a position with the last digits of its block's hash", async () => {
      const shared = ledger.block([{ create: [{ to: "ann" }, { to: "ann" }] }]);
      const gone = ledger.block([{ create: [{ to: "ann" }] }]);
      await feed(store, [shared, gone]);
      const kept = (await store.query(utxosOfAddress, utxoQuery("ann", { limit: 1 }))).last!;
      const lost = (await store.query(utxosOfAddress, utxoQuery("ann"))).last!;
      await store.write(revertTo, 0);
      const rival = ledger.fork(0, "rival").block([{ create: [{ to: "ann" }] }]);
      await feed(store, [rival]);
      const rest = async ({ readAt, ...place }: Position) => {
        const named = { height: readAt.height, hash: readAt.hash.slice(-16) };
        const after = { ...place, blockHash: place.blockHash.slice(-16), readAt: named };
        const { rows } = await store.query(utxosOfAddress, utxoQuery("ann", { after }));
        return rows.map(text);
      };
      expect(await rest(kept)).toEqual([text(at(shared, 0, 1)), text(at(rival, 0, 0))]);
      expect(await rest(lost)).toEqual([text(at(rival, 0, 0))]);
    });
  });

  describe("a copy of the data that is behind the one that a position was read from", () => {
    test("refuses it, whatever its place and address, until it has that state's tip", async () => {
      const ahead = await open();
      const first = ledger.block([{ create: [{ to: "ann" }, { to: "ann" }] }]);
      const second = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
      await feed(ahead, ledger.blocks);
      const { last: after } = await ahead.query(utxosOfAddress, utxoQuery("ann", { limit: 1 }));
      await ahead.close();
      if (!after) throw new Error("no position");
      await feed(store, [first]);
      for (const [to, order, token] of [
        ["ann", "asc"],
        ["ann", "desc"],
        ["ann", "asc", usd.id],
        ["bob", "asc"],
        ["nobody", "asc"],
      ] as const) {
        const refused = store.query(utxosOfAddress, utxoQuery(to, { after, order, token }));
        await expect(refused, `${to} ${order} ${token}`).rejects.toThrow(PositionAheadError);
      }
      // A longer branch does not help: it never had the position's block.
      const rival = ledger.fork(0, "rival");
      await feed(store, [rival.block(), rival.block()]);
      await expect(store.query(utxosOfAddress, utxoQuery("ann", { after }))).rejects.toThrow(
        PositionAheadError,
      );
      await store.write(revertTo, 0);
      await feed(store, [second]);
      const page = await store.query(utxosOfAddress, utxoQuery("ann", { after }));
      expect(page.rows.map(text)).toEqual([text(at(first, 0, 1)), text(at(second, 0, 0))]);
    });

    test("refuses a place that lies in blocks which it lacks below its tip", async () => {
      const blocks = Array.from({ length: 3 }, () => ledger.block([{ create: [{ to: "ann" }] }]));
      await feed(store, [blocks[0]!, blocks[2]!], { extendTip: false });
      const [readAt, { height, hash: blockHash }] = [blocks[2]!, blocks[1]!];
      const after = { height, transactionIndex: 0, outputIndex: 0, blockHash, readAt };
      await expect(store.query(utxosOfAddress, utxoQuery("ann", { after }))).rejects.toThrow(
        PositionAheadError,
      );
      await feed(store, blocks, { extendTip: false });
      expect((await store.query(utxosOfAddress, utxoQuery("ann", { after }))).rows).toHaveLength(1);
    });
  });
});

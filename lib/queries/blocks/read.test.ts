import { expect, test } from "vitest";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { type Ledger, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { type BlockRow, blockNamed } from "../block/read.ts";
import { blockOverview } from "../block-overview.ts";
import type { WalkState } from "../walk-state.ts";
import { type BlockPlace, blocksOfRange } from "./read.ts";

type Canonical = "true" | "false";

async function pages(canonical: Canonical, limit: number, range = {}): Promise<BlockRow[]> {
  const rows: BlockRow[] = [];
  for (let next: { after?: BlockPlace; state?: WalkState } = {}; ; ) {
    const page = await store.query(blocksOfRange, { canonical, limit, ...range, ...next });
    rows.push(...page.rows);
    if (!page.hasNext) return rows;
    next = { after: page.last!, state: page.asOf! };
  }
}

/** Blocks that each move a few assets. */
const grow = (chain: Ledger, blocks: number) => {
  for (let i = 0; i < blocks; i++) {
    const create = Array.from({ length: i % 4 }, (_, n) => ({
      to: "ann",
      token: tokenOf(`${n}`),
      amount: 7n,
    }));
    chain.block([{ create }]);
  }
};

/** Replaces the blocks above a height. */
async function reorganise(chain: Ledger, height: number, name: string, blocks: number): Promise<Ledger> {
  const branch = chain.fork(height, name);
  grow(branch, blocks);
  await store.atomically(async () => {
    await store.write(revertTo, height);
    await feed(store, branch.blocks.slice(height + 1));
  });
  return branch;
}

describeEngines(() => {
  test("blocks of a range come newest first, in pages of any size, and each is as by itself", async () => {
    grow(ledger, 9);
    await feed(store, ledger.blocks);
    await store.write(loadPrices, [{ assetId: tokenOf("0").id, time: 0, usd: 10n ** 18n }]);
    const all = await pages("true", 100);
    expect(all.map(({ hash }) => hash)).toEqual(ledger.blocks.map(({ hash }) => hash).reverse());
    for (const limit of [1, 2, 8, 9]) expect(await pages("true", limit)).toEqual(all);
    const some = await pages("true", 2, { from: { height: 2 }, to: { time: ledger.blocks[6]!.timestamp } });
    expect(some).toEqual(all.filter(({ height }) => height > 2 && height <= 6));
    for (const row of all) {
      const { block } = await store.query(blockNamed, { height: row.height });
      expect(block).toEqual(row);
      const { transactionCount, assetCount, volumeUsd } = (await store.query(blockOverview, row.hash))!;
      expect(row).toMatchObject({ transactionCount, assetCount, volumeUsd });
    }
    expect(new Set(all.map(({ volumeUsd }) => volumeUsd))).toEqual(new Set(["0", "700000000"]));
    expect(await pages("false", 100)).toEqual([]);
  });

  test("replaced blocks are remembered with the height of their fork, and leave the list when they come back", async () => {
    grow(ledger, 6);
    await feed(store, ledger.blocks);
    const first = await reorganise(ledger, 3, "first", 4);
    const second = await reorganise(first, 2, "second", 6);
    const third = await reorganise(second, 7, "third", 2);
    const replaced = [
      [second.blocks[8]!, 7],
      [first.blocks[7]!, 2],
      [first.blocks[6]!, 2],
      ...[ledger.blocks[5]!, first.blocks[5]!].map((block) => [block, 2] as const),
      ...[ledger.blocks[4]!, first.blocks[4]!].map((block) => [block, 2] as const),
      [ledger.blocks[3]!, 2],
    ] as const;
    const expected = replaced
      .map(([{ height, hash, parentHash }, forkHeight]) => ({ height, hash, parentHash, forkHeight }))
      .sort((one, other) => other.height - one.height || (one.hash < other.hash ? 1 : -1));
    for (const limit of [1, 3, 100]) expect(await pages("false", limit)).toEqual(expected);
    for (const row of expected) {
      expect((await store.query(blockNamed, { hash: row.hash })).block).toEqual(row);
    }
    expect(await pages("false", 100, { from: { height: 4 }, to: { height: 7 } })).toEqual(
      expected.filter(({ height }) => height > 4 && height <= 7),
    );
    expect((await pages("true", 100)).map(({ hash }) => hash)).toEqual(
      third.blocks.map(({ hash }) => hash).reverse(),
    );

    // The first branch comes back.
    await store.atomically(async () => {
      await store.write(revertTo, 2);
      await feed(store, first.blocks.slice(3));
    });
    const back = await pages("false", 100);
    expect(back.map(({ hash }) => hash)).not.toContain(first.blocks[6]!.hash);
    expect(back[0]).toMatchObject({ height: 9, hash: third.blocks[9]!.hash, forkHeight: 2 });
    expect((await pages("false", 2, { to: "tip" }))[0]).toMatchObject({ height: 7 });
    expect(back.find(({ hash }) => hash === ledger.blocks[5]!.hash)).toMatchObject({ forkHeight: 3 });
  });

  test("a long branch has its fork", async () => {
    for (let i = 0; i < 2_100; i++) ledger.block();
    await feed(store, ledger.blocks);
    await reorganise(ledger, 1, "other", 2_100);
    const { block } = await store.query(blockNamed, { hash: ledger.tip!.hash });
    expect(block).toMatchObject({ height: 2_099, forkHeight: 1 });
  });

  test("a branch above a gap has no known fork", async () => {
    grow(ledger, 8);
    await feed(store, [ledger.blocks[0]!, ...ledger.blocks.slice(4)], { extendTip: false });
    await store.write(revertTo, 0);
    const { block } = await store.query(blockNamed, { hash: ledger.blocks[6]!.hash });
    expect(block).toMatchObject({ height: 6, forkHeight: null });
    grow(ledger, 1);
    await feed(store, [ledger.blocks[8]!], { extendTip: false });
    const listed = await pages("false", 100);
    expect(listed.map(({ height, forkHeight }) => [height, forkHeight])).toEqual(
      [7, 6, 5, 4].map((height) => [height, null]),
    );
  });

  test("replaced blocks are listed up to a height that lies in a gap", async () => {
    grow(ledger, 6);
    await feed(store, ledger.blocks);
    await store.write(revertTo, 2);
    const branch = ledger.fork(2, "branch");
    grow(branch, 7);
    await feed(store, branch.blocks.slice(7), { extendTip: false });
    for (const [to, heights] of [
      [2, []],
      [4, [4, 3]],
      [6, [5, 4, 3]],
    ] as const) {
      for (const limit of [1, 100]) {
        const listed = await pages("false", limit, { to: { height: to } });
        expect(listed.map(({ hash }) => hash)).toEqual(heights.map((height) => ledger.blocks[height]!.hash));
      }
      const canonical = await pages("true", 100, { to: { height: to } });
      expect(canonical.map(({ height }) => height)).toEqual([2, 1, 0]);
    }
    const above = await pages("false", 100, { from: { height: 3 }, to: { height: 4 } });
    expect(above.map(({ hash }) => hash)).toEqual([ledger.blocks[4]!.hash]);
  });

  test("no block is found in an empty index, at a height that is missing, or before the first time", async () => {
    await expect(pages("true", 1)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(store.query(blockNamed, "tip")).rejects.toMatchObject({ code: "NOT_FOUND" });
    grow(ledger, 4);
    const [, one, , three] = ledger.blocks;
    await feed(store, [one!, three!], { extendTip: false });
    for (const height of [0, 2, 4]) {
      await expect(store.query(blockNamed, { height })).rejects.toMatchObject({ code: "NOT_FOUND" });
    }
    await expect(store.query(blockNamed, { time: one!.timestamp - 1 })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
    const between = await store.query(blockNamed, { time: three!.timestamp - 1 });
    expect(between.block).toMatchObject({ height: 1 });
    expect((await pages("true", 1)).map(({ height }) => height)).toEqual([3, 1]);
  });
});

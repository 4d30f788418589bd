import { expect, test } from "vitest";
import { tip } from "#lib/store/common-queries.ts";
import { pauses } from "#lib/store/pause.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { done } from "#lib/store/rules/steps.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { at, native, tokenOf } from "#lib/testing/ledger.ts";
import { changeQuery, describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { blockNamed } from "./block/read.ts";
import { assetChangesOfBlock } from "./block-asset-changes/read.ts";
import { blockOverview, namesInBlock } from "./block-overview.ts";
import { blockTransactions } from "./block-transactions.ts";
import { blocksOfRange } from "./blocks/read.ts";
import { READ_AT_ONCE } from "./changes-in-pieces.ts";
import { assetChangesOfRange } from "./range-asset-changes/read.ts";
import { volumeOfChanges } from "./volume-of-changes.ts";

const COUNT = READ_AT_ONCE + 6_000;
const tokens = Array.from({ length: COUNT }, (_, i) => tokenOf(`asset ${i}`));
const amountOf = (i: number) => BigInt(((i * 7_919) % 10_007) + 1);
/** Every third asset has a price of one dollar, and a tag. */
const isPriced = (i: number) => i % 3 === 0;
const dollars = (amount: bigint) => amount * 10n ** 8n;

/** Returns the result of `work`, and how many times it yielded. `meanwhile` runs at the first yield. */
async function counting<T>(work: () => Promise<T>, meanwhile = async () => {}) {
  let paused = 0;
  const pause = async () => {
    paused += 1;
    // Nothing can write before the snapshot of the first piece ends.
    await Promise.resolve();
    if (paused === 1) await meanwhile();
  };
  const result = await pauses.run(pause, work);
  return { result, paused };
}

describeEngines(() => {
  async function storeMany() {
    ledger.block();
    const block = ledger.block([
      { create: tokens.map((token, i) => ({ to: "ann", token, amount: amountOf(i) })) },
    ]);
    const spend = tokens.map((_, i) => at(block, 0, i));
    ledger.block([{ spend, create: [{ to: "ann", token: tokens[1]!, amount: 1n }] }]);
    await feed(store, ledger.blocks);
    const priced = tokens.filter((_, i) => isPriced(i));
    await store.write(
      replaceRegistry,
      priced.map(({ id }) => ({ id, tags: ["priced"], decimals: 0 })),
    );
    await store.write(
      loadPrices,
      priced.map(({ id }) => ({ assetId: id, time: 0, usd: 10n ** 18n })),
    );
    return block;
  }
  const givesWay = (paused: number) =>
    store.engine === "sqlite" ? expect(paused).toBeGreaterThan(4) : undefined;

  test("pages read in pieces equal those of one statement", async () => {
    const block = await storeMany();
    const listed = tokens.map(({ id }, i) => ({
      id,
      amount: amountOf(i),
      usd: isPriced(i) ? amountOf(i) : 0n,
    }));
    const byValue = [...listed].sort((one, other) => Number(other.usd - one.usd));
    const textOf = ({ id, amount }: { id: string; amount: bigint | string }) => `${id} ${amount}`;

    // The native asset is the first of all, and without a price.
    const first = listed.filter(({ usd }) => usd > 0n).length;
    for (const [volumeOrder, offset, expected] of [
      ["desc", 0, byValue.slice(0, 10)],
      ["desc", first - 5, byValue.slice(first - 5, first)],
      ["desc", first + 1, byValue.slice(first, first + 10)],
      ["asc", COUNT + 1 - 10, byValue.slice(0, 10).reverse()],
    ] as const) {
      const limit = expected.length;
      const page = { ...changeQuery(block), volumeOrder, offset, limit };
      const { blockHash, ...rest } = page;
      const ofBlock = await counting(() => store.query(assetChangesOfBlock, page));
      const ofRange = await counting(() =>
        store.query(assetChangesOfRange, { ...rest, to: { hash: blockHash } }),
      );
      for (const { result, paused } of [ofBlock, ofRange]) {
        // Further pages of a list find it in the cache.
        if (offset === 0 || volumeOrder === "asc") givesWay(paused);
        else expect(paused).toBe(0);
        expect(result!.total).toBe(COUNT + 1);
        const found = result!.rows.map(({ asset, amount }) => ({ id: asset.id, amount }));
        expect(found.map(textOf)).toEqual(expected.map(textOf));
      }
    }

    const both = { ...changeQuery(block), tags: ["priced"], limit: 2 };
    const { blockHash, ...filters } = both;
    const { result, paused } = await counting(() => store.query(assetChangesOfRange, filters));
    givesWay(paused);
    expect(result).toMatchObject({
      total: first,
      rows: [0, 3].map((i) => ({
        amount: String(2n * amountOf(i)),
        amountUsd: String(dollars(2n * amountOf(i))),
        asset: { id: tokens[i]!.id, tags: ["priced"] },
        blocks: 2,
        transactions: 2,
      })),
    });
    const volume = dollars(listed.reduce((sum, { usd }) => sum + usd, 0n));
    expect(await store.query(volumeOfChanges, { blockHash, tags: ["priced"] })).toBe(String(volume));
    expect(await store.query(blockOverview, blockHash)).toMatchObject({
      pricedCount: first,
      unpricedCount: COUNT + 1 - first,
      volumeUsd: String(volume),
      tags: [{ tag: "priced", count: first, volumeUsd: String(volume) }],
    });
    const blocks = await counting(() => store.query(blocksOfRange, { canonical: "true", limit: 9 }));
    givesWay(blocks.paused);
    expect(blocks.result.rows.map(({ volumeUsd }) => volumeUsd)).toEqual([`${volume}`, `${volume}`, "0"]);
    const names = await counting(() => store.query(namesInBlock, blockHash));
    givesWay(names.paused);
    expect(names.result.map(({ id }) => id)).toEqual([native.id, ...tokens.map(({ id }) => id)]);
    const query = { blockHash: ledger.tip!.hash, offset: 0, limit: 10, assets: 2 };
    const transactions = await counting(() => store.query(blockTransactions, query));
    givesWay(transactions.paused);
    expect(transactions.result!.rows).toMatchObject([
      {
        inputs: COUNT,
        outputs: 1,
        more: COUNT + 1 - 2,
        moved: [{ in: 100n * BigInt(COUNT), out: 100n }, {}],
      },
    ]);
  });

  test("pages far down a list are right each time they are read", async () => {
    const block = await storeMany();
    const { blockHash, ...list } = { ...changeQuery(block), volumeOrder: "asc" as const, limit: 300 };
    const whole = [];
    for (let offset = 0; offset < COUNT; offset += 300) {
      const page = { ...list, offset };
      const read = [];
      for (let time = 0; time < 3; time++) {
        read.push((await store.query(assetChangesOfBlock, { ...page, blockHash }))!);
        read.push(await store.query(assetChangesOfRange, { ...page, to: { hash: blockHash } }));
      }
      const lists = read.map(({ rows }) => rows.map(({ asset, amount }) => `${asset.id} ${amount}`));
      expect(new Set(lists.map(String)).size).toBe(1);
      expect(read.map(({ total }) => total)).toEqual(read.map(() => COUNT + 1));
      whole.push(...lists[0]!);
    }
    const values = tokens.map(({ id }, i) => ({
      text: `${id} ${amountOf(i)}`,
      usd: isPriced(i) ? amountOf(i) : 0n,
    }));
    const sorted = values.toSorted((one, other) => Number(one.usd - other.usd));
    expect(whole.slice(1)).toEqual(sorted.map(({ text }) => text));
  });

  test("are read again if their blocks are reverted between pieces, even if they come back", async ({
    skip,
  }) => {
    // All that PostgreSQL reads is of one state.
    if (store.engine === "postgres") skip();
    const block = await storeMany();
    const { blockHash, ...range } = { ...changeQuery(block), volumeOrder: "desc" as const };
    const last = ledger.tip!;
    const asked: (() => Promise<unknown>)[] = [
      () => store.query(assetChangesOfBlock, { ...range, blockHash }),
      () => store.query(assetChangesOfRange, range),
      () => store.query(assetChangesOfRange, { ...range, assetName: "a" }),
      () => store.query(namesInBlock, blockHash),
      () => store.query(blockOverview, blockHash),
      () => store.query(volumeOfChanges, { blockHash, tags: ["priced"] }),
      () => store.query(blocksOfRange, { canonical: "true", limit: 9 }),
      () => store.query(blockNamed, { hash: blockHash }),
      () => store.query(blockTransactions, { blockHash, offset: 0, limit: 10, assets: 2 }),
    ];
    const revert = async () => void (await store.write(revertTo, 0));
    const revertAndRestore = async () => {
      await revert();
      await feed(store, [block, last]);
    };
    const settled = async (asking: Promise<unknown>) => (await Promise.allSettled([asking]))[0];
    for (const ask of asked) {
      const before = await ask();
      expect((await counting(ask, revertAndRestore)).result).toEqual(before);
      const during = counting(ask, revert).then(({ result }) => result);
      expect(await settled(during)).toEqual(await settled(ask()));
      await feed(store, [block, last]);
    }
  });

  test("are refused if blocks are reverted each time that they are read", async ({ skip }) => {
    if (store.engine === "postgres") skip();
    const block = ledger.block();
    await feed(store, [block]);
    let reads = 0;
    const disturbed = store.query({
      effort: "snapshot",
      *read(db) {
        reads += 1;
        // Nothing can write before the snapshot of the first piece ends.
        yield* done(Promise.resolve());
        yield* done(store.write(revertTo, -1));
        yield* done(feed(store, [block]));
        return yield* tip(db);
      },
    });
    await expect(disturbed).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE" });
    expect(reads).toBe(3);
  });
});

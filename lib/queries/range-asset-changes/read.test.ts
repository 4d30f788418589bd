import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { GROUP_SIZES } from "#lib/store/rules/change-sums.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { run, statementWith } from "#lib/store/statement.ts";
import { Ledger, native, timeAt, tokenOf } from "#lib/testing/ledger.ts";
import {
  changeQuery,
  describeEngines,
  feed,
  ledger,
  open,
  store,
  U128_MAX,
  usd,
} from "#lib/testing/stores.ts";
import { assetChangesOfBlock } from "../block-asset-changes/read.ts";
import { chainTip } from "../chain.ts";
import { assetChangesOfRange, type RangeChangeQuery } from "./read.ts";

const all = { assetName: "", tags: [], offset: 0, limit: 1000 };
const tokens = [usd, ...["a", "b", "c", "d", "e"].map((name) => tokenOf(name))];

/** Sums up the pages of single blocks, by height. */
async function sumByHand(hashes: string[]) {
  const sums = new Map<string, { amount: bigint; usd: bigint; blocks: number }>();
  for (const blockHash of hashes) {
    for (const { asset, amount, amountUsd } of (await store.query(assetChangesOfBlock, {
      ...all,
      blockHash,
    }))!.rows) {
      const sum = sums.get(asset.id) ?? { amount: 0n, usd: 0n, blocks: 0 };
      sum.amount += BigInt(amount);
      sum.usd += BigInt(amountUsd);
      sum.blocks += 1;
      sums.set(asset.id, sum);
    }
  }
  return [...sums].map(([id, { amount, usd, blocks }]) => [id, String(amount), String(usd), blocks]);
}

const rowsOf = async (query: Partial<RangeChangeQuery>) =>
  (await store.query(assetChangesOfRange, { ...all, ...query })).rows.map(
    ({ asset, amount, amountUsd, blocks }) => [asset.id, amount, amountUsd, blocks],
  );

/** The tokens of each transaction of a block. */
const moves = fc.array(fc.array(fc.nat({ max: tokens.length - 1 }), { maxLength: 3 }), { maxLength: 3 });
const plan = fc.record({
  first: fc.constantFrom(0, 230, 4_080),
  blocks: fc.array(moves, { minLength: 20, maxLength: 45, size: "max" }),
  order: fc.infiniteStream(fc.nat({ max: 1000 })),
  reverted: fc.nat({ max: 19 }),
  branch: fc.array(moves, { maxLength: 8 }),
  prices: fc.array(
    fc.record({ token: fc.nat({ max: 5 }), block: fc.nat({ max: 45 }), usd: fc.bigInt(0n, 9n) }),
  ),
  decimals: fc.nat({ max: 9 }),
});

describeEngines(() => {
  describe("asset changes of a range", () => {
    const grow = (chain: Ledger, blocks: number[][][]) => {
      for (const transactions of blocks) {
        chain.block(
          transactions.map((moved) => ({
            create: moved.map((i) => ({
              to: "ann",
              token: tokens[i]!,
              // Some sums exceed 64 bits although each part fits.
              amount: [0n, U128_MAX, 2n ** 62n][i] ?? BigInt(i),
            })),
          })),
        );
      }
    };

    test(
      "are the sums of its blocks in any order of indexing, through reorganisations and price loads",
      () =>
        fc.assert(
          fc.asyncProperty(plan, async ({ first, blocks, order, reverted, branch, prices, decimals }) => {
            await using own = { store: await open(), [Symbol.asyncDispose]: () => own.store.close() };
            const ask = own.store.query.bind(own.store);
            const main = new Ledger("main", [], first);
            grow(main, blocks);
            const keys = new Map(main.blocks.map((block) => [block, order.next().value as number]));
            const shuffled = main.blocks.toSorted((a, b) => keys.get(a)! - keys.get(b)!);
            const priced = prices.map(({ token, block, usd }) => ({
              assetId: tokens[token]!.id,
              time: timeAt(first + block),
              usd: usd * 10n ** 18n,
            }));
            const half = priced.length >> 1;
            await feed(own.store, shuffled.slice(0, 9), { extendTip: false });
            await own.store.write(loadPrices, priced.slice(0, half));
            await feed(own.store, shuffled.slice(9), { extendTip: false });
            const fork = main.tip!.height - reverted;
            await own.store.write(revertTo, fork);
            const other = main.fork(fork, "other");
            grow(other, branch);
            await feed(
              own.store,
              other.blocks.filter(({ height }) => height > fork),
            );
            await own.store.write(loadPrices, priced.slice(half));
            await own.store.write(replaceRegistry, [{ id: usd.id, decimals }]);
            expect(await verifyStore(own.store)).toEqual([]);

            const single = new Map<string, [string, bigint, bigint][]>();
            for (const { hash } of other.blocks) {
              const { rows } = (await ask(assetChangesOfBlock, { ...all, blockHash: hash }))!;
              single.set(
                hash,
                rows.map(({ asset, amount, amountUsd }) => [asset.id, BigInt(amount), BigInt(amountUsd)]),
              );
            }
            const ends = [-1, 0, 3, 15, 17, 25, 26, other.blocks.length - 1];
            for (const after of ends) {
              for (const to of ends) {
                if (to < 0 || to < after || to >= other.blocks.length) continue;
                const expected = new Map<string, [bigint, bigint, number, number]>();
                for (const block of other.blocks.slice(after + 1, to + 1)) {
                  for (const [id, amount, value] of single.get(block.hash)!) {
                    const sum = expected.get(id) ?? [0n, 0n, 0, 0];
                    const moving = block.transactions.filter(({ outputs }) =>
                      outputs.some(({ token }) => id === native.id || token?.id === id),
                    ).length;
                    expected.set(id, [sum[0] + amount, sum[1] + value, sum[2] + 1, sum[3] + moving]);
                  }
                }
                const query = {
                  ...all,
                  from: { height: Math.max(first + after, 0) },
                  to: { height: first + to },
                };
                if (first + after < 0) Object.assign(query, { from: undefined });
                const { rows, total } = await ask(assetChangesOfRange, query);
                expect(total).toBe(expected.size);
                expect(
                  rows.map((row) => [row.asset.id, row.amount, row.amountUsd, row.blocks, row.transactions]),
                ).toEqual([...expected].map(([id, [a, b, c, d]]) => [id, String(a), String(b), c, d]));
              }
            }
          }),
          { numRuns: store.engine === "sqlite" ? 20 : 4 },
        ),
      120_000,
    );

    test("are in order of value, filtered, and in pages that do not overlap", async () => {
      for (let i = 0; i < 40; i++) {
        ledger.block([{ create: [{ to: "ann", token: tokens[(i * 7) % 6]!, amount: BigInt(i) }] }]);
      }
      await feed(store, ledger.blocks);
      await store.write(replaceRegistry, [{ id: usd.id, name: "Dollar", tags: ["stable"] }]);
      await store.write(
        loadPrices,
        tokens.map(({ id }, i) => ({ assetId: id, time: 0, usd: BigInt(i % 3) * 10n ** 40n })),
      );
      const query = { from: { height: 2 }, to: { height: 38 } };
      const hashes = ledger.blocks.slice(3, 39).map(({ hash }) => hash);
      const byHand = await sumByHand(hashes);
      expect(await rowsOf(query)).toEqual(byHand);
      const timeOf = (height: number) => ({ time: ledger.blocks[height]!.timestamp + 1 });
      expect(await rowsOf({ from: timeOf(2), to: timeOf(38) })).toEqual(byHand);
      const value = (row: unknown[]) => BigInt(row[2] as string);
      const byValue = byHand.toSorted((a, b) => (value(a) < value(b) ? 1 : value(a) > value(b) ? -1 : 0));
      expect(await rowsOf({ ...query, volumeOrder: "desc" })).toEqual(byValue);
      for (const volumeOrder of ["asc", "desc", undefined] as const) {
        const whole = await rowsOf({ ...query, volumeOrder });
        const pages = await Promise.all(
          [0, 3, 6].map((offset) => rowsOf({ ...query, volumeOrder, offset, limit: 3 })),
        );
        expect(pages.flat()).toEqual(whole);
      }
      const page = (filters: Partial<RangeChangeQuery>) =>
        store.query(assetChangesOfRange, { ...all, ...query, ...filters });
      expect(await page({ offset: 100 })).toMatchObject({ rows: [], total: 7 });
      const dollar = byHand.filter(([id]) => id === usd.id);
      for (const filter of [{ assetName: "doll" }, { tags: ["stable"] }, { search: usd.id }]) {
        expect(await rowsOf({ ...query, ...filter })).toEqual(dollar);
        expect(await page({ ...filter, offset: 7 })).toMatchObject({ rows: [], total: 1 });
      }
      expect(await page({ assetName: "\0" })).toMatchObject({ rows: [], total: 0 });
      expect((await page({})).block.hash).toBe(hashes.at(-1));
      expect((await page({})).tip).toEqual(await store.query(chainTip));
    });

    test("of one block are the block's, and of no block are empty", async () => {
      for (let i = 0; i < 3; i++) ledger.block([{ create: [{ to: "ann", token: usd, amount: 3n }] }]);
      await feed(store, ledger.blocks);
      const { rows, total } = (await store.query(assetChangesOfBlock, changeQuery(ledger.blocks[1]!)))!;
      const range = { ...all, from: { height: 0 }, to: { height: 1 } };
      expect(await store.query(assetChangesOfRange, range)).toMatchObject({ rows, total });
      const nothing = { ...range, to: { height: 0 } };
      expect(await store.query(assetChangesOfRange, nothing)).toMatchObject({ rows: [], total: 0 });
    });

    test("are checked by verify, in groups of each size", async () => {
      await feed(store, [ledger.block([{ create: [{ to: "ann", token: usd }] }])]);
      expect(await verifyStore(store)).toEqual([]);
      const setBlocks = statementWith(["size", "blocks"])(
        "UPDATE change_sums SET blocks = $blocks WHERE size = $size",
      );
      for (const size of GROUP_SIZES) {
        await store.write(({ db }) => run(db, setBlocks({ size, blocks: 2 })));
        const wrong = expect.stringContaining(`over the ${size} blocks from 0 on`);
        expect(await verifyStore(store)).toContainEqual(wrong);
        await store.write(({ db }) => run(db, setBlocks({ size, blocks: 1 })));
      }
    });
  });
});

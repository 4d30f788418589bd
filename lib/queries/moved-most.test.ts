import { describe, expect, test } from "vitest";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { Ledger, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { movedMost, partsOf } from "./moved-most.ts";
import { assetChangesOfRange } from "./range-asset-changes/read.ts";

const MINUTE = 60_000;
const [most, some, once, unpriced] = ["most", "some", "once", "unpriced"].map((name) => tokenOf(name)) as [
  ReturnType<typeof tokenOf>,
  ReturnType<typeof tokenOf>,
  ReturnType<typeof tokenOf>,
  ReturnType<typeof tokenOf>,
];

/** Adds a block every minute. Each moves more of `most` than the one before. */
function fill(chain: Ledger, heights: { from: number; to: number }) {
  for (let height = heights.from; height <= heights.to; height++) {
    const amount = BigInt(height + 5);
    const tokens = [
      { token: most, amount },
      { token: unpriced, amount: 10n ** 30n },
      ...(height % 3 === 0 ? [{ token: some, amount: 4n }] : []),
      ...(height === 40 ? [{ token: once, amount: 1n }] : []),
    ];
    chain.block([{ create: tokens.map((of) => ({ to: "ann", ...of })) }], (height + 1) * MINUTE);
  }
}

const price = () =>
  store.write(
    loadPrices,
    [most, some, once].map(({ id }) => ({ assetId: id, time: 0, usd: 10n ** 18n })),
  );

/** The amount of an asset that the blocks between two heights moved, according to the API. */
async function volume(assetId: string, after: number, to: number): Promise<string> {
  const range = { from: { height: after }, to: { height: to } };
  const { rows } = await store.query(assetChangesOfRange, {
    ...range,
    assetName: "",
    tags: [],
    offset: 0,
    limit: 10,
  });
  return rows.find(({ asset }) => asset.id === assetId)?.amountUsd ?? "0";
}

async function expectLikeTheApi(period: number) {
  const moved = (await store.query(movedMost, { period: period * MINUTE, limit: 10 }))!;
  const after = moved.tip.height - period;
  expect(moved).toMatchObject({ after, isWhole: true });
  expect(moved.rows.map(({ asset }) => asset.id)).toEqual(
    [most, some, ...(after < 40 ? [once] : [])].map(({ id }) => id),
  );
  for (const { asset, volumeUsd, points, before } of moved.rows) {
    expect(volumeUsd).toBe(await volume(asset.id, after, moved.tip.height));
    const ends = partsOf(after, moved.tip.height);
    const parts = points.map((_, i) => volume(asset.id, ends[i]!, ends[i + 1]!));
    expect(points).toEqual(await Promise.all(parts));
    expect(before).toBe(after < period ? null : await volume(asset.id, after - period, after));
  }
}

describeEngines(() => {
  test("what moved most, before and in parts of the time, is what the API says of the ranges", async () => {
    fill(ledger, { from: 0, to: 609 });
    await feed(store, ledger.blocks);
    await price();
    for (const period of [7, 60, 300, 580]) await expectLikeTheApi(period);
    const fork = ledger.fork(604, "fork");
    fill(fork, { from: 605, to: 608 });
    await store.write(revertTo, 604);
    await feed(store, fork.blocks.slice(605));
    await expectLikeTheApi(300);
  });

  test("a limit leaves out the least valuable, and what has no price is never there", async () => {
    fill(ledger, { from: 0, to: 49 });
    await feed(store, ledger.blocks);
    const ask = (limit: number) => store.query(movedMost, { period: 20 * MINUTE, limit });
    expect((await ask(5))!.rows).toEqual([]);
    await price();
    expect((await ask(1))!.rows.map(({ asset }) => asset.id)).toEqual([most.id]);
  });

  test("a period that begins before the index, or with a gap in it, is not whole", async () => {
    const period = 60 * MINUTE;
    expect(await store.query(movedMost, { period, limit: 1 })).toBeNull();
    const chain = new Ledger("main", [], 40);
    fill(chain, { from: 40, to: 69 });
    await feed(store, chain.blocks);
    await price();
    const early = (await store.query(movedMost, { period, limit: 5 }))!;
    expect(early).toMatchObject({ after: -1, isWhole: false });
    expect(early.rows).toMatchObject([{ before: null }, { before: null }, { before: null }]);
    expect(early.rows[0]!.volumeUsd).toBe(await volume(most.id, 39, 69));
    const later = new Ledger("later", [], 80);
    fill(later, { from: 80, to: 139 });
    await feed(store, later.blocks, { extendTip: false });
    const asked = async (minutes: number) =>
      (await store.query(movedMost, { period: minutes * MINUTE, limit: 1 }))!;
    expect(await asked(65)).toMatchObject({ isWhole: false });
    expect(await asked(50)).toMatchObject({ isWhole: true, rows: [{ before: null }] });
    expect((await asked(20)).rows[0]!.before).not.toBeNull();
  });
});

describe("the parts of a period", () => {
  test("are about equal, cover all of it, and consist of whole groups if it is long", () => {
    expect(partsOf(9, 12)).toEqual([9, 10, 11, 12]);
    const day = partsOf(1_000_003, 1_008_643);
    expect(day).toHaveLength(25);
    expect([day[0], day.at(-1)]).toEqual([1_000_003, 1_008_643]);
    for (const end of day.slice(1, -1)) expect((end + 1) % 16).toBe(0);
    for (const [i, end] of day.slice(1).entries()) expect(Math.abs(end - day[i]! - 360)).toBeLessThan(32);
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { holdingsOfAddresses } from "#lib/queries/address-holdings/read.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { keyOf, Ledger, native, tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, grow, ledger, open, randomChain, store, usd } from "#lib/testing/stores.ts";
import { addressSeries, SERIES_POINTS, type SeriesPoint, SPANS, type Span } from "./address-series.ts";

const HOUR = 3_600_000;
const START = 1_700_000_000_000;
const spans = Object.keys(SPANS) as Span[];
const ann = keyOf("ann");
const bob = keyOf("bob");

/** The sums of the addresses after a block, according to the list of holdings. */
async function heldAt(of: typeof store, hash: string, addressKeys: readonly string[]) {
  const query = { addressKeys, at: { hash }, after: undefined, limit: 100 };
  const { rows } = await of.query(holdingsOfAddresses, query);
  const priced = rows.filter(({ value }) => value !== null);
  const unpriced = rows.filter(({ value, amount }) => value === null && amount > 0n).length;
  return {
    valueUsd:
      priced.length === 0 && unpriced > 0
        ? null
        : String(priced.reduce((sum, { value }) => sum + value!, 0n)),
    unpriced,
    amountOf: (id: string) => String(rows.find(({ token }) => token.id === id)?.amount ?? 0n),
  };
}

describeEngines(() => {
  test("each point of a series equals the holdings of its block, over any span and up to any block", async () => {
    await fc.assert(
      fc.asyncProperty(
        randomChain(),
        fc.array(
          fc.record({ at: fc.nat({ max: 12 }), usd: fc.constantFrom(0n, 3n * 10n ** 17n, 10n ** 30n) }),
        ),
        async (plan, prices) => {
          const fresh = await open();
          try {
            const chain = new Ledger();
            grow(chain, plan);
            for (const block of chain.blocks) block.timestamp = START + block.height * 17 * HOUR;
            await feed(fresh, chain.blocks);
            await fresh.write(
              loadPrices,
              prices.map(({ at, usd: dollars }, nth) => ({
                assetId: nth % 2 ? usd.id : native.id,
                time: START + at * 9 * HOUR,
                usd: dollars,
              })),
            );
            for (const { height } of chain.blocks) {
              const at = { height };
              for (const [span, addressKey] of spans.flatMap((span) => [
                [span, [ann]] as const,
                [span, [ann, bob]] as const,
              ])) {
                const series = await fresh.query(addressSeries, { addressKey, at, span });
                const ofOne = await fresh.query(addressSeries, { addressKey, at, span, token: usd.id });
                expect(series.points?.at(-1)).toMatchObject({ height });
                for (const [nth, point] of series.points!.entries()) {
                  const { amountOf, ...whole } = await heldAt(fresh, point.hash, addressKey);
                  expect(point).toMatchObject(whole);
                  expect(ofOne.points?.[nth]?.amount).toBe(amountOf(usd.id));
                }
              }
            }
          } finally {
            await fresh.close();
          }
        },
      ),
      { numRuns: 6 },
    );
  });

  test("a series has its points at equal times, and those a day and a week before its end", async () => {
    for (let at = 0; at < 400; at++) {
      ledger.block(at % 50 === 0 ? [{ create: [{ to: "ann", token: usd }] }] : [], START + at * HOUR);
    }
    await feed(store, ledger.blocks);
    const series = (span: Span, height: number) =>
      store.query(addressSeries, { addressKey: ann, span, at: { height }, token: usd.id });
    const week = await series("7d", 399);
    expect(week.points).toHaveLength(SERIES_POINTS);
    expect(week.points?.map(({ height }) => height)).toEqual(
      [...new Set(week.points?.map(({ height }) => height))].sort((a, b) => a - b),
    );
    expect(week.weekAgo).toMatchObject({ height: 399 - 168, amount: "5" });
    expect(week.dayAgo).toMatchObject({ height: 399 - 24, amount: "8" });
    expect(week.points?.[0]).toEqual(week.weekAgo);

    const young = await series("7d", 100);
    expect(young.weekAgo).toBeNull();
    expect(young.dayAgo).toMatchObject({ height: 76 });
    expect(young.points?.[0]).toMatchObject({ height: 0 });
    expect((await series("24h", 399)).points).toHaveLength(25);
    expect((await series("all", 399)).points).toHaveLength(SERIES_POINTS);
    await expect(series("7d", 400)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("a series begins above the last gap", async () => {
    for (let at = 0; at < 60; at++) {
      ledger.block(at === 0 ? [{ create: [{ to: "ann" }] }] : [], START + at * HOUR);
    }
    const indexed = ledger.blocks.filter(({ height }) => height < 10 || height >= 40);
    await feed(store, indexed, { extendTip: false });
    const { points, dayAgo } = await store.query(addressSeries, { addressKey: ann, span: "7d" });
    expect(points?.[0]).toMatchObject({ height: 40 });
    expect(dayAgo).toBeNull();
  });

  test("a series begins with its span or with the first touch, however old the blocks before are", async () => {
    const YEARS = 15 * 365 * 24 * HOUR;
    ledger.block([{ create: [{ to: "bob" }] }], START - YEARS);
    // The clocks of miners differ: block 7 is older than the one before.
    for (let at = 1; at < 40; at++) {
      ledger.block(at === 5 ? [{ create: [{ to: "ann" }] }] : [], START + (at === 7 ? 5.5 : at) * HOUR);
    }
    await feed(store, ledger.blocks);
    const series = async (who: string, span: Span) => {
      const { points } = await store.query(addressSeries, { addressKey: keyOf(who), span, token: native.id });
      expect(points!.every(({ time }, nth) => nth === 0 || time >= points![nth - 1]!.time)).toBe(true);
      const [{ time, height, amount }] = points as [SeriesPoint];
      return { time, height, isNothing: amount === "0" };
    };
    const end = START + 39 * HOUR;
    for (const span of ["7d", "30d", "all"] as const)
      expect(await series("ann", span)).toEqual({ time: START + 5 * HOUR, height: 4, isNothing: true });
    expect(await series("ann", "24h")).toEqual({ time: end - 24 * HOUR, height: 15, isNothing: false });
    // From the first block on, as on a developer's chain.
    expect(await series("bob", "7d")).toEqual({ time: end - 7 * 24 * HOUR, height: 0, isNothing: false });
    expect(await series("bob", "all")).toEqual({ time: START - YEARS, height: 0, isNothing: false });
    expect(await series("nobody", "7d")).toEqual({ time: end - 7 * 24 * HOUR, height: 0, isNothing: true });
  });

  test("an asset without a price counts nothing, and an address with none has no value", async () => {
    const other = tokenOf("other");
    ledger.block([{ create: [{ to: "ann", token: usd, amount: 5n, capacity: 0n }] }], START);
    ledger.block([{ create: [{ to: "ann", token: other, amount: 7n, capacity: 0n }] }], START + HOUR);
    await feed(store, ledger.blocks);
    await store.write(loadPrices, [{ assetId: other.id, time: START, usd: 2n * 10n ** 18n }]);
    const { points } = await store.query(addressSeries, { addressKey: ann, span: "24h" });
    expect(points?.map(({ valueUsd, unpriced }) => [valueUsd, unpriced])).toEqual([
      [null, 1],
      ["1400000000", 1],
    ]);
    const nobody = await store.query(addressSeries, { addressKey: keyOf("nobody"), span: "24h" });
    expect(nobody.points?.at(-1)).toMatchObject({ valueUsd: "0", unpriced: 0 });
  });
});

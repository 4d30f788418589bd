import { valueInUsd } from "#lib/contract/amounts.ts";
import type { Price, ResolvedBlock } from "#lib/store/store.ts";
import type { Tables } from "#lib/store/tables/ledger.ts";
import type { Steps } from "./steps.ts";

/** The last price at or before `time`, of prices in order of time; null before the first. */
export function priceInForce(prices: { time: number; usd: bigint }[], time: number): bigint | null {
  let low = 0;
  let high = prices.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (prices[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return prices[low - 1]?.usd ?? null;
}

/** Units of 10^-8 US dollars; 0 without a price. */
const valueAt = (amount: bigint, decimals: number, price: bigint | null): bigint =>
  price === null ? 0n : valueInUsd(amount, decimals, price);

/** What each block moved, at the prices in force at its time. */
export function* addChanges(tables: Tables, blocks: ResolvedBlock[]): Steps<void> {
  const changes = blocks.flatMap(({ hash, height, timestamp, changes }) =>
    changes.map((change, ordinal) => ({ ...change, blockHash: hash, height, ordinal, time: timestamp })),
  );
  if (changes.length === 0) return;
  const pricing = yield* tables.pricesAt(changes);
  const valued = changes.map((change, i) => {
    const { decimals, usd } = pricing[i]!;
    return { ...change, usd: valueAt(change.amount, decimals, usd) };
  });
  yield* tables.addChanges(valued);
}

/** Updates the values of the asset's changes in blocks from `time` on. */
export function* revalue(tables: Tables, assetId: string, time: number): Steps<void> {
  const decimals = yield* tables.decimalsOf(assetId);
  if (decimals === undefined) return;
  const prices = yield* tables.pricesFrom(assetId, time);
  const first = yield* tables.firstHeightFrom(time);
  if (first === null) return;
  // A batch at a time: the native asset has a change in every block.
  for (let above = first - 1; ; ) {
    const changes = yield* tables.changesOf(assetId, above, time);
    if (changes.length === 0) return;
    above = changes.at(-1)!.height;
    const wrong = changes.flatMap((change) => {
      const usd = valueAt(change.amount, decimals, priceInForce(prices, change.timestamp));
      return usd === change.usd ? [] : [{ ...change, usd }];
    });
    if (wrong.length > 0) yield* tables.saveValues(wrong);
  }
}

/** Adds or replaces prices, and updates the values of stored changes. */
export function* loadPrices(tables: Tables, prices: Price[]): Steps<void> {
  const changed = yield* tables.addPrices(lastOfEach(prices));
  const earliest = new Map<string, number>();
  for (const { assetId, time } of changed) {
    earliest.set(assetId, Math.min(earliest.get(assetId) ?? time, time));
  }
  for (const [assetId, time] of earliest) yield* revalue(tables, assetId, time);
}

/** Removes the asset's prices between two times, both included, and updates values. Returns how many there were. */
export function* removePrices(tables: Tables, assetId: string, from: number, to: number): Steps<number> {
  const removed = yield* tables.removePrices(assetId, from, to);
  if (removed > 0) yield* revalue(tables, assetId, from);
  return removed;
}

/** Of several prices of one asset for one time, the last one counts. */
function lastOfEach(prices: Price[]): Price[] {
  const byAsset = new Map<string, Map<number, Price>>();
  for (const price of prices) {
    const ofAsset = byAsset.get(price.assetId);
    if (ofAsset) ofAsset.set(price.time, price);
    else byAsset.set(price.assetId, new Map([[price.time, price]]));
  }
  return [...byAsset.values()].flatMap((ofAsset) => [...ofAsset.values()]);
}

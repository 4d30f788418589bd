import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { PRICE_DECIMALS, parseDecimal, toUnits } from "#lib/util/amounts.ts";
import { ordinaryTokens } from "./demo-tokens.ts";
import { Random } from "./random.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** In the last hour, the prices of the native asset and of this many tokens change every few minutes. */
const LIVELY_TOKENS = 6;
/** Chosen by the looks of the charts. */
const SEED = 7;
const SLOWEST_MINUTES = 480;

/**
 * Prices from a day before the chain starts, about every six hours. They walk, with trends; a dollar's stays near 1.
 * @param times of the blocks
 */
export function pricesCsv(seed: number, times: readonly number[]): string {
  const random = new Random(seed + SEED);
  const dayBefore = times[0]! - 24 * HOUR;
  const end = times.at(-1)!;
  const rows: [time: number, line: string][] = [];
  // All prices share a part of each move, so that what an address holds moves as a whole.
  const market = Array.from({ length: Math.ceil((end - dayBefore) / (6 * HOUR)) + 1 }, () =>
    random.between(-14, 14),
  );
  const walk = (id: string, usd: string, from: number, isLively: boolean, isDollar = false) => {
    const first = parseDecimal(usd, PRICE_DECIMALS)!;
    let price = first;
    let trend = 0;
    for (let time = from; time <= end; ) {
      rows.push([time, priceLine(id, time, price)]);
      const isQuick = isLively && time >= end - HOUR - SLOWEST_MINUTES * MINUTE;
      if (random.below(10) === 0) trend = random.between(-8, 8);
      const common = market[Math.floor((time - dayBefore) / (6 * HOUR))]!;
      const change = isQuick || isDollar ? random.between(-2, 2) : common + trend + random.between(-12, 12);
      price = movedPrice(isDollar ? first : price, change);
      const slowest = isQuick ? 20 : SLOWEST_MINUTES;
      time += random.between(slowest / 2, slowest) * MINUTE;
    }
  };
  walk(NATIVE_ASSET.id, "0.0075", dayBefore, true);
  for (const [index, { id, key, price, listing }] of ordinaryTokens.entries()) {
    if (price === undefined) continue;
    const from = key === "LATE" ? times[Math.floor((times.length - 1) / 2)]! : dayBefore;
    walk(id, price, from, index < LIVELY_TOKENS, listing?.tags?.includes("stablecoin"));
  }
  return csvOf(rows.sort(([a], [b]) => a - b).map(([, line]) => line));
}

export const csvOf = (lines: readonly string[]): string => `asset_id,time,usd\n${lines.join("")}`;

export const priceLine = (id: string, time: number, price: bigint): string =>
  `${id},${new Date(time).toISOString()},${toUnits(price, PRICE_DECIMALS)}\n`;

/** Writes at most six digits, as markets quote prices. */
export function movedPrice(price: bigint, thousandths: number): bigint {
  const moved = (price * BigInt(1000 + thousandths) + 500n) / 1000n;
  return moved - (moved % 10n ** BigInt(Math.max(0, moved.toString().length - 6)));
}

/** The latest price of each asset in the text, scaled by 10^18. */
export function latestPrices(csv: string): Map<string, bigint> {
  const lines = csv.trim().split("\n").slice(1);
  return new Map(
    lines.map((line) => {
      const [id = "", , usd = ""] = line.split(",");
      return [id, parseDecimal(usd, PRICE_DECIMALS) ?? 0n] as const;
    }),
  );
}

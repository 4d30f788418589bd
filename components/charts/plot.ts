/** Positions of exact amounts in charts. Only positions are floats; texts are made from the integers. */

/** The share of `part` in `whole`, from 0 to 1; 0 without a whole. */
export function share(part: bigint, whole: bigint): number {
  return whole <= 0n || part <= 0n ? 0 : Number((part * 1_000_000n) / whole) / 1_000_000;
}

export const percent = (from0to1: number): string => `${Math.round(from0to1 * 1e5) / 1e3}%`;

export const largest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, one) => (one > most ? one : most), 0n);

export const smallest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((least, one) => (one < least ? one : least), largest(amounts));

/** The least span of a line's axis is the highest amount divided by this, so that small moves look small. */
const LEAST_SPAN = 50n;

/** The ends of a line's axis. It begins at zero, unless all amounts would then look alike. */
export function axisOf(amounts: readonly bigint[]): { floor: bigint; top: bigint } {
  const [lowest, highest] = [smallest(amounts), largest(amounts)];
  const spread = highest - lowest;
  if (spread === 0n || 2n * lowest <= highest) return { floor: 0n, top: highest };
  const missing = highest / LEAST_SPAN - spread;
  if (missing <= spread / 4n) return { floor: lowest - spread / 4n, top: highest };
  return { floor: lowest - (missing + 1n) / 2n, top: highest + missing / 2n };
}

/**
 * The amount at which columns end, so that outliers do not flatten the others: the highest amount, but at most twice the
 * highest of the lower nine tenths.
 */
export function highestDrawn(amounts: readonly bigint[]): bigint {
  const sorted = amounts.toSorted((one, other) => (one < other ? 1 : -1));
  const [highest = 0n] = sorted;
  const limit = (sorted[Math.ceil(sorted.length / 10)] ?? 0n) * 2n;
  return limit > 0n && limit < highest ? limit : highest;
}

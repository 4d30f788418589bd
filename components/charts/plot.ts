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

/** The amount at which a line's axis begins: zero, unless all amounts would then look alike. */
export function floorOf(amounts: readonly bigint[]): bigint {
  const [lowest, highest] = [smallest(amounts), largest(amounts)];
  return lowest < highest && 2n * lowest > highest ? lowest - (highest - lowest) / 4n : 0n;
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

export const isAnyCut = (amounts: readonly bigint[]): boolean => highestDrawn(amounts) < largest(amounts);

/** Where a chart draws exact figures. Only a position is ever a float: the text beside it is made of the integer. */

/** `part` of `whole`, from 0 to 1; 0 if there is no whole. */
export function share(part: bigint, whole: bigint): number {
  return whole <= 0n || part <= 0n ? 0 : Number((part * 1_000_000n) / whole) / 1_000_000;
}

export const percent = (from0to1: number): string => `${Math.round(from0to1 * 1e5) / 1e3}%`;

export const largest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((most, one) => (one > most ? one : most), 0n);

export const smallest = (amounts: readonly bigint[]): bigint =>
  amounts.reduce((least, one) => (one < least ? one : least), largest(amounts));

/** Where the axis of a line begins: at zero, unless all amounts would then look alike. */
export function floorOf(amounts: readonly bigint[]): bigint {
  const [lowest, highest] = [smallest(amounts), largest(amounts)];
  return lowest < highest && 2n * lowest > highest ? lowest - (highest - lowest) / 4n : 0n;
}

/** Of so many amounts one may be cut, so that one that is a thousand times the others does not flatten them. */
const CUT_OF = 10;

/** Where columns end: at the highest one, unless that is more than twice the highest of most of them. */
export function highestDrawn(amounts: readonly bigint[]): bigint {
  const sorted = amounts.toSorted((one, other) => (one < other ? 1 : -1));
  const [highest = 0n] = sorted;
  const ofMost = (sorted[Math.ceil(sorted.length / CUT_OF)] ?? 0n) * 2n;
  return ofMost > 0n && ofMost < highest ? ofMost : highest;
}

export const isAnyCut = (amounts: readonly bigint[]): boolean => highestDrawn(amounts) < largest(amounts);

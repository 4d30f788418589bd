import { formatCount, formatDifference, percentOf } from "#lib/client/format.ts";

/** Larger changes are shown as more than this. */
const MAX_PERCENT = 999n;
/** Changes of less than one part in this many of the value before would round to 0.00 %. */
const LEAST = 20_000n;

/** The class of a change's colour. */
export const changeColour = (change: bigint): string =>
  change === 0n ? "text-text-3" : change > 0n ? "text-good" : "text-bad";

/** A change as a percentage with its sign, and the class of its colour. */
export function changeOf(now: bigint, before: bigint): { text: string; colour: string } {
  const change = now - before;
  const colour = changeColour(change);
  if (before === 0n) return { text: "new", colour };
  if (change * 100n > before * MAX_PERCENT) return { text: `> +${formatCount(MAX_PERCENT)} %`, colour };
  if (change !== 0n && change * LEAST < before && -change * LEAST < before) {
    return { text: change > 0n ? "< +0.01 %" : "> −0.01 %", colour };
  }
  const text = formatDifference(change, (size) => percentOf(size, before));
  // Only if nothing is left, all of it went.
  return { text: now > 0n && text === "−100.00 %" ? "> −100.00 %" : text, colour };
}

/** Heights of blocks, both ends included. */
export interface HeightRange {
  from: number;
  to: number;
}

/** Ranges of heights in a response; `…` stands for the ones above. */
export const MAX_COVERED_RANGES = 10;

/**
 * The heights that an index covers, as `X-Index-Coverage` lists them: `12043751, 14110309-14110312`. Undefined if it
 * covers every height from 0 to its tip.
 *
 * @param gaps the missing heights below `tip`, in order; the lowest MAX_COVERED_RANGES + 1 are enough
 */
export function coverageText(tip: number, gaps: readonly HeightRange[]): string | undefined {
  if (gaps.length === 0) return undefined;
  const ranges: string[] = [];
  let from = 0;
  for (const gap of [...gaps, { from: tip + 1, to: tip + 1 }]) {
    const to = gap.from - 1;
    if (to >= from) ranges.push(from === to ? String(from) : `${from}-${to}`);
    from = gap.to + 1;
  }
  const named = ranges.slice(0, MAX_COVERED_RANGES);
  return (ranges.length > named.length ? [...named, "…"] : named).join(", ");
}

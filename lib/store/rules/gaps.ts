import type { HeightRange } from "#lib/contract/coverage.ts";
import type { Tables } from "#lib/store/tables/ledger.ts";
import type { Steps } from "./steps.ts";

/**
 * Notes that blocks are about to be stored at these heights, which hold none yet. Only what is missing below the tip is stored:
 * a chain that is followed from its first block has no gaps. `tip`: its height so far; -1 if nothing is stored.
 */
export function* fillGaps(tables: Tables, heights: number[], tip: number): Steps<void> {
  for (const { from, to } of runsOf(heights)) {
    if (from > tip) {
      if (from > tip + 1) yield* tables.addGaps([{ from: tip + 1, to: from - 1 }]);
      tip = to;
      continue;
    }
    // Below the tip, what holds no block is a gap, and neighbouring heights are in the same one.
    const gap = yield* tables.removeGapAt(from);
    const parts = [
      { from: gap.from, to: from - 1 },
      { from: to + 1, to: gap.to },
    ];
    yield* tables.addGaps(parts.filter((part) => part.from <= part.to));
  }
}

/** Neighbouring heights together, in order. */
function runsOf(heights: number[]): HeightRange[] {
  const runs: HeightRange[] = [];
  for (const height of heights.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.to === height - 1) last.to = height;
    else runs.push({ from: height, to: height });
  }
  return runs;
}

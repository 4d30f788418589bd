import type { HeightRange } from "#lib/contract/coverage.ts";
import { insertInto, table } from "#lib/store/row-statement.ts";
import { first, run, statementWith } from "#lib/store/statement.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

const INSERT_GAPS = insertInto(
  table("gaps", { from: ["bigint", "first_height"] }, { to: ["bigint", "last_height"] }),
);
const GAP_AT = statementWith(["height"])(
  `SELECT first_height AS "from", last_height AS "to" FROM gaps
   WHERE first_height <= $height ORDER BY first_height DESC LIMIT 1`,
);
const DELETE_GAPS = statementWith(["from", "to"])(
  "DELETE FROM gaps WHERE first_height >= $from AND first_height <= $to",
);

/**
 * Updates the gaps before blocks are stored at these heights, which hold none yet. Only gaps below the tip are stored, so a chain
 * that is followed from its first block has none. `tip`: the height of the tip before them; -1 if nothing is stored.
 */
export function* fillGaps(tables: Writer, heights: number[], tip: number): Steps<void> {
  for (const { from, to } of rangesOf(heights)) {
    if (from > tip) {
      if (from > tip + 1) yield* tables.save(INSERT_GAPS, [{ from: tip + 1, to: from - 1 }]);
      tip = to;
      continue;
    }
    // Below the tip, every height without a block is in a gap, and neighbouring heights are in the same one.
    const gap = yield* first<HeightRange>(tables.db, GAP_AT({ height: from }));
    if (!gap || gap.to < from)
      throw new Error(`Height ${from} has no block, but is in no gap: run aqs verify`);
    yield* run(tables.db, DELETE_GAPS({ from: gap.from, to: gap.from }));
    const parts = [
      { from: gap.from, to: from - 1 },
      { from: to + 1, to: gap.to },
    ];
    const left = parts.filter((part) => part.from <= part.to);
    yield* tables.save(INSERT_GAPS, left);
  }
}

/** The ranges of neighbouring heights, in order. */
export function rangesOf(heights: number[]): HeightRange[] {
  const ranges: HeightRange[] = [];
  for (const height of heights.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.to === height - 1) last.to = height;
    else ranges.push({ from: height, to: height });
  }
  return ranges;
}

export function* removeGapsAbove(tables: Writer, height: number): Steps<void> {
  yield* run(tables.db, DELETE_GAPS({ from: height + 1, to: Number.MAX_SAFE_INTEGER }));
}

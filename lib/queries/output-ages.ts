import type { Query } from "#lib/store/query.ts";
import { all, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { heightOf } from "#lib/store/transaction-id.ts";

const OUTPUT_COUNT = statementWith(["address"])(
  (sql) =>
    `SELECT CAST(coalesce(sum(output_count), 0) AS bigint) AS outputs FROM holdings WHERE ${sql.ofAddress("$address")}`,
);

/** How many live outputs the address with this key has. */
export const outputCount: Query<string, number> = {
  effort: "scan",
  *read(db, addressKey) {
    return (yield* first<{ outputs: number }>(db, OUTPUT_COUNT({ address: toBytes(addressKey) })))!.outputs;
  },
};

/** How many of an address's live outputs were created at these heights, both ends included. */
export interface OutputAge {
  from: number;
  to: number;
  count: number;
}

/** Counting them reads them all, which takes too long beyond this. */
export const MAX_AGED_OUTPUTS = 100_000;

/** Heights from `lowest` to `highest` in at most `count` ranges of one length; the last one may be shorter. */
function heightRanges(lowest: number, highest: number, count: number) {
  const length = Math.ceil((highest - lowest + 1) / count);
  const ranges: { from: number; to: number }[] = [];
  for (let from = lowest; from <= highest; from += length) {
    ranges.push({ from, to: Math.min(from + length - 1, highest) });
  }
  return { length, ranges };
}

const LIVE_RANGE = statementWith(["address"])((sql) => {
  const live = `live_outputs WHERE ${sql.ofAddress("$address")}`;
  return `SELECT (SELECT CAST(coalesce(sum(output_count), 0) AS bigint) FROM holdings WHERE ${sql.ofAddress("$address")}) AS outputs,
            (SELECT min(transaction_id) FROM ${live}) AS oldest, (SELECT max(height) FROM blocks) AS tip`;
});
const OUTPUT_AGES = statementWith(["address", "lowest", "length"])(
  (sql) =>
    `SELECT ((transaction_id >> 20) - CAST($lowest AS bigint)) / CAST($length AS bigint) AS place, count(*) AS count
     FROM live_outputs WHERE ${sql.ofAddress("$address")} GROUP BY place`,
);

/**
 * Live outputs by equally long ranges of heights, at most `ranges` of them, from the oldest live output up to the tip;
 * empty if there are none, null if there are more than MAX_AGED_OUTPUTS.
 */
export const outputAges: Query<{ addressKey: string; ranges: number }, OutputAge[] | null> = {
  effort: "snapshot",
  *read(db, { addressKey, ranges }) {
    const address = toBytes(addressKey);
    const { outputs, oldest, tip } = (yield* first<{
      outputs: number;
      oldest: number | null;
      tip: number | null;
    }>(db, LIVE_RANGE({ address })))!;
    if (oldest === null || tip === null) return [];
    if (outputs > MAX_AGED_OUTPUTS) return null;
    const lowest = heightOf(oldest);
    const split = heightRanges(lowest, tip, ranges);
    const ages = OUTPUT_AGES({ address, lowest, length: split.length });
    const counts = yield* all<{ place: number; count: number }>(db, ages);
    const byPlace = new Map(counts.map(({ place, count }) => [place, count]));
    return split.ranges.map((range, place) => ({ ...range, count: byPlace.get(place) ?? 0 }));
  },
};

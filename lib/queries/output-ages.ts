import type { Query } from "#lib/store/query.ts";
import { all, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { heightOf } from "#lib/store/transaction-id.ts";

const OUTPUT_COUNT = statementWith(["address"])(
  (sql) =>
    `SELECT CAST(coalesce(sum(output_count), 0) AS bigint) AS outputs FROM holdings WHERE ${sql.ofAddress("$address")}`,
);

/** The number of live outputs of the address with this key. */
export const outputCount: Query<string, number> = {
  effort: "scan",
  *read(db, addressKey) {
    return (yield* first<{ outputs: number }>(db, OUTPUT_COUNT({ address: toBytes(addressKey) })))!.outputs;
  },
};

/** Number of an address's live outputs that were created at these heights, both ends included. */
export interface OutputAge {
  from: number;
  to: number;
  count: number;
}

/** Counting outputs by age reads them all, which takes too long beyond this number. */
export const MAX_AGED_OUTPUTS = 100_000;

const LIVE_RANGE = statementWith(["address"])((sql) => {
  const ofAddress = sql.ofAddress("$address");
  return `SELECT (SELECT CAST(coalesce(sum(output_count), 0) AS bigint) FROM holdings WHERE ${ofAddress}) AS outputs,
            (SELECT min(transaction_id) FROM live_outputs WHERE ${ofAddress}) AS oldest,
            (SELECT max(height) FROM blocks) AS tip`;
});
const OUTPUT_AGES = statementWith(["address", "lowest", "length"])(
  (sql) =>
    `SELECT ((transaction_id >> 20) - CAST($lowest AS bigint)) / CAST($length AS bigint) AS place, count(*) AS count
     FROM live_outputs WHERE ${sql.ofAddress("$address")} GROUP BY place`,
);

/**
 * Numbers of live outputs in at most `ranges` ranges of heights, from the oldest live output to the tip. The ranges have one
 * length; the last may be shorter. Empty if there are no outputs, null if there are more than MAX_AGED_OUTPUTS.
 */
export const outputAges: Query<{ addressKey: string; ranges: number }, OutputAge[] | null> = {
  effort: "snapshot",
  *read(db, { addressKey, ranges }) {
    const address = toBytes(addressKey);
    type Row = { outputs: number; oldest: number | null; tip: number | null };
    const { outputs, oldest, tip } = (yield* first<Row>(db, LIVE_RANGE({ address })))!;
    if (oldest === null || tip === null) return [];
    if (outputs > MAX_AGED_OUTPUTS) return null;
    const lowest = heightOf(oldest);
    const length = Math.ceil((tip - lowest + 1) / ranges);
    const rows = yield* all<{ place: number; count: number }>(db, OUTPUT_AGES({ address, lowest, length }));
    const counts = new Map(rows.map(({ place, count }) => [place, count]));
    const ages: OutputAge[] = [];
    for (let from = lowest; from <= tip; from += length) {
      ages.push({ from, to: Math.min(from + length - 1, tip), count: counts.get(ages.length) ?? 0 });
    }
    return ages;
  },
};

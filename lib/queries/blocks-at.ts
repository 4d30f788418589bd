import { serverIsBusy } from "#lib/contract/errors.ts";
import { blockHashAt } from "#lib/store/common-queries.ts";
import { type Query, type Reader, tuples } from "#lib/store/query.ts";
import type { Tip } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Bytes, statementWith, toHex } from "#lib/store/statement.ts";

export interface BlockAt {
  blockHash: string;
  /** Milliseconds since the Unix epoch. */
  time: number;
}

const BLOCKS = statementWith(["heights"])(
  (sql) => `SELECT height, hash, timestamp FROM blocks WHERE ${sql.isIn("height", "$heights", "bigint")}`,
);

/** The blocks at these heights that are stored, by height. */
export function* blocksAt(db: Reader, heights: Iterable<number>): Steps<Map<number, BlockAt>> {
  const wanted = JSON.stringify([...new Set(heights)]);
  const found = yield* tuples<[height: number, hash: Bytes, time: number]>(db, BLOCKS({ heights: wanted }));
  return new Map(found.map(([height, hash, time]) => [height, { blockHash: toHex(hash), time }]));
}

/** The same below the block of an earlier response. Throws SERVICE_UNAVAILABLE if that block is no longer canonical. */
export const blocksBelow: Query<{ heights: Iterable<number>; asOf: Tip }, Map<number, BlockAt>> = {
  effort: "snapshot",
  *read(db, { heights, asOf }) {
    if ((yield* blockHashAt(db, asOf.height)) !== asOf.hash) throw serverIsBusy();
    return yield* blocksAt(db, heights);
  },
};

/** The blocks that requests name. */

import {
  type BlockRange,
  type BlockReference,
  FROM_ABOVE_TO,
  heightIn,
} from "#lib/contract/block-reference.ts";
import { ApiError, isApiError, serverIsBusy } from "#lib/contract/errors.ts";
import { blockHashAt, horizon } from "#lib/store/common-queries.ts";
import type { Reader } from "#lib/store/question.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Bytes, first, type Reading, statement, toBytes, toHex } from "#lib/store/statement.ts";
import type { ChainBlock, Tip } from "#lib/store/store.ts";

const COLUMNS = "SELECT height, hash, parent_hash, timestamp FROM blocks";
const BY_HASH = statement("named-by-hash", `${COLUMNS} WHERE hash = $1`);
const AT_OR_BELOW = statement(
  "named-at-or-below",
  `${COLUMNS} WHERE height <= $1 ORDER BY height DESC LIMIT 1`,
);
const IS_BELOW_TIP = statement("is-below-tip", "SELECT 1 AS found FROM blocks WHERE height > $1 LIMIT 1");

/**
 * The block after which the state is meant. Of a height in a gap that is the highest indexed block below it. Throws NOT_FOUND
 * if the block is above the tip or not canonical, or if nothing is indexed up to it.
 */
export function* blockAsOf(db: Reading, reference: BlockReference = "tip"): Steps<ChainBlock> {
  const [query, value] =
    typeof reference === "object" && "hash" in reference
      ? [BY_HASH, toBytes(reference.hash)]
      : [AT_OR_BELOW, heightIn(reference) ?? Number.MAX_SAFE_INTEGER];
  const row = yield* first<{ height: number; hash: Bytes; parent_hash: Bytes; timestamp: number }>(
    db,
    query,
    value,
  );
  if (!row) throw new ApiError("NOT_FOUND");
  const block = {
    height: row.height,
    hash: toHex(row.hash),
    parentHash: toHex(row.parent_hash),
    timestamp: row.timestamp,
  };
  const height = heightIn(reference) ?? block.height;
  if (height !== block.height && !(yield* first(db, IS_BELOW_TIP, height))) throw new ApiError("NOT_FOUND");
  return block;
}

/**
 * Throws NOT_FOUND, and says why, if the state after the block at this height is not kept. To be called once the state is read:
 * the horizon may rise meanwhile.
 */
export function* refuseBelowHorizon(db: Reading, height: number): Steps<void> {
  const kept = yield* horizon(db);
  if (height >= kept) return;
  const message = `Outputs spent up to block ${kept} are not kept here: the earliest state that can be told is the one after it`;
  throw new ApiError("NOT_FOUND", [{ path: [], code: NOT_KEPT, message }]);
}

const NOT_KEPT = "not_kept";

/** The answer, or in words why it was refused as `refuseBelowHorizon` does. */
export async function orNotKept<T>(asked: Promise<T>): Promise<T | { fault: string }> {
  return asked.catch((error: unknown) => {
    const issue = isApiError(error) && error.issues.find(({ code }) => code === NOT_KEPT);
    if (issue) return { fault: `${issue.message}.` };
    throw error;
  });
}

/**
 * Throws SERVER_BUSY if a reorganisation replaced the block, and what was read of it, while others ran in between; and NOT_FOUND
 * as `refuseBelowHorizon` does for the height `from`.
 */
export function* refuseIfReplaced(db: Reader, { height, hash }: Tip, from = height): Steps<void> {
  yield* refuseBelowHorizon(db, from);
  // All that PostgreSQL reads is of one snapshot.
  if (db.engine === "postgres") return;
  if ((yield* blockHashAt(db, height)) !== hash) throw serverIsBusy();
}

export interface Range {
  /** Heights above this one; -1: from the first block on. */
  after: number;
  /** The last block. */
  to: ChainBlock;
}

/** Throws NOT_FOUND as `blockAsOf` does, and BAD_REQUEST if `from` is above `to`. */
export function* rangeBetween(db: Reading, { from, to }: BlockRange): Steps<Range> {
  const last = yield* blockAsOf(db, to);
  if (from === undefined) return { after: -1, to: last };
  // Nothing of the block itself is in the range, so a height need not be indexed.
  const after = heightIn(from) ?? (yield* blockAsOf(db, from)).height;
  if (after > (heightIn(to) ?? last.height)) {
    if (to === undefined || to === "tip") throw new ApiError("NOT_FOUND");
    throw new ApiError("BAD_REQUEST", [FROM_ABOVE_TO]);
  }
  return { after, to: last };
}

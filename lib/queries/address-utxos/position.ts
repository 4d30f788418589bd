/** Places of outputs in a list, and what becomes of them when blocks are replaced. */
import { PositionAheadError } from "#lib/store/errors.ts";
import type { Reader } from "#lib/store/query.ts";
import type { Position, Tip } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, type Reading, statementWith, toHex } from "#lib/store/statement.ts";
import { firstId, transactionId } from "#lib/store/transaction-id.ts";
import { forkBelow } from "../walk-state.ts";

/** An output's place in an index: the id of its transaction, and its own index. */
export type Bound = { id: number; index: number };

export const boundOf = ({ height, transactionIndex, outputIndex }: Position): Bound => ({
  id: transactionId(height, transactionIndex),
  index: outputIndex,
});

/** Whether a position has this hash, of which cursors keep only the last digits. */
const means = (named: string, hash: string | null): boolean => hash?.endsWith(named) ?? false;

/** Hashes of the chain at the heights of a position's two blocks; null where no block is indexed. */
export interface HashesAt {
  hashAtPosition: string | null;
  hashAtTip: string | null;
}

/** Whether both blocks of a position are still on the chain, so that its heights and indexes are right. */
export const isCurrent = (position: Position, { hashAtPosition, hashAtTip }: HashesAt): boolean =>
  means(position.blockHash, hashAtPosition) && means(position.readAt.hash, hashAtTip);

const EVER_AT = statementWith(["height"])(
  `SELECT hash, 1 AS canonical FROM blocks WHERE height = $height
   UNION ALL SELECT hash, 0 FROM abandoned_blocks WHERE height = $height`,
);

/** A block of the chain (`canonical` is 1), or an abandoned one (0). */
type BlockOnce = { hash: Bytes; canonical: number };

function* blockEverAt(db: Reading, { height, hash: named }: Tip): Steps<BlockOnce> {
  const blocks = yield* all<BlockOnce>(db, EVER_AT({ height }));
  const block = blocks.find(({ hash }) => means(named, toHex(hash)));
  if (!block) throw new PositionAheadError();
  return block;
}

/**
 * Finds where a walk continues after a position that is not current, or returns undefined if it starts again. Outputs of a
 * replaced block may now be before or after the position. An ascending walk resumes at the fork, below which nothing
 * changed. A descending walk starts again at the tip. Throws PositionAheadError as `utxosOfAddress` does.
 */
export function* resumeAfter(
  db: Reader,
  position: Position,
  order: "asc" | "desc",
): Steps<Bound | undefined> {
  yield* blockEverAt(db, position.readAt);
  const block = yield* blockEverAt(db, { height: position.height, hash: position.blockHash });
  if (block.canonical) return boundOf(position);
  if (order === "desc") return undefined;
  const fork = yield* forkBelow(db, toHex(block.hash));
  if (fork === null) return undefined;
  return { id: firstId(fork + 1) - 1, index: Number.MAX_SAFE_INTEGER };
}

/** What a position means on the chain as it is now. */
import { blockHashAt } from "#lib/store/common-queries.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, first, type Reading, statement, toBytes, toHex } from "#lib/store/statement.ts";
import { type Position, PositionAheadError, type Tip } from "#lib/store/store.ts";
import { firstId, heightOf, indexOf, transactionId } from "#lib/store/transaction-id.ts";

/** An output's place in an index: by the id of its transaction, then by its own. */
export type Bound = { id: number; index: number };

export const boundOf = ({ height, transactionIndex, outputIndex }: Position): Bound => ({
  id: transactionId(height, transactionIndex),
  index: outputIndex,
});

/** The position of an output on the chain as it is now. */
export function* positionAt(db: Reading, id: number, outputIndex: number): Steps<Omit<Position, "readAt">> {
  const height = heightOf(id);
  const blockHash = (yield* blockHashAt(db, height)) ?? "";
  return { height, transactionIndex: indexOf(id), outputIndex, blockHash };
}

/** Whether a position means this hash. Digits without `0x` cannot begin a hash, nor those with it end one. */
const means = (named: string, hash: string | null): boolean =>
  hash !== null && (hash.startsWith(named) || hash.endsWith(named));

/** The chain's hashes at the heights of the blocks that a position names; null where it has none. */
export interface HashesAt {
  hashAtPosition: string | null;
  hashAtTip: string | null;
}

/** Whether both blocks that a position names are on the chain, so that it means the place that it says. */
export const isCurrent = (position: Position, { hashAtPosition, hashAtTip }: HashesAt): boolean =>
  means(position.blockHash, hashAtPosition) && means(position.readAt.hash, hashAtTip);

const EVER_AT = statement(`SELECT hash, 1 AS canonical FROM blocks WHERE height = $1
   UNION ALL SELECT hash, 0 FROM abandoned_blocks WHERE height = $1`);
/** The highest block of the chain below an abandoned one; null if none is known. */
const FORK_OF = statement(`WITH RECURSIVE branch AS (
     SELECT parent_hash FROM abandoned_blocks WHERE hash = $1
     UNION ALL
     SELECT a.parent_hash FROM branch JOIN abandoned_blocks a ON a.hash = branch.parent_hash
   )
   SELECT max(b.height) AS height FROM branch JOIN blocks b ON b.hash = branch.parent_hash`);

/** `canonical`: 1 if it is still there, 0 if it was abandoned. */
type BlockOnce = { hash: Bytes; canonical: number };

function* blockEverAt(db: Reading, { height, hash: named }: Tip): Steps<BlockOnce> {
  const blocks = yield* all<BlockOnce>(db, EVER_AT, height);
  const block = blocks.find(({ hash }) => means(named, toHex(hash)));
  if (!block) throw new PositionAheadError();
  return block;
}

/**
 * Where a walk continues after a position that is not current; undefined: at its start. Outputs of a replaced block may
 * have moved to either side of it. Oldest first, the walk resumes at the fork, below which nothing changed; newest first,
 * it starts again from the tip. Throws PositionAheadError as `utxosOfAddress` does.
 */
export function* resumeAfter(
  db: Reading,
  position: Position,
  order: "asc" | "desc",
): Steps<Bound | undefined> {
  yield* blockEverAt(db, position.readAt);
  const block = yield* blockEverAt(db, { height: position.height, hash: position.blockHash });
  if (block.canonical) return boundOf(position);
  if (order === "desc") return undefined;
  const { height } = (yield* first<{ height: number | null }>(db, FORK_OF, toBytes(block.hash)))!;
  // A gap, or another chain altogether, hides how far the change went: nothing is known to be unchanged.
  if (height === null) return undefined;
  return { id: firstId(height + 1) - 1, index: Number.MAX_SAFE_INTEGER };
}

/** Up to where a list was given on the chain as it is now, oldest first, and whether nothing changed since then. */
export function* placeNow(
  db: Reading,
  after: Position | undefined,
): Steps<{ given: Bound | undefined; isSame: boolean }> {
  if (!after) return { given: undefined, isSame: false };
  const hashes = {
    hashAtPosition: yield* blockHashAt(db, after.height),
    hashAtTip: yield* blockHashAt(db, after.readAt.height),
  };
  if (isCurrent(after, hashes)) return { given: boundOf(after), isSame: true };
  return { given: yield* resumeAfter(db, after, "asc"), isSame: false };
}

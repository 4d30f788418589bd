/** What a position means on the chain as it is now. */
import { blockHashAt } from "#lib/store/common-queries.ts";
import { PositionAheadError } from "#lib/store/errors.ts";
import type { Position, Tip } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, type Reading, statementWith, toHex } from "#lib/store/statement.ts";
import { firstId, heightOf, indexOf, transactionId } from "#lib/store/transaction-id.ts";
import { forkBelow } from "../walk-state.ts";

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

const EVER_AT = statementWith(["height"])(
  `SELECT hash, 1 AS canonical FROM blocks WHERE height = $height
   UNION ALL SELECT hash, 0 FROM abandoned_blocks WHERE height = $height`,
);

/** `canonical`: 1 if it is still there, 0 if it was abandoned. */
type BlockOnce = { hash: Bytes; canonical: number };

function* blockEverAt(db: Reading, { height, hash: named }: Tip): Steps<BlockOnce> {
  const blocks = yield* all<BlockOnce>(db, EVER_AT({ height }));
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
  const fork = yield* forkBelow(db, toHex(block.hash));
  if (fork === null) return undefined;
  return { id: firstId(fork + 1) - 1, index: Number.MAX_SAFE_INTEGER };
}

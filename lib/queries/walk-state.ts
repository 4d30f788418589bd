import type { BlockRange } from "#lib/contract/block-reference.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { tip } from "#lib/store/common-queries.ts";
import { PositionAheadError } from "#lib/store/errors.ts";
import type { Reader } from "#lib/store/query.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { type Bytes, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { gapsBelow, type Range, rangeBetween, rangeUpTo, type State, stateNow } from "./named-block.ts";
import { PIECE } from "./pieces.ts";

/**
 * The one state that all pages of a walk show; its cursors carry it. The block's hash stands for every block below it, down
 * to the next gap. It is whole, because a miner of both branches could make parts of hashes agree on a chain with little work.
 */
export interface WalkState extends State {
  /** The height that `from` names; -1 if the walk begins with the first block. */
  after: number;
}

/**
 * The range of a walk: the blocks that the request names, or those of its state once it has one. Throws as `rangeBetween`
 * does. With a state it throws NOT_FOUND with the issue `replaced` if the state is gone, and PositionAheadError if this copy of the
 * data never had it.
 */
export function* walkRange(
  db: Reader,
  named: BlockRange,
  state: WalkState | undefined,
): Steps<Range & { asOf: WalkState }> {
  const range = state ? yield* rangeOf(db, state) : yield* rangeBetween(db, named);
  const { height, hash, gaps } = range.to;
  return { ...range, asOf: { height, hash, gaps, after: range.after } };
}

/** Rows that a streamed list has read beyond its last piece. */
export interface Ahead {
  /** Counts the reverts of blocks up to when this was read. */
  reverts: number;
  /** It holds this many rows in memory. */
  size: number;
}
/** Returns nothing if blocks were reverted since, because tokens of blocks that came back may have other numbers. */
export const unlessReverted = <Read extends Ahead>(ahead: Read | undefined, { reverts }: Range) =>
  ahead?.reverts === reverts ? ahead : undefined;

/** The state of a walk that names no block: without a state it begins at the tip. Throws as `walkRange` does. */
export function* walkStateAt(db: Reader, state?: WalkState): Steps<WalkState> {
  const newest = state ? null : yield* stateNow(db);
  return newest ? { ...newest, after: -1 } : (yield* walkRange(db, {}, state)).asOf;
}

/** The tip while a walk is read. Without a state it begins at the tip, which is known if no blocks are missing. */
export function* tipDuring(db: Reader, asOf: WalkState, state?: WalkState): Steps<IndexTip | null> {
  return state || asOf.gaps !== "" ? yield* tip(db) : { height: asOf.height, hash: asOf.hash };
}

function* rangeOf(db: Reader, state: WalkState): Steps<Range> {
  const range = yield* rangeUpTo(db, state.hash, state.after);
  if (range?.to.gaps === state.gaps) return range;
  const fork = range ? null : yield* forkBelow(db, state.hash);
  // Blocks that were stored or dropped in gaps may be below the fork.
  const isKnown = fork !== null && (yield* gapsBelow(db, state.height)) === state.gaps;
  const what = range
    ? `What is indexed below block ${state.height} changed`
    : `Block ${state.height} (${state.hash}) was replaced`;
  const since = isKnown ? `nothing changed up to block ${fork}` : "where the change begins is not known";
  throw new ApiError("NOT_FOUND", [
    { path: [], code: "replaced", message: `${what}: ${since}`, ...(isKnown && { height: fork }) },
  ]);
}

const FORK_OF = statementWith(["hash"])(
  `WITH RECURSIVE branch AS (
     SELECT parent_hash, 1 AS blocks FROM abandoned_blocks WHERE hash = $hash
     UNION ALL
     SELECT a.parent_hash, blocks + 1 FROM branch JOIN abandoned_blocks a ON a.hash = branch.parent_hash
     WHERE blocks < ${PIECE}
   )
   SELECT branch.parent_hash AS "parentHash", b.height
   FROM branch LEFT JOIN blocks b ON b.hash = branch.parent_hash ORDER BY branch.blocks DESC LIMIT 1`,
);

/**
 * The height of the highest canonical block below an abandoned one. Null if a gap, or another chain altogether, hides it. Throws
 * PositionAheadError if no such block was abandoned here.
 */
export function* forkBelow(db: Reader, hash: string): Steps<number | null> {
  type Lowest = { parentHash: Bytes; height: number | null };
  let lowest = yield* first<Lowest>(db, FORK_OF({ hash: toBytes(hash) }));
  if (!lowest) throw new PositionAheadError();
  while (lowest && lowest.height === null) {
    yield* done(db.pause());
    lowest = yield* first<Lowest>(db, FORK_OF({ hash: toBytes(lowest.parentHash) }));
  }
  return lowest?.height ?? null;
}

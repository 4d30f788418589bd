/** The one state that all pages and lines of a walk are of. */

import type { BlockRange } from "#lib/contract/block-reference.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { PositionAheadError } from "#lib/store/errors.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { first, type Reading, statementWith, toBytes } from "#lib/store/statement.ts";
import { canonicalBlock, gapsBelow, type Range, rangeBetween, type State } from "./named-block.ts";

/**
 * The state that cursors carry. The block's whole hash stands for every block below it, down to the next gap, and so for `from`. On a
 * chain with little work, whoever mines both branches could make hashes agree in part.
 */
export interface WalkState extends State {
  /** The height that `from` named; -1 if the walk begins with the first block. */
  after: number;
}

/**
 * The range of a walk: for its first rows from the blocks that the request names, afterwards from its state. Throws as
 * `rangeBetween` does for the first rows; afterwards NOT_FOUND with the issue `replaced` if that state is gone, and
 * PositionAheadError if this copy of the data never had it.
 */
export function* walkRange(
  db: Reading,
  named: BlockRange,
  known: WalkState | undefined,
): Steps<Range & { asOf: WalkState }> {
  const range = known ? yield* knownRange(db, known) : yield* rangeBetween(db, named);
  const { height, hash, gaps } = range.to;
  return { ...range, asOf: { height, hash, gaps, after: range.after } };
}

function* knownRange(db: Reading, state: WalkState): Steps<Range> {
  const to = yield* canonicalBlock(db, state.hash);
  if (to?.gaps === state.gaps) return { after: state.after, to };
  const fork = to ? null : yield* forkBelow(db, state.hash);
  // If blocks were also stored or dropped below, they may be below the fork.
  const isKnown = fork !== null && (yield* gapsBelow(db, state.height)) === state.gaps;
  const what = to
    ? `What is indexed below block ${state.height} changed`
    : `Block ${state.height} (${state.hash}) was replaced`;
  const since = isKnown ? `nothing changed up to block ${fork}` : "where the change begins is not known";
  throw new ApiError("NOT_FOUND", [
    { path: [], code: "replaced", message: `${what}: ${since}`, ...(isKnown && { height: fork }) },
  ]);
}

const FORK_OF = statementWith(["hash"])(
  `WITH RECURSIVE branch AS (
     SELECT parent_hash FROM abandoned_blocks WHERE hash = $hash
     UNION ALL
     SELECT a.parent_hash FROM branch JOIN abandoned_blocks a ON a.hash = branch.parent_hash
   )
   SELECT CAST(count(*) AS integer) AS abandoned, max(b.height) AS height
   FROM branch LEFT JOIN blocks b ON b.hash = branch.parent_hash`,
);

/**
 * The highest block of the chain below an abandoned one; null if none is known: a gap, or another chain altogether, hides how far
 * the change went. Throws PositionAheadError if no such block was abandoned here.
 */
export function* forkBelow(db: Reading, hash: string): Steps<number | null> {
  const { abandoned, height } = (yield* first<{ abandoned: number; height: number | null }>(
    db,
    FORK_OF({ hash: toBytes(hash) }),
  ))!;
  if (abandoned === 0) throw new PositionAheadError();
  return height;
}

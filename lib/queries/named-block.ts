import { createHash } from "node:crypto";
import {
  type BlockRange,
  type BlockReference,
  FROM_ABOVE_TO,
  heightIn,
} from "#lib/contract/block-reference.ts";
import { ApiError, isApiError, serverIsBusy } from "#lib/contract/errors.ts";
import { HORIZON_SQL, horizon, REVERTS_SQL, SETBACK_SQL, tip } from "#lib/store/common-queries.ts";
import type { Reader } from "#lib/store/query.ts";
import type { BlockHeader, ChainBlock, IndexTip, Tip } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import {
  type Bytes,
  type Dialect,
  first,
  type Reading,
  statementWith,
  toBytes,
  toHex,
} from "#lib/store/statement.ts";

/**
 * The height of the highest block that is not later than a time in milliseconds; NULL if all are later. Block times go back by
 * `SETBACK_SQL` at most, so every block above one that is later by more than that is too late. The search goes down from
 * there; `+ 0` keeps the engines from using the index by time. Without the first condition, NULL would be compared with each row.
 */
export const heightAtSql = (time: string): string => `(SELECT height FROM blocks
   WHERE ${time} IS NOT NULL AND timestamp + 0 <= ${time} AND height < coalesce((SELECT height FROM blocks
     WHERE timestamp > ${time} + ${SETBACK_SQL} ORDER BY timestamp LIMIT 1), ${Number.MAX_SAFE_INTEGER})
   ORDER BY height DESC LIMIT 1)`;

/** The block with the hash `$namedHash`, or the highest up to `$namedHeight` or `$namedTime`. The other two values are NULL. */
export const NAMED_BLOCK_SQL = `SELECT height, hash, parent_hash, timestamp, (SELECT max(height) FROM blocks) AS tip FROM blocks
   WHERE height = coalesce((SELECT height FROM blocks WHERE hash = $namedHash),
     (SELECT max(height) FROM blocks WHERE height <= CAST($namedHeight AS bigint)),
     ${heightAtSql("CAST($namedTime AS bigint)")})`;
/** Values for `NAMED_BLOCK_SQL`. */
export function namedBlockValues(reference: BlockReference) {
  const none = { namedHash: null, namedHeight: null, namedTime: null };
  if (reference === "tip") return { ...none, namedHeight: Number.MAX_SAFE_INTEGER };
  if ("hash" in reference) return { ...none, namedHash: toBytes(reference.hash) };
  return "time" in reference
    ? { ...none, namedTime: reference.time }
    : { ...none, namedHeight: reference.height };
}

/**
 * The gaps below a height, with the hash of the block under each; NULL if nothing is missing. Together with the hash of the
 * block at that height, this text identifies every block that is indexed up to there.
 */
const gapsBelowSql = ({ hex }: Dialect, height: string): string =>
  `(SELECT string_agg(g.first_height || '-' || g.last_height || coalesce(${hex("b.hash")}, ''), ' ' ORDER BY g.first_height)
    FROM gaps g LEFT JOIN blocks b ON b.height = g.first_height - 1 WHERE g.first_height < ${height})`;
/** A digest of the gaps, short enough for cursors; empty if nothing is missing. */
export const gapsIn = (gaps: string | null): string =>
  gaps === null ? "" : createHash("sha256").update(gaps).digest("base64url");
const GAPS_BELOW = statementWith(["height"])((sql) => `SELECT ${gapsBelowSql(sql, "$height")} AS gaps`);

export function* gapsBelow(db: Reading, height: number): Steps<string> {
  return gapsIn((yield* first<{ gaps: string | null }>(db, GAPS_BELOW({ height })))!.gaps);
}

/** A block, and all that is indexed below it. */
export interface State extends Tip {
  /** The digest that `gapsIn` makes. */
  gaps: string;
}
export type StateBlock = ChainBlock & State;
export const isSame = (one: State | null, other: State) =>
  one?.hash === other.hash && one.gaps === other.gaps;

/** The state of this tip, which must have been read just now. */
export function* stateAt(db: Reading, { height, hash, coverage }: IndexTip): Steps<State> {
  return { height, hash, gaps: coverage === undefined ? "" : yield* gapsBelow(db, height) };
}

/** The newest state; null while nothing is indexed. */
export function* stateNow(db: Reading): Steps<State | null> {
  const newest = yield* tip(db);
  return newest && (yield* stateAt(db, newest));
}

/** PostgreSQL: fields for `json_build_object` of what `NAMED_BLOCK_SQL` selects as `as_of`. */
export const asOfFields = (sql: Dialect): string =>
  `'height', height, 'hash', ${sql.hex("hash")}, 'tip', tip, 'horizon', (${HORIZON_SQL}), 'gaps', ${gapsBelowSql(sql, "as_of.height")}`;

/** An object of `asOfFields`. */
export interface AsOfFields {
  height: number;
  hash: string;
  tip: number;
  horizon: string | null;
  gaps: string | null;
}

const NAMED = statementWith(["namedHeight", "namedHash", "namedTime"])(
  (sql) => `SELECT named.*, ${gapsBelowSql(sql, "named.height")} AS gaps, ${REVERTS_SQL} AS reverts
     FROM (${NAMED_BLOCK_SQL}) named`,
);
interface NamedRow {
  height: number;
  hash: Bytes;
  parent_hash: Bytes;
  timestamp: number;
  tip: number;
  gaps: string | null;
  reverts: number;
}
const namedBlock = (db: Reading, reference: BlockReference): Steps<NamedRow | undefined> =>
  first<NamedRow>(db, NAMED(namedBlockValues(reference)));

const toStateBlock = ({ height, hash, parent_hash, timestamp, gaps }: NamedRow): StateBlock => ({
  height,
  hash: toHex(hash),
  parentHash: toHex(parent_hash),
  timestamp,
  gaps: gapsIn(gaps),
});

const HEADER = statementWith(["hash"])("SELECT height, timestamp FROM blocks WHERE hash = $hash");

/** The header of the block with this hash; null if it is not canonical. */
export function* headerOf(db: Reading, hash: string): Steps<BlockHeader | null> {
  const header = HEADER({ hash: toBytes(hash) });
  const row = yield* first<Pick<BlockHeader, "height" | "timestamp">>(db, header);
  return row ? { height: row.height, hash, timestamp: row.timestamp } : null;
}

/** Throws NOT_FOUND without a row, or if the height is above the tip. */
export function refuseUnknown<Row extends { tip: number }>(
  reference: BlockReference,
  row: Row | null | undefined,
): asserts row is Row {
  if (!row || (heightIn(reference) ?? 0) > row.tip) throw new ApiError("NOT_FOUND");
}

function* knownRow(db: Reading, reference: BlockReference = "tip"): Steps<NamedRow> {
  const row = yield* namedBlock(db, reference);
  refuseUnknown(reference, row);
  return row;
}

/**
 * The block that a request's state is as of. For a height in a gap, that is the highest indexed block below it. Throws
 * NOT_FOUND if the block is above the tip or not canonical, or if nothing is indexed up to it or its time.
 */
export function* blockAsOf(db: Reading, reference?: BlockReference): Steps<StateBlock> {
  return toStateBlock(yield* knownRow(db, reference));
}

const UNBROKEN_FROM = statementWith(["height"])(
  `SELECT coalesce((SELECT max(last_height) + 1 FROM gaps WHERE last_height < $height),
     (SELECT min(height) FROM blocks)) AS height`,
);

/** The lowest height such that all blocks from there up to `height` are indexed. */
export function* unbrokenTo(db: Reading, height: number): Steps<number> {
  return (yield* first<{ height: number }>(db, UNBROKEN_FROM({ height })))!.height;
}

const BLOCK_AT = statementWith(["height"])(
  (sql) => `SELECT height, ${sql.hex("hash")} AS hash, timestamp FROM blocks WHERE height = $height`,
);

/** The block at this height; undefined if none is stored. */
export const blockAt = (db: Reading, height: number): Steps<BlockHeader | undefined> =>
  first<BlockHeader>(db, BLOCK_AT({ height }));

/**
 * Throws NOT_FOUND with the reason if the state after the block at this height is not kept. Call it after reading the state,
 * because the horizon may rise meanwhile.
 */
export function* refuseBelowHorizon(db: Reading, height: number): Steps<void> {
  refuseNotKept(height, yield* horizon(db));
}

const NOT_KEPT = "not_kept";

/** Throws as `refuseBelowHorizon` does. */
export function refuseNotKept(height: number, removedUpTo: number): void {
  if (height >= removedUpTo) return;
  const message = `Outputs spent up to block ${removedUpTo} are not kept here: the earliest state that is kept is the one after it`;
  throw new ApiError("NOT_FOUND", [{ path: [], code: NOT_KEPT, message }]);
}

/** The response, or the message of the error that `refuseBelowHorizon` throws. */
export async function orNotKept<T>(response: Promise<T>): Promise<T | { fault: string }> {
  return response.catch((error: unknown) => {
    const issue = isApiError(error) && error.issues.find(({ code }) => code === NOT_KEPT);
    if (issue) return { fault: `${issue.message}.` };
    throw error;
  });
}

/** Throws as `refuseFilled` does, and as `refuseBelowHorizon` does for the height `from`. */
export function* refuseIfChanged(db: Reader, state: State, from = state.height): Steps<void> {
  yield* refuseBelowHorizon(db, from);
  yield* refuseFilled(db, state);
}

/** Throws SERVICE_UNAVAILABLE if blocks were stored in gaps below since reading began. The store checks for reverted blocks. */
export function* refuseFilled(db: Reader, { height, gaps }: State): Steps<void> {
  // PostgreSQL reads everything in one snapshot. No gaps begin below a block without gaps.
  if (db.engine === "postgres" || gaps === "") return;
  if ((yield* gapsBelow(db, height)) !== gaps) throw serverIsBusy();
}

export interface Range {
  /** The range begins above this height; -1: with the first block. */
  after: number;
  to: StateBlock;
  /** Counts the reverts of blocks up to when the range was read. */
  reverts: number;
}

const toRange = (after: number, last: NamedRow): Range => ({
  after,
  to: toStateBlock(last),
  reverts: last.reverts,
});

/** The range up to the block with this hash; undefined if that is not canonical. */
export function* rangeUpTo(db: Reading, hash: string, after: number): Steps<Range | undefined> {
  const last = yield* namedBlock(db, { hash });
  return last && toRange(after, last);
}

/** Throws NOT_FOUND as `blockAsOf` does, and BAD_REQUEST if `from` is above `to`. */
export function* rangeBetween(db: Reading, { from, to }: BlockRange): Steps<Range> {
  const last = yield* knownRow(db, to);
  if (from === undefined) return toRange(-1, last);
  // The range begins above `from`, so a height need not be indexed.
  const after = heightIn(from) ?? (yield* blockAsOf(db, from)).height;
  refuseAbove(after, to, last);
  return toRange(after, last);
}

/** Throws as `rangeBetween` does if the range ends below the height that it begins above. */
export function refuseAbove(
  after: number,
  to: BlockReference | undefined,
  last: Pick<NamedRow, "height" | "tip">,
): void {
  if (after <= (heightIn(to) ?? last.height)) return;
  // The chain may still reach `from`, and this reference to the tip would then name a later block.
  const isOpen = to === undefined || to === "tip" || "time" in to;
  if (isOpen && last.height === last.tip) throw new ApiError("NOT_FOUND");
  throw new ApiError("BAD_REQUEST", [FROM_ABOVE_TO]);
}

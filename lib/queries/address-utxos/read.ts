import type { BlockReference } from "#lib/contract/block-reference.ts";
import { blockHashAt, type MaybeTip, tip, tipIn, toHorizon } from "#lib/store/common-queries.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { PostgresReader, Query, Reader, SqliteReader } from "#lib/store/query.ts";
import type { IndexTip, TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { first, toBytes } from "#lib/store/statement.ts";
import { firstId, heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { forMoves, isSpentIn, listedCreatedBy, type OwnedOutput } from "../history.ts";
import {
  type AsOfFields,
  gapsIn,
  isSame,
  namedBlockValues,
  refuseIfChanged,
  refuseNotKept,
  refuseUnknown,
  type State,
  stateNow,
} from "../named-block.ts";
import { type TokenColumns, tokensById, tokensOf, tokensSql, toTokenEntry } from "../tokens.ts";
import type { Rows, Window } from "../walk.ts";
import { type WalkState, walkRange } from "../walk-state.ts";
import { asOfWrite, readThrough, type UncachedTokens } from "../write-cache.ts";
import { type OutputFilters, outputTest } from "./filters.ts";
import { outputPageFor } from "./page-statement.ts";
import { type Bound, boundOf, type HashesAt, isCurrent, resumeAfter } from "./position.ts";

export interface UtxoQuery extends Window, OutputFilters {
  addressKey: string;
  order: "asc" | "desc";
  /** The list is as of this block; undefined for live outputs. */
  at?: BlockReference | undefined;
}

export interface UtxoRow {
  /** Rows of a page with the same token share this object. */
  token: TokenRow;
  height: number;
  transactionHash: string;
  outputIndex: number;
  /** Exact decimal digits. */
  amount: string;
  capacity: string;
  /** Missing in lists of live outputs. */
  isSpent?: boolean;
}

/** A row with the id that orders the list. */
interface OrderedRow extends UtxoRow {
  transactionId: number;
}

export type UtxoPage = Rows<UtxoRow>;

/**
 * Reads a page of an address's outputs that are live, or were after the block `at`. Throws PositionAheadError if `after` comes
 * from a state that this copy of the data has not reached, and NOT_FOUND as `walkRange` does.
 */
export const utxosOfAddress: Query<UtxoQuery, UtxoPage> = {
  effort: ({ at }) => (at === undefined ? "look-up" : "scan"),
  *read(db, query) {
    const { order, after } = query;
    const start = order === "asc" ? BEGINNING : END;
    const found = yield* find(db, query, after ? boundOf(after) : start);
    if (!after || isCurrent(after, found)) return yield* toPage(db, found);
    // The position has moved: look up where it is now, and read the page again in the same state.
    db.inOneState();
    const resumed = yield* resumeAfter(db, after, order);
    return yield* toPage(db, yield* find(db, query, resumed ?? start));
  },
};

const BEGINNING: Bound = { id: -1, index: -1 };
const END: Bound = { id: Number.MAX_SAFE_INTEGER, index: 0 };

interface Found extends HashesAt {
  tip: IndexTip | null;
  asOf?: WalkState;
  rows: OrderedRow[];
  hasNext: boolean;
  /** Hash of the last row's block, if the statement returned it. */
  lastHash?: string | null;
}

function* toPage(db: Reader, { tip, asOf, rows, hasNext, lastHash }: Found): Steps<UtxoPage> {
  const tail = rows.at(-1);
  if (!tip || !tail) return { tip, asOf, rows, hasNext, last: null };
  const { height, transactionId, outputIndex } = tail;
  const blockHash = lastHash ?? (yield* blockHashAt(db, height)) ?? "";
  const transactionIndex = indexOf(transactionId);
  const last = { height, transactionIndex, outputIndex, blockHash, readAt: asOf ?? tip };
  return { tip, asOf, rows, hasNext, last };
}

function* find(db: Reader, query: UtxoQuery, after: Bound): Steps<Found> {
  const { at, state } = query;
  if (at === undefined) return yield* findLive(db, query, after, END.id);
  // This one statement is mostly enough, and takes a third of the time of the others.
  if (db.engine === "postgres" && !db.distributed && !db.isOneState) {
    const { isCut, ...found } = yield* findInPostgres(db, query, after);
    if (!isCut) return found;
  }
  db.inOneState();
  const { asOf } = yield* walkRange(db, { to: at }, state);
  return yield* findAsOf(db, query, after, asOf);
}

/** Finds live outputs of transactions with ids below `end`. */
function findLive(db: Reader, query: UtxoQuery, after: Bound, end: number): Steps<Found> {
  const start = query.order === "desc" && after.id >= end ? { id: end, index: 0 } : after;
  return db.engine === "sqlite" ? findInSqlite(db, query, start, end) : findInPostgres(db, query, start, end);
}

type Place = Pick<OrderedRow, "transactionId" | "outputIndex">;
const ascending = (a: Place, b: Place) => a.transactionId - b.transactionId || a.outputIndex - b.outputIndex;

/** Finds outputs that are still live, and outputs that were spent after the block `asOf`. */
function* findAsOf(db: Reader, query: UtxoQuery, start: Bound, asOf: WalkState): Steps<Found> {
  const { addressKey, order, limit } = query;
  const end = firstId(asOf.height + 1);
  let read = yield* stateNow(db);
  let live = yield* findLive(db, query, start, end);
  // PostgreSQL reads one snapshot. On SQLite, a block may be stored between statements that come after a pause.
  while (db.engine === "sqlite") {
    const now: State | null = yield* stateNow(db);
    if (!now || (read && isSame(read, now))) break;
    read = now;
    live = yield* findLive(db, query, start, end);
  }
  if (!read || !live.tip || live.tip.height === asOf.height) return { ...live, asOf };
  const inOrder = order === "asc" ? ascending : (a: Place, b: Place) => ascending(b, a);
  const position = { transactionId: start.id, outputIndex: start.index };
  const passes = yield* outputTest(db, query);
  // Outputs spent after this id were still live in the read above.
  const newest = firstId(live.tip.height + 1);
  const lastLive = live.hasNext ? live.rows.at(-1)!.transactionId : undefined;
  const range =
    order === "asc"
      ? { from: Math.max(start.id, 0), to: lastLive === undefined ? end : lastLive + 1 }
      : { from: lastLive ?? 0, to: Math.min(start.id + 1, end) };
  const after = { by: start.id, created: true, index: start.index };
  const touches = { addressKeys: [addressKey], order, enough: limit + 2, spentFrom: end, after, ...range };
  const spent: OwnedOutput[] = [];
  yield* forMoves(db, touches, listedCreatedBy, (created) => {
    const found = created.filter(
      (output) => isSpentIn(output, end, newest) && passes(output) && inOrder(position, output) < 0,
    );
    spent.push(...found.sort(inOrder).slice(0, limit + 1 - spent.length));
    return spent.length <= limit;
  });
  const all = [...live.rows, ...(yield* toRows(db, spent))].sort(inOrder);
  yield* refuseIfChanged(db, read, asOf.height);
  const rows = all.slice(0, limit);
  const hasNext = live.hasNext || all.length > limit;
  return { ...live, asOf, rows, hasNext, lastHash: spent.length === 0 ? live.lastHash : null };
}

/** Makes rows of outputs, with their transactions' hashes and tokens. */
export function* toRows(
  db: Reader,
  outputs: readonly (OwnedOutput & { transactionHash?: string })[],
): Steps<OrderedRow[]> {
  if (outputs.length === 0) return [];
  const unnamed = outputs.filter((output) => !output.transactionHash);
  const transactionIds = unnamed.map(({ transactionId }) => transactionId);
  const hashes = yield* transactionHashes(db, transactionIds);
  const tokens = yield* tokensOf(db, outputs);
  return outputs.map(({ transactionId, transactionHash, outputIndex, tokenId, amount, capacity }) => ({
    token: tokens.get(tokenId)!,
    height: heightOf(transactionId),
    transactionId,
    transactionHash: transactionHash ?? hashes.get(transactionId)!,
    outputIndex,
    amount,
    capacity,
  }));
}

type OutputTuple = [
  transactionId: number,
  outputIndex: number,
  tokenId: number,
  hash: string,
  /** The native asset has its amount in `capacity`, and null here. */
  amount: string | null,
  capacity: string,
];

function* findInSqlite(db: SqliteReader, query: UtxoQuery, start: Bound, end: number): Steps<Found> {
  const { addressKey, order, after, limit } = query;
  const newest = yield* tip(db);
  const hashAtPosition = after ? yield* blockHashAt(db, after.height) : null;
  const hashAtTip = after ? yield* blockHashAt(db, after.readAt.height) : null;
  // `query` includes the values of the filters.
  const values = { ...query, address: toBytes(addressKey), ...start, limit: limit + 1, end };
  const found = db.tuples<OutputTuple>(outputPageFor("live", order, query)(values));
  const hasNext = found.length > limit;
  if (hasNext) found.pop();
  const tokens = yield* tokensById(db, new Set(found.map(([, , tokenId]) => tokenId)));
  const rows = found.map(
    ([id, outputIndex, tokenId, hash, amount, capacity]): OrderedRow => ({
      token: tokens.get(tokenId)!,
      height: heightOf(id),
      transactionId: id,
      transactionHash: `0x${hash.toLowerCase()}`,
      outputIndex,
      amount: amount ?? capacity,
      capacity,
    }),
  );
  return { tip: newest, hashAtPosition, hashAtTip, rows, hasNext };
}

type PageRow = MaybeTip &
  UncachedTokens<TokenColumns> & {
    hash_at_position: string | null;
    hash_at_tip: string | null;
    /** A line for each output: its transaction's id, its index, its token's id, its capacity, and the amount of a token. */
    outputs: string | null;
    /** Hashes of the outputs' transactions, in the same order. */
    hashes: string | null;
    last_hash: string | null;
    /** The block of a page as of a block; null if it is not indexed. */
    as_of?: (AsOfFields & { is_cut: boolean | null }) | null;
  };

/** Throws NOT_FOUND as `blockAsOf` and `refuseBelowHorizon` do. */
function asOfIn({ as_of: asOf }: PageRow, { at = "tip", state }: UtxoQuery) {
  // The walk's state is gone, and other statements find out why.
  if (state && (!asOf || gapsIn(asOf.gaps) !== state.gaps)) return { isCut: true };
  refuseUnknown(at, asOf);
  const { height, hash, gaps, horizon, is_cut: isCut } = asOf;
  refuseNotKept(height, toHorizon(horizon));
  return { asOf: { height, hash, gaps: gapsIn(gaps), after: -1 }, isCut };
}

const TOKENS_OF_WRITE = asOfWrite(tokensSql);

/** Hex digits of a transaction hash. */
const HASH_DIGITS = 64;

/** Lists outputs of transactions with ids below `end`; without `end`, the page is as of the query's block. */
function* findInPostgres(
  db: PostgresReader,
  query: UtxoQuery,
  start: Bound,
  end?: number,
): Steps<Found & { isCut?: boolean | null }> {
  const { addressKey, order, after, limit, at = "tip", state } = query;
  const cached = readThrough(db, db.tokenCache, TOKENS_OF_WRITE, toTokenEntry);
  const pageWith = outputPageFor(end === undefined ? "block" : "live", order, query);
  const page = pageWith({
    // This includes the values of the filters.
    ...query,
    address: toBytes(addressKey),
    ...start,
    limit: limit + 1,
    ...(end === undefined ? namedBlockValues(state ?? at) : { end }),
    positionHeight: after?.height ?? -1,
    tipHeight: after?.readAt.height ?? -1,
    ...cached.values,
  });
  const row = (yield* first<PageRow>(db, page))!;
  const { outputs, hashes } = row;
  const beside = {
    tip: tipIn(row),
    hashAtPosition: row.hash_at_position,
    hashAtTip: row.hash_at_tip,
    lastHash: row.last_hash,
    ...(end === undefined && asOfIn(row, query)),
  };
  if (outputs === null || hashes === null) return { ...beside, rows: [], hasNext: false };
  const lines = outputs.split("\n").map((line) => line.split(" "));
  const hasNext = lines.length > limit;
  if (hasNext) lines.pop();
  const numbers = lines.map(([, , tokenId]) => Number(tokenId));
  const tokens = yield* cached.complete(row, numbers);
  // In a page as of a block, spent outputs mostly have the same tokens as live ones.
  if (query.at !== undefined) for (const number of numbers) db.tokens.set(number, tokens.get(number)!);
  const rows = lines.map(([id, outputIndex, , capacity = "", amount = capacity], place): OrderedRow => {
    const transactionId = Number(id);
    return {
      token: tokens.get(numbers[place]!)!,
      height: heightOf(transactionId),
      transactionId,
      transactionHash: `0x${hashes.slice(2 + place * HASH_DIGITS, 2 + (place + 1) * HASH_DIGITS)}`,
      outputIndex: Number(outputIndex),
      amount,
      capacity,
    };
  });
  return { ...beside, rows, hasNext };
}

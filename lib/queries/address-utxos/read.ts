import type { BlockReference } from "#lib/contract/block-reference.ts";
import { blockHashAt, type MaybeTip, tip, tipIn, toHorizon } from "#lib/store/common-queries.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { PostgresReader, Query, Reader, SqliteReader } from "#lib/store/query.ts";
import type { IndexTip, Position, TokenRow } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { first, toBytes } from "#lib/store/statement.ts";
import { firstId, heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { forMoves, isSpentIn, listedCreatedBy, type OwnedOutput } from "../history.ts";
import {
  gapsIn,
  namedBlockValues,
  refuseIfReplaced,
  refuseNotKept,
  refuseUnknown,
  stateAt,
} from "../named-block.ts";
import { type TokenColumns, tokensById, tokensOf, toTokenRow } from "../tokens.ts";
import type { Rows, Window } from "../walk.ts";
import { type WalkState, walkRange } from "../walk-state.ts";
import { type OutputFilters, outputTest } from "./filters.ts";
import { outputPageFor } from "./page-statement.ts";
import { type Bound, boundOf, type HashesAt, isCurrent, positionAt, resumeAfter } from "./position.ts";

export interface UtxoQuery extends Window, OutputFilters {
  addressKey: string;
  order: "asc" | "desc";
  /** The block that the list is as of; undefined: it has what is live. */
  at?: BlockReference | undefined;
}

export interface UtxoRow {
  /** One object for each token of the page, shared by its rows. */
  token: TokenRow;
  height: number;
  transactionHash: string;
  outputIndex: number;
  /** Exact decimal digits. */
  amount: string;
  capacity: string;
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
    if (!after || isCurrent(after, found)) return toPage(found);
    // The position has moved: look up where it is now, and read the page again in the same state.
    db.inOneState();
    const resumed = yield* resumeAfter(db, after, order);
    return toPage(yield* find(db, query, resumed ?? start));
  },
};

const BEGINNING: Bound = { id: -1, index: -1 };
const END: Bound = { id: Number.MAX_SAFE_INTEGER, index: 0 };

interface Found extends HashesAt {
  tip: IndexTip | null;
  asOf?: WalkState;
  rows: UtxoRow[];
  /** Ids of the rows' transactions. */
  ids: number[];
  hasNext: boolean;
  last: Omit<Position, "readAt"> | null;
}

const toPage = ({ tip, asOf, rows, hasNext, last }: Found): UtxoPage => ({
  tip,
  asOf,
  rows,
  hasNext,
  last: tip && last && { ...last, readAt: asOf ?? tip },
});

function* find(db: Reader, query: UtxoQuery, after: Bound): Steps<Found> {
  const { at, state } = query;
  if (at === undefined) return yield* findLive(db, query, after, END.id);
  // One statement is a third of the work, where it is enough.
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

const directionOf = ({ order }: UtxoQuery) => (order === "asc" ? 1 : -1);

/** Finds outputs that are still live, and outputs that were spent after the block `asOf`. */
function* findAsOf(db: Reader, query: UtxoQuery, start: Bound, asOf: WalkState): Steps<Found> {
  const { addressKey, order, limit } = query;
  const end = firstId(asOf.height + 1);
  const live = { ...(yield* findLive(db, query, start, end)), asOf };
  if (!live.tip || live.tip.height === asOf.height) return live;
  const read = yield* stateAt(db, live.tip);
  const direction = directionOf(query);
  const inOrder = (a: OwnedOutput, b: OwnedOutput) =>
    direction * (a.transactionId - b.transactionId || a.outputIndex - b.outputIndex);
  const isFurther = ({ transactionId: id, outputIndex: index }: OwnedOutput) =>
    direction * (id - start.id || index - start.index) > 0;
  const passes = yield* outputTest(db, query);
  // Outputs that a later block spends were live when the others were read.
  const newest = firstId(live.tip.height + 1);
  const lastLive = live.hasNext ? live.ids.at(-1)! : undefined;
  const range =
    order === "asc"
      ? { from: Math.max(start.id, 0), to: lastLive === undefined ? end : lastLive + 1 }
      : { from: lastLive ?? 0, to: Math.min(start.id + 1, end) };
  const after = { by: start.id, created: true, index: start.index };
  const touches = { addressKey, order, enough: limit + 2, spentFrom: end, after, ...range };
  const spent: OwnedOutput[] = [];
  yield* forMoves(db, touches, listedCreatedBy, (created) => {
    const found = created.filter(
      (output) => isSpentIn(output, end, newest) && passes(output) && isFurther(output),
    );
    spent.push(...found.sort(inOrder).slice(0, limit + 1 - spent.length));
    return spent.length <= limit;
  });
  const found = spent.length === 0 ? live : yield* withSpent(db, query, live, spent);
  yield* refuseIfReplaced(db, read, asOf.height);
  return found;
}

function* withSpent(db: Reader, query: UtxoQuery, live: Found, spent: OwnedOutput[]): Steps<Found> {
  const rows = yield* toRows(db, spent);
  const all = [
    ...live.rows.map((row, at) => ({ row, id: live.ids[at]! })),
    ...spent.map(({ transactionId }, at) => ({ row: rows[at]!, id: transactionId })),
  ].sort((a, b) => directionOf(query) * (a.id - b.id || a.row.outputIndex - b.row.outputIndex));
  const listed = all.slice(0, query.limit);
  const tail = listed.at(-1)!;
  return {
    ...live,
    rows: listed.map(({ row }) => row),
    ids: listed.map(({ id }) => id),
    hasNext: live.hasNext || all.length > query.limit,
    last: yield* positionAt(db, tail.id, tail.row.outputIndex),
  };
}

/** Makes rows of outputs, with their transactions' hashes and tokens. */
export function* toRows(
  db: Reader,
  outputs: readonly (OwnedOutput & { transactionHash?: string })[],
): Steps<UtxoRow[]> {
  if (outputs.length === 0) return [];
  const hashes = yield* transactionHashes(
    db,
    outputs.filter((output) => !output.transactionHash).map(({ transactionId }) => transactionId),
  );
  const tokens = yield* tokensOf(db, outputs);
  return outputs.map(({ transactionId, transactionHash, outputIndex, tokenId, amount, capacity }) => ({
    token: tokens.get(tokenId)!,
    height: heightOf(transactionId),
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
  /** Null for the native asset, whose amount is the capacity. */
  amount: string | null,
  capacity: string,
];

function* findInSqlite(db: SqliteReader, query: UtxoQuery, start: Bound, end: number): Steps<Found> {
  const { addressKey, order, after, limit } = query;
  const newest = yield* tip(db);
  const hashAtPosition = after ? yield* blockHashAt(db, after.height) : null;
  const hashAtTip = after ? yield* blockHashAt(db, after.readAt.height) : null;
  // The query has the values of its filters.
  const values = { ...query, address: toBytes(addressKey), ...start, limit: limit + 1, end };
  const found = db.tuples<OutputTuple>(outputPageFor("live", order, query)(values));
  const hasNext = found.length > limit;
  if (hasNext) found.pop();
  const tokens = yield* tokensById(db, new Set(found.map(([, , tokenId]) => tokenId)));
  const rows = found.map(
    ([id, outputIndex, tokenId, hash, amount, capacity]): UtxoRow => ({
      token: tokens.get(tokenId)!,
      height: heightOf(id),
      transactionHash: `0x${hash.toLowerCase()}`,
      outputIndex,
      amount: amount ?? capacity,
      capacity,
    }),
  );
  const tail = found.at(-1);
  const last = tail ? yield* positionAt(db, tail[0], tail[1]) : null;
  return { tip: newest, hashAtPosition, hashAtTip, rows, ids: found.map(([id]) => id), hasNext, last };
}

type PageRow = MaybeTip & {
  hash_at_position: string | null;
  hash_at_tip: string | null;
  write: string | null;
  /** A line for each output: its transaction's id, its index, its token's id, its capacity, and the amount of a token. */
  outputs: string | null;
  /** Hashes of the outputs' transactions, in the same order. */
  hashes: string | null;
  last_hash: string | null;
  /** Tokens that were not cached. */
  tokens: TokenColumns[] | null;
  /** The block of a page as of a block; null if it is not indexed. */
  as_of?: {
    height: number;
    hash: string;
    tip: number;
    gaps: string | null;
    horizon: string | null;
    is_cut: boolean | null;
  } | null;
};

/** Throws NOT_FOUND as `blockAsOf` and `refuseBelowHorizon` do. */
function asOfIn({ as_of: asOf }: PageRow, { at = "tip", state }: UtxoQuery) {
  // Further statements find out what became of the walk's state.
  if (state && (!asOf || gapsIn(asOf.gaps) !== state.gaps)) return { isCut: true };
  refuseUnknown(at, asOf);
  const { height, hash, gaps, horizon, is_cut: isCut } = asOf;
  refuseNotKept(height, toHorizon(horizon));
  return { asOf: { height, hash, gaps: gapsIn(gaps), after: -1 }, isCut };
}

/** The most tokens to cache for the next statement, which names them all. */
const MOST_CACHED = 100;

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
  // Other pages may change the cache while this one waits.
  const cached = { ...db.tokenCache };
  const page = outputPageFor(
    end === undefined ? "block" : "live",
    order,
    query,
  )({
    // The query has the values of its filters.
    ...query,
    address: toBytes(addressKey),
    ...start,
    limit: limit + 1,
    ...(end === undefined ? namedBlockValues(state ?? at) : { end }),
    positionHeight: after?.height ?? -1,
    tipHeight: after?.readAt.height ?? -1,
    known: `{${[...cached.tokens.keys()].join()}}`,
    write: cached.write,
  });
  const row = (yield* first<PageRow>(db, page))!;
  const { outputs, hashes } = row;
  const beside = {
    tip: tipIn(row),
    hashAtPosition: row.hash_at_position,
    hashAtTip: row.hash_at_tip,
    ...(end === undefined && asOfIn(row, query)),
  };
  if (outputs === null || hashes === null)
    return { ...beside, rows: [], ids: [], hasNext: false, last: null };
  const tokens = new Map(row.write === cached.write ? cached.tokens : []);
  for (const each of row.tokens ?? []) tokens.set(each.tokenId, toTokenRow(each));
  // The spent outputs of a page of the past mostly have the same tokens.
  if (query.at !== undefined) for (const [id, token] of tokens) db.tokens.set(id, token);
  if (row.write !== null && tokens.size <= MOST_CACHED)
    Object.assign(db.tokenCache, { write: row.write, tokens });
  const lines = outputs.split("\n");
  const hasNext = lines.length > limit;
  if (hasNext) lines.pop();
  const ids: number[] = [];
  const rows = lines.map((line, place): UtxoRow => {
    const [id = "", outputIndex, tokenId, capacity = "", amount = capacity] = line.split(" ");
    ids.push(Number(id));
    return {
      token: tokens.get(Number(tokenId))!,
      height: heightOf(Number(id)),
      transactionHash: `0x${hashes.slice(2 + place * HASH_DIGITS, 2 + (place + 1) * HASH_DIGITS)}`,
      outputIndex: Number(outputIndex),
      amount,
      capacity,
    };
  });
  const lastId = ids.at(-1)!;
  const last = {
    height: heightOf(lastId),
    transactionIndex: indexOf(lastId),
    outputIndex: rows.at(-1)!.outputIndex,
    blockHash: row.last_hash!,
  };
  return { ...beside, rows, ids, hasNext, last };
}

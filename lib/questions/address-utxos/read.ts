import type { z } from "zod";
import type { BlockReference } from "#lib/contract/block-reference.ts";
import { exhaustive } from "#lib/contract/exhaustive.ts";
import {
  blockHashAt,
  LAST_WRITE_SQL,
  type MaybeTip,
  TIP_SQL,
  tip,
  tipIn,
} from "#lib/store/common-queries.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { PostgresReader, Question, Reader, SqliteReader } from "#lib/store/question.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { first, statement, toBytes } from "#lib/store/statement.ts";
import type { IndexTip, Position, Tip, TokenRow } from "#lib/store/store.ts";
import { firstId, heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { forTouches, isSpentIn, listedCreatedBy, type OwnedOutput } from "../history.ts";
import { blockAsOf, refuseIfReplaced } from "../named-block.ts";
import {
  hasNul,
  isOfToken,
  type TokenColumns,
  tokenColumns,
  tokensById,
  tokensOf,
  toTokenRow,
} from "../tokens.ts";
import type { contract } from "./contract.ts";
import { type Bound, boundOf, type HashesAt, isCurrent, resumeAfter } from "./position.ts";

/** The filters and the order of the contract, in a window of the list. */
export interface UtxoQuery
  extends Omit<
    z.output<typeof contract.query>,
    "pageSize" | "cursor" | "after" | "include" | "value" | "at"
  > {
  at?: BlockReference | undefined;
  addressKey: string;
  /** Exclusive; undefined starts at the beginning. */
  after?: Position | undefined;
  limit: number;
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

export interface UtxoPage {
  tip: IndexTip | null;
  /** The block after which the outputs were live, if `at` named one. */
  asOf?: Tip | undefined;
  rows: UtxoRow[];
  /** True only if at least one more row follows the last one. */
  hasNext: boolean;
  /** Of the last row; null for an empty page. */
  last: Position | null;
}

const NO_ROWS = { rows: [], ids: [], hasNext: false, last: null };

/**
 * A page of an address's outputs that are live, or were after the block `at`. Throws PositionAheadError if `after` comes from
 * a state that this copy of the data has not reached, and NOT_FOUND as `blockAsOf` does.
 */
export const utxosOfAddress: Question<UtxoQuery, UtxoPage> = {
  effort: ({ at }) => (at === undefined ? "look-up" : "snapshot"),
  *read(db, query) {
    const { addressKey: _key, token, order, after, limit: _limit, at, ...rest } = query;
    exhaustive(rest);
    const asOf = at === undefined ? undefined : yield* blockAsOf(db, at);
    if (token !== undefined && hasNul(token)) return { ...NO_ROWS, tip: yield* tip(db), asOf };
    const start = order === "asc" ? BEGINNING : END;
    const found = yield* find(db, query, after ? boundOf(after) : start, asOf);
    if (!after || isCurrent(after, found)) return toPage(found, asOf);
    // What the position means now must be found first, and the page is read again beside that.
    db.inOneState();
    const resumed = yield* resumeAfter(db, after, order);
    return toPage(yield* find(db, query, resumed ?? start, asOf), asOf);
  },
};

const BEGINNING: Bound = { id: -1, index: -1 };
const END: Bound = { id: Number.MAX_SAFE_INTEGER, index: 0 };

interface Found extends HashesAt {
  tip: IndexTip | null;
  rows: UtxoRow[];
  /** Of the rows' transactions. */
  ids: number[];
  hasNext: boolean;
  last: Omit<Position, "readAt"> | null;
}

const toPage = ({ tip, rows, hasNext, last }: Found, asOf: Tip | undefined): UtxoPage => ({
  tip,
  asOf,
  rows,
  hasNext,
  last: tip && last && { ...last, readAt: tip },
});

function find(db: Reader, query: UtxoQuery, after: Bound, asOf: Tip | undefined): Steps<Found> {
  return asOf ? findAsOf(db, query, after, asOf) : findLive(db, query, after, END.id);
}

/** Only outputs of transactions below `end`. */
function findLive(db: Reader, query: UtxoQuery, after: Bound, end: number): Steps<Found> {
  const start = query.order === "desc" && after.id >= end ? { id: end, index: 0 } : after;
  return db.engine === "sqlite" ? findInSqlite(db, query, start, end) : findInPostgres(db, query, start, end);
}

/** The outputs that are live still, and those that were spent since. */
function* findAsOf(db: Reader, query: UtxoQuery, start: Bound, asOf: Tip): Steps<Found> {
  const { addressKey, token, order, limit } = query;
  const end = firstId(asOf.height + 1);
  const live = yield* findLive(db, query, start, end);
  if (!live.tip || live.tip.height === asOf.height) return live;
  const direction = order === "asc" ? 1 : -1;
  const inOrder = (a: OwnedOutput, b: OwnedOutput) =>
    direction * (a.transactionId - b.transactionId || a.outputIndex - b.outputIndex);
  const isFurther = ({ transactionId: id, outputIndex: index }: OwnedOutput) =>
    direction * (id - start.id || index - start.index) > 0;
  const spent: OwnedOutput[] = [];
  const isListed = yield* isOfToken(db, token);
  // What is spent above was live when the others were read.
  const newest = firstId(live.tip.height + 1);
  const range =
    order === "asc" ? { from: Math.max(start.id, 0), to: end } : { from: 0, to: Math.min(start.id + 1, end) };
  yield* forTouches(db, { addressKey, order, enough: limit + 2, spentFrom: end, ...range }, function* (ids) {
    const found = (yield* listedCreatedBy(db, addressKey, ids)).filter(
      (output) => isSpentIn(output, end, newest) && isListed(output.tokenId) && isFurther(output),
    );
    spent.push(...found.sort(inOrder).slice(0, limit + 1 - spent.length));
    return spent.length <= limit;
  });
  const rows = yield* toRows(db, spent);
  const all = [
    ...live.rows.map((row, at) => ({ row, id: live.ids[at]! })),
    ...spent.map(({ transactionId }, at) => ({ row: rows[at]!, id: transactionId })),
  ].sort((a, b) => direction * (a.id - b.id || a.row.outputIndex - b.row.outputIndex));
  const listed = all.slice(0, limit);
  const tail = listed.at(-1);
  const last = tail && {
    height: heightOf(tail.id),
    transactionIndex: indexOf(tail.id),
    outputIndex: tail.row.outputIndex,
    blockHash: (yield* blockHashAt(db, heightOf(tail.id))) ?? "",
  };
  yield* refuseIfReplaced(db, live.tip, asOf.height);
  return {
    ...live,
    rows: listed.map(({ row }) => row),
    ids: listed.map(({ id }) => id),
    hasNext: live.hasNext || all.length > limit,
    last: last ?? null,
  };
}

/** The outputs as they are listed. */
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

/**
 * The page's statement: one range scan of a live index, in either direction. Values: address, position, rows wanted + 1, the
 * id above all; for PostgreSQL the heights of the position's two blocks, and the known tokens with their write; [token].
 */
function pageStatement(byToken: boolean, order: "asc" | "desc") {
  const range = `(transaction_id, output_index) ${order === "asc" ? ">" : "<"} (CAST($2 AS bigint), CAST($3 AS bigint))
    AND transaction_id < CAST($5 AS bigint)`;
  const inOrder = `ORDER BY transaction_id ${order}, output_index ${order} LIMIT CAST($4 AS bigint)`;
  const ofToken = (value: string) =>
    byToken ? `AND token_id = (SELECT id FROM tokens WHERE asset_id = ${value})` : "";
  return statement(`utxos-${byToken ? "token-" : ""}${order}`, (sql) =>
    sql.engine === "sqlite"
      ? // Hashes come as SQLite writes them, in capitals: making them ours there takes as long as half of the rest.
        `SELECT transaction_id, output_index, token_id, hex(transaction_hash),
                CAST(amount AS TEXT), CAST(capacity AS TEXT)
         FROM live_outputs ${byToken ? "INDEXED BY live_outputs_by_token" : ""}
         WHERE ${sql.ofAddress("$1")} AND ${range} ${ofToken("$6")} ${inOrder}`
      : // The outputs come as one text, a line each, and their hashes as one string of bytes, which costs the server and
        // us a fraction of rows; each token comes once, if it is not known. All aggregates see the rows in the order of the
        // page. None of them may be DISTINCT or have an order of its own: the server would sort the rows for all of them
        // (enable_presorted_aggregate).
        `SELECT tip.height, tip.hash, tip.gaps, page.outputs, page.hashes, ${LAST_WRITE_SQL} AS write,
           (SELECT hash FROM blocks WHERE height = $6) AS hash_at_position,
           (SELECT hash FROM blocks WHERE height = $7) AS hash_at_tip,
           (SELECT hash FROM blocks WHERE height = page.last_id >> 20) AS last_hash,
           (SELECT json_agg(token) FROM (
              SELECT ${tokenColumns(sql)} FROM tokens t WHERE t.id = ANY (page.token_ids)
                AND NOT (t.id = ANY ($8::integer[]) AND ${LAST_WRITE_SQL} IS NOT DISTINCT FROM $9)
            ) token) AS tokens
         FROM (
           SELECT
             string_agg(concat_ws(' ', transaction_id, output_index, token_id, capacity, amount), E'\\n') AS outputs,
             string_agg(transaction_hash, '') AS hashes,
             array_agg(token_id) AS token_ids,
             coalesce((array_agg(transaction_id))[$4::bigint - 1], ${order === "asc" ? "max" : "min"}(transaction_id)) AS last_id
           FROM (
             SELECT transaction_id, output_index, token_id, transaction_hash, amount, capacity
             FROM live_outputs WHERE ${sql.ofAddress("$1")} AND ${range} ${ofToken("$10")} ${inOrder}
           ) live
         ) page
         LEFT JOIN LATERAL (${TIP_SQL}) tip ON true`,
  );
}

export const PAGES = {
  all: { asc: pageStatement(false, "asc"), desc: pageStatement(false, "desc") },
  ofToken: { asc: pageStatement(true, "asc"), desc: pageStatement(true, "desc") },
};

const statementFor = ({ token, order }: UtxoQuery) => PAGES[token === undefined ? "all" : "ofToken"][order];

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
  const { addressKey, token, after, limit } = query;
  const newest = yield* tip(db);
  const hashAtPosition = after ? yield* blockHashAt(db, after.height) : null;
  const hashAtTip = after ? yield* blockHashAt(db, after.readAt.height) : null;
  const values = [toBytes(addressKey), start.id, start.index, limit + 1, end];
  const found = db.tuples<OutputTuple>(
    statementFor(query),
    ...values,
    ...(token === undefined ? [] : [token]),
  );
  const hasNext = found.length > limit;
  if (hasNext) found.pop();
  const tokens = yield* tokensById(
    db,
    found.map(([, , tokenId]) => tokenId),
  );
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
  const last = tail && {
    height: heightOf(tail[0]),
    transactionIndex: indexOf(tail[0]),
    outputIndex: tail[1],
    blockHash: (yield* blockHashAt(db, heightOf(tail[0])))!,
  };
  const ids = found.map(([id]) => id);
  return { tip: newest, hashAtPosition, hashAtTip, rows, ids, hasNext, last: last ?? null };
}

type PageRow = MaybeTip & {
  hash_at_position: string | null;
  hash_at_tip: string | null;
  write: string | null;
  /** Of each output, a line: id of its transaction, index, id of its token, capacity, and the amount of a token. */
  outputs: string | null;
  /** Of the outputs' transactions, in the same order. */
  hashes: string | null;
  last_hash: string | null;
  /** Those that were not known. */
  tokens: TokenColumns[] | null;
};

/** Tokens that the next statement need not read: it names them all. */
const MOST_KNOWN = 100;

/** Of a transaction hash: 32 bytes. */
const HASH_DIGITS = 64;

function* findInPostgres(db: PostgresReader, query: UtxoQuery, start: Bound, end: number): Steps<Found> {
  const { addressKey, token, after, limit } = query;
  // Other pages may change it while this one waits.
  const known = { ...db.memory };
  const values = [
    toBytes(addressKey),
    start.id,
    start.index,
    limit + 1,
    end,
    after?.height ?? -1,
    after?.readAt.height ?? -1,
    `{${[...known.tokens.keys()].join()}}`,
    known.write,
  ];
  const row = (yield* first<PageRow>(
    db,
    statementFor(query),
    ...values,
    ...(token === undefined ? [] : [token]),
  ))!;
  const { outputs, hashes } = row;
  const beside = { tip: tipIn(row), hashAtPosition: row.hash_at_position, hashAtTip: row.hash_at_tip };
  if (outputs === null || hashes === null) return { ...beside, ...NO_ROWS };
  const tokens = new Map(row.write === known.write ? known.tokens : []);
  for (const each of row.tokens ?? []) tokens.set(each.tokenId, toTokenRow(each));
  // The spent outputs that a page of the past lists are mostly of the same tokens.
  if (query.at !== undefined) for (const [id, token] of tokens) db.tokens.set(id, token);
  if (row.write !== null && tokens.size <= MOST_KNOWN) Object.assign(db.memory, { write: row.write, tokens });
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

/**
 * Reads the history of addresses. Their touches name the transactions in chain order. Their outputs and hashes are looked up by
 * id, since Citus distributes each of these tables by another column.
 */
import { serverIsBusy } from "#lib/contract/errors.ts";
import { type Reader, tuples } from "#lib/store/query.ts";
import type { OutputRow } from "#lib/store/rules/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import {
  all,
  type Bytes,
  type Dialect,
  type Statement,
  statementWith,
  toBytes,
  toHex,
} from "#lib/store/statement.ts";
import { PIECE } from "./pieces.ts";
import { forRuns, type Order, type TouchRange } from "./touch-runs.ts";

/** Maximum number of touches to read at once. */
const MAX_TOUCHES = 1_000;
/** By default, each read fetches this many times more touches than the one before, since a list may skip most of them. */
const GROWTH = 16;
/** Fewest touches of each of several addresses: with fewer, most of them would soon be read again. */
const LEAST_EACH = 8;
/** Above all indexes in a transaction. */
const END = Number.MAX_SAFE_INTEGER;

/** An output of an address, with ids of its transactions and token. */
export interface OwnedOutput
  extends Pick<OutputRow, "transactionId" | "outputIndex" | "spentBy" | "spentInput"> {
  tokenId: number;
  /** Exact decimal digits; the capacity of an output without a token. */
  amount: string;
  capacity: string;
}

/** Whether a transaction with an id of at least `from` and below `to` spends the output. */
export const isSpentIn = ({ spentBy }: OwnedOutput, from: number, to: number): boolean =>
  spentBy !== null && spentBy >= from && spentBy < to;

/** Whether nobody can ever spend the output: it is stored as spent by its own transaction, and listed nowhere. */
export const isUnspendable = ({
  spentBy,
  transactionId,
}: Pick<OwnedOutput, "spentBy" | "transactionId">): boolean => spentBy === transactionId;

const touchesStatement = (spent: boolean, order: Order) =>
  statementWith(["address", "from", "to", "limit", "spentFrom?"])(
    (sql) => `SELECT transaction_id AS id FROM touches
     WHERE ${sql.ofAddress("$address")} AND transaction_id >= CAST($from AS bigint) AND transaction_id < CAST($to AS bigint)
       ${spent ? "AND last_spent >= CAST($spentFrom AS bigint)" : ""}
     ORDER BY transaction_id ${order} LIMIT CAST($limit AS bigint)`,
  );
const TOUCHES = { asc: touchesStatement(false, "asc"), desc: touchesStatement(false, "desc") };
const SPENT = { asc: touchesStatement(true, "asc"), desc: touchesStatement(true, "desc") };

/** Selects the touches of several addresses, at most `$limit` of each. A row has all ids of an address, since many rows take longer. */
const eachStatement = (spent: boolean, order: Order) =>
  statementWith(["addresses", "from", "to", "limit", "spentFrom?"])(({ engine, owner, isIn }) => {
    const ofOne = `SELECT CAST(transaction_id AS text) AS id FROM touches
       WHERE ${owner.column} = a.${owner.primaryKey} AND transaction_id >= CAST($from AS bigint)
         AND transaction_id < CAST($to AS bigint) ${spent ? "AND last_spent >= CAST($spentFrom AS bigint)" : ""}
       ORDER BY transaction_id ${order} LIMIT CAST($limit AS bigint)`;
    const wanted = isIn("a.key", "$addresses", "bytea");
    // SQLite has no LATERAL.
    return engine === "sqlite"
      ? `SELECT a.key, (SELECT string_agg(id, ',') FROM (${ofOne})) AS ids FROM addresses a WHERE ${wanted}`
      : `SELECT a.key, string_agg(t.id, ',') AS ids FROM addresses a CROSS JOIN LATERAL (${ofOne}) t
         WHERE ${wanted} GROUP BY a.key`;
  });
const OF_EACH = { asc: eachStatement(false, "asc"), desc: eachStatement(false, "desc") };
const SPENT_OF_EACH = { asc: eachStatement(true, "asc"), desc: eachStatement(true, "desc") };

/** A transaction, and upper bounds of the addresses' outputs that it creates and spends. */
interface Counted {
  id: number;
  created: number;
  spent: number;
}

/** Condition: an output belongs to one of the addresses with these keys. */
export const ofAddresses = ({ engine, isIn }: Dialect) =>
  engine === "postgres"
    ? isIn("address_key", "$addresses", "bytea")
    : `address_id IN (SELECT id FROM addresses WHERE ${isIn("key", "$addresses", "bytea")})`;

/** SQLite searches for the last index in each transaction, to read few rows. Citus cannot do that in one statement. */
const COUNTED = statementWith(["addresses?", "ids"])((sql) => {
  if (sql.engine === "sqlite") {
    const last = (index: string, by: string) =>
      `(SELECT coalesce(max(${index}) + 1, 0) FROM outputs WHERE ${by} = wanted.value)`;
    return `SELECT wanted.value AS id, ${last("output_index", "transaction_id")} AS created,
       ${last("spent_input_index", "spent_transaction_id")} AS spent FROM json_each($ids) wanted`;
  }
  const side = (index: string, by: string, created: string, spent: string) =>
    `SELECT ${by} AS id, ${created} AS created, ${spent} AS spent FROM outputs
     WHERE ${sql.isIn(by, "$ids", "bigint")} AND ${ofAddresses(sql)} AND ${index} IS NOT NULL GROUP BY ${by}`;
  return `SELECT id, CAST(sum(created) AS bigint) AS created, CAST(sum(spent) AS bigint) AS spent FROM (
       ${side("output_index", "transaction_id", "max(output_index) + 1", "0")} UNION ALL
       ${side("spent_input_index", "spent_transaction_id", "0", "max(spent_input_index) + 1")}
     ) sides GROUP BY id`;
});

function* counted(db: Reader, addresses: string, ids: number[]): Steps<Counted[]> {
  const found = yield* all<Counted>(db, COUNTED({ addresses, ids: JSON.stringify(ids) }));
  const byId = new Map(found.map((touch) => [touch.id, touch]));
  return ids.map((id) => byId.get(id) ?? { id, created: 0, spent: 0 });
}

/** Place of a change in the order of changes. A transaction spends its inputs before it creates outputs. */
export interface ChangeAt {
  /** Id of the transaction. */
  by: number;
  created: boolean;
  index: number;
}

/** Selects transactions that touch one of the addresses. */
interface TouchQuery extends TouchRange {
  /** Number of touches in the first read, if those are probably enough; missing: MAX_TOUCHES. */
  enough?: number;
  /** Number of touches in the next read, after this many were too few; missing: GROWTH times as many. */
  next?: (used: number) => number;
  /** Only transactions that create an output which is spent by this id or a higher one. */
  spentFrom?: number;
  /** Place of the last change that was read, so that a large transaction is not read from its start again. */
  after?: ChangeAt | undefined;
}

/** Created outputs or spent inputs of these transactions, with indexes of at least `from` and below `to`. */
interface Side {
  ids: number[];
  from: number;
  to: number;
}

/** Few changes, of several transactions or of a part of one. Other requests may run after it. */
interface Piece {
  /** The transactions that begin in it. */
  ids: number[];
  spent: Side;
  created: Side;
  /** Place of its last change, in order. */
  end: ChangeAt;
}

/** Maximum number of transactions in a piece, since they may have outputs of many other addresses. */
const MAX_TOGETHER = 512;
/** On SQLite, the number in the first piece. */
const FIRST_TOGETHER = 64;
/** On SQLite, the duration of a read in milliseconds above which the next piece is smaller. */
const LONG_MS = 10;

const whole = (ids: number[]): Side => ({ ids, from: 0, to: END });

function pieceOf(ids: number[], order: Order): Piece {
  const [created, index] = order === "asc" ? [true, END] : [false, -1];
  return { ids, spent: whole(ids), created: whole(ids), end: { by: ids.at(-1)!, created, index } };
}

/** Splits transactions into pieces of at most PIECE rows. */
function smallPieces(touches: Counted[], { order = "asc", after }: TouchQuery): Piece[] {
  const pieces: Piece[] = [];
  let together: number[] = [];
  let rows = 0;
  const flush = () => {
    if (together.length > 0) pieces.push(pieceOf(together, order));
    [together, rows] = [[], 0];
  };
  for (const touch of touches) {
    const size = touch.created + touch.spent;
    if (rows + size > PIECE) flush();
    if (size > PIECE) pieces.push(...partsOf(touch, order, after?.by === touch.id ? after : undefined));
    else {
      together.push(touch.id);
      rows += size;
    }
  }
  flush();
  return pieces;
}

/** Splits a large transaction, from after a place in it. */
function partsOf(touch: Counted, order: Order, after: ChangeAt | undefined): Piece[] {
  const parts: Piece[] = [];
  for (const side of ["spent", "created"] as const) {
    const isCreated = side === "created";
    let [from, to] = [0, touch[side]];
    if (after?.created === isCreated) {
      if (order === "asc") from = after.index + 1;
      else to = after.index;
    } else if (after && after.created === (order === "asc")) {
      // All of this side comes before the place.
      continue;
    }
    for (; from < to; from += PIECE) {
      const rows = { ids: [touch.id], from, to: Math.min(from + PIECE, to) };
      parts.push({
        ids: [],
        spent: whole([]),
        created: whole([]),
        [side]: rows,
        end: { by: touch.id, created: isCreated, index: order === "asc" ? rows.to - 1 : from },
      });
    }
  }
  if (order === "desc") parts.reverse();
  if (parts[0]) parts[0].ids = [touch.id];
  return parts;
}

/** Reads the rows of a piece; null if there are more than PIECE on a side, so that smaller pieces are needed. */
type Look<Found> = (db: Reader, addressKeys: readonly string[], piece: Piece) => Steps<Found | null>;

/** Reads changes of addresses in pieces, in order, and yields to other requests between them. `use` returns false to stop. */
export function* forMoves<Found>(
  db: Reader,
  query: TouchQuery,
  look: Look<Found>,
  use: (found: Found, piece: Piece) => boolean,
): Steps<void> {
  const { addressKeys, order = "asc" } = query;
  // Only SQLite's reads stop other work.
  const isBlocking = db.engine === "sqlite";
  let most = MAX_TOGETHER;
  let together = isBlocking ? FIRST_TOGETHER : most;
  yield* forTouches(db, query, function* (ids) {
    for (let from = 0; from < ids.length; ) {
      if (from > 0) yield* done(db.pause());
      const piece = pieceOf(ids.slice(from, from + together), order);
      const begun = performance.now();
      const found = yield* look(db, addressKeys, piece);
      const isLong = isBlocking && performance.now() - begun > LONG_MS;
      from += piece.ids.length;
      if (found !== null) {
        const next = isLong ? Math.ceil(piece.ids.length / 2) : Math.max(together, 2 * piece.ids.length);
        together = Math.min(next, most);
        if (!use(found, piece)) return false;
        continue;
      }
      together = most = Math.ceil(piece.ids.length / 2);
      for (const small of smallPieces(yield* counted(db, JSON.stringify(addressKeys), piece.ids), query)) {
        yield* done(db.pause());
        const some = yield* look(db, addressKeys, small);
        // A reorganisation between the pieces made the transaction larger.
        if (some === null) throw serverIsBusy();
        if (!use(some, small)) return false;
      }
    }
    return true;
  });
}

/** Ids of the first transactions that touch the address in the range, at most `most`. */
export function* touchedBy(
  db: Reader,
  { addressKey, from, to }: Pick<TouchQuery, "from" | "to"> & { addressKey: string },
  most: number,
): Steps<number[]> {
  const first = TOUCHES.asc({ address: toBytes(addressKey), from, to, limit: most });
  return (yield* all<{ id: number }>(db, first)).map(({ id }) => id);
}

/** Passes ids of touches to `use`, which returns false to stop. Only for a single address, it skips runs of touches. */
function* forTouches(db: Reader, query: TouchQuery, use: (ids: number[]) => Steps<boolean>): Steps<void> {
  if (query.spentFrom === undefined || query.addressKeys.length > 1) yield* forTouchesIn(db, query, use);
  else yield* forRuns(db, query, query.spentFrom, (run) => forTouchesIn(db, { ...query, ...run }, use));
}

/** Touches of an address that have been read and not been used, in order. */
interface Ahead {
  key: string;
  ids: number[];
  /** The number of touches that were read at once. */
  read: number;
  /** Whether others may follow. */
  isMore: boolean;
}

/** Returns false if `use` did. */
function* forTouchesIn(
  db: Reader,
  { addressKeys, from, to, order = "asc", spentFrom, enough = MAX_TOUCHES, next }: TouchQuery,
  use: (ids: number[]) => Steps<boolean>,
): Steps<boolean> {
  const inOrder = (one: number, other: number) => (order === "asc" ? one - other : other - one);
  const lists = addressKeys.map((key): Ahead => ({ key, ids: [], read: 0, isMore: true }));
  let used = 0;
  for (let size = enough; ; ) {
    // One statement reads for all addresses that will soon need more, instead of one for each as it runs out.
    const low = lists.filter(({ isMore, ids, read }) => isMore && ids.length <= read / 2);
    const each = Math.max(Math.min(size, LEAST_EACH), Math.ceil(size / low.length));
    const keys = low.map(({ key }) => key);
    const read = yield* touchesOf(db, keys, order, { from, to, spentFrom, limit: each });
    for (const list of low) {
      list.ids = (read.get(list.key) ?? []).sort(inOrder);
      list.read = each;
      list.isMore = list.ids.length === each;
    }
    // A list that continues may have ids before those of other lists, so the order is only known up to its end.
    const ends = lists.flatMap(({ isMore, ids }) => (isMore ? [ids.at(-1)!] : []));
    const end = ends.sort(inOrder)[0];
    const found = new Set<number>();
    for (const list of lists) {
      const after = end === undefined ? -1 : list.ids.findIndex((id) => inOrder(end, id) < 0);
      for (const id of list.ids.splice(0, after === -1 ? list.ids.length : after)) found.add(id);
    }
    const ids = [...found].sort(inOrder);
    if (ids.length > 0 && !(yield* use(ids))) return false;
    if (end === undefined) return true;
    used += ids.length;
    if (used >= size) size = Math.max(size, Math.min(next?.(used) ?? GROWTH * size, MAX_TOUCHES));
    if (order === "asc") from = end + 1;
    else to = end;
    yield* done(db.pause());
  }
}

/** Ids of the first touches of each address. */
function* touchesOf(
  db: Reader,
  keys: readonly string[],
  order: Order,
  range: { from: number; to: number; spentFrom: number | undefined; limit: number },
): Steps<Map<string, number[]>> {
  const [key = "", ...others] = keys;
  if (others.length === 0) {
    const touches = range.spentFrom === undefined ? TOUCHES : SPENT;
    const rows = yield* all<{ id: number }>(db, touches[order]({ ...range, address: toBytes(key) }));
    return new Map([[key, rows.map(({ id }) => id)]]);
  }
  const touches = range.spentFrom === undefined ? OF_EACH : SPENT_OF_EACH;
  const each = touches[order]({ ...range, addresses: JSON.stringify(keys) });
  const rows = yield* all<{ key: Bytes; ids: string | null }>(db, each);
  return new Map(rows.map(({ key, ids }) => [toHex(key), ids?.split(",").map(Number) ?? []]));
}

const sideStatement = (by: string, index: string, columns: (sql: Dialect) => string) =>
  statementWith(["addresses", "ids", "from", "to", "limit"])(
    (sql) => `SELECT ${columns(sql)} FROM outputs
     WHERE ${sql.isIn(by, "$ids", "bigint")} AND ${ofAddresses(sql)} AND transaction_id >= 0
       AND ${index} >= CAST($from AS bigint) AND ${index} < CAST($to AS bigint) LIMIT CAST($limit AS bigint)`,
  );
type SideStatement = ReturnType<typeof sideStatement>;
const createdStatement = (columns: (sql: Dialect) => string) =>
  sideStatement("transaction_id", "output_index", columns);
const spentStatement = (columns: (sql: Dialect) => string) =>
  sideStatement("spent_transaction_id", "spent_input_index", columns);

const owned = () => `transaction_id AS "transactionId", output_index AS "outputIndex",
  spent_transaction_id AS "spentBy", spent_input_index AS "spentInput", token_id AS "tokenId",
  CAST(coalesce(amount, capacity) AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity`;
const CREATED = createdStatement(owned);

/** Reads one side of a piece; null if it has more than PIECE rows. */
function* sideOf<Row>(
  read: (db: Reader, query: Statement) => Steps<Row[]>,
  db: Reader,
  query: SideStatement,
  addressKeys: readonly string[],
  { ids, from, to }: Side,
): Steps<Row[] | null> {
  if (ids.length === 0) return [];
  const values = {
    addresses: JSON.stringify(addressKeys),
    ids: JSON.stringify(ids),
    from,
    to,
    limit: PIECE + 1,
  };
  const rows = yield* read(db, query(values));
  return rows.length > PIECE ? null : rows;
}

/** Outputs of the addresses that the transactions create. */
export const createdBy: Look<OwnedOutput[]> = (db, addressKeys, { created }) =>
  sideOf(all<OwnedOutput>, db, CREATED, addressKeys, created);

export interface ChangedOutput extends OwnedOutput {
  /** The key of its address. */
  owner: Bytes;
}
const withOwner = (sql: Dialect) => `${owned()}, ${sql.ownerKey("outputs")} AS owner`;
const CHANGED_IN = createdStatement(withOwner);
const CHANGED_OUT = spentStatement(withOwner);
type Changed = Record<"created" | "spent", ChangedOutput[]>;

/** Outputs of the addresses that the transactions create, and those that they spend and whose creation is indexed. */
export const changedBy: Look<Changed> = function* (db, keys, piece) {
  const created = yield* sideOf(all<ChangedOutput>, db, CHANGED_IN, keys, piece.created);
  const spent = created && (yield* sideOf(all<ChangedOutput>, db, CHANGED_OUT, keys, piece.spent));
  return spent && { created: created!, spent };
};

const CREATED_WITH_HASH = createdStatement((sql) => {
  const hash = `SELECT ${sql.hex("hash")} FROM transactions WHERE id = outputs.transaction_id`;
  return `${owned()}, (${hash}) AS "transactionHash"`;
});
type ListedOutput = OwnedOutput & { transactionHash?: string };
/** The columns of CREATED_WITH_HASH, in their order. */
type ListedTuple = [number, number, number | null, number | null, number, string, string, string];

/** Outputs as `createdBy` reads them, with the hashes of their transactions unless those are on other machines. */
export const listedCreatedBy: Look<ListedOutput[]> = function* (db, addressKeys, { created }) {
  if (db.engine === "postgres") {
    const statement = db.distributed ? CREATED : CREATED_WITH_HASH;
    return yield* sideOf(all<ListedOutput>, db, statement, addressKeys, created);
  }
  const rows = yield* sideOf(tuples<ListedTuple>, db, CREATED_WITH_HASH, addressKeys, created);
  if (!rows) return null;
  return rows.map((row) => {
    const [transactionId, outputIndex, spentBy, spentInput, tokenId, amount, capacity, transactionHash] = row;
    return { transactionId, outputIndex, spentBy, spentInput, tokenId, amount, capacity, transactionHash };
  });
};

/** The amount that an output moved. `isUnspendable`: 1 if nobody can ever spend it. */
export type Moved = [transactionId: number, tokenId: number, amount: string, isUnspendable?: number | null];

const movedColumns = (by: string) =>
  `${by} AS id, token_id, CAST(coalesce(amount, capacity) AS TEXT) AS amount`;
const MOVED_IN = createdStatement(
  () =>
    `${movedColumns("transaction_id")}, CAST(spent_transaction_id = transaction_id AS integer) AS unspendable`,
);
const MOVED_OUT = spentStatement(() => movedColumns("spent_transaction_id"));

/** Outputs of the addresses that the transactions create and spend. An unspendable output leaves with its own transaction. */
export const movedBy: Look<Record<"created" | "spent", Moved[]>> = function* (db, addressKeys, piece) {
  const created = yield* sideOf(tuples<Moved>, db, MOVED_IN, addressKeys, piece.created);
  const spent = created && (yield* sideOf(tuples<Moved>, db, MOVED_OUT, addressKeys, piece.spent));
  if (!created || !spent) return null;
  for (const moved of created) if (moved[3]) spent.push(moved);
  return { created, spent };
};

/**
 * What an address had after a block, and what happened to it between two. Touches name the transactions in chain order;
 * their outputs and hashes are looked up by id, since Citus keeps each of these tables by another column.
 */
import { serverIsBusy } from "#lib/contract/errors.ts";
import type { Reader } from "#lib/store/query.ts";
import type { OutputRow } from "#lib/store/rules/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, type Statement, statementWith, toBytes } from "#lib/store/statement.ts";
import { PIECE } from "./pieces.ts";

/** Touches that are looked up together, at most: a list that skips many of them soon reads more at once. */
const MOST = 1_000;
const GROWTH = 16;
/** Above all places in a transaction. */
const END = Number.MAX_SAFE_INTEGER;

/** An output of the address that is looked at, by ids. */
export interface OwnedOutput
  extends Pick<OutputRow, "transactionId" | "outputIndex" | "spentBy" | "spentInput"> {
  tokenId: number;
  /** Exact decimal digits; of a plain output, its capacity. */
  amount: string;
  capacity: string;
}

/** Whether a transaction with an id from `from` up to below `to` spends the output. */
export const isSpentIn = ({ spentBy }: OwnedOutput, from: number, to: number): boolean =>
  spentBy !== null && spentBy >= from && spentBy < to;

const touchesStatement = (spent: boolean, order: "asc" | "desc") =>
  statementWith(["address", "from", "to", "limit", "spentFrom?"])(
    (sql) => `SELECT transaction_id AS id FROM touches
     WHERE ${sql.ofAddress("$address")} AND transaction_id >= CAST($from AS bigint) AND transaction_id < CAST($to AS bigint)
       ${spent ? "AND last_spent >= CAST($spentFrom AS bigint)" : ""}
     ORDER BY transaction_id ${order} LIMIT CAST($limit AS bigint)`,
  );
const TOUCHES = { asc: touchesStatement(false, "asc"), desc: touchesStatement(false, "desc") };
const SPENT = { asc: touchesStatement(true, "asc"), desc: touchesStatement(true, "desc") };

/** A transaction, and its numbers of places, or more. */
interface Counted {
  id: number;
  created: number;
  spent: number;
}

/** SQLite searches for the last place of each transaction: it must not read all of them. Citus cannot do that at once. */
const COUNTED = statementWith(["address?", "ids"])((sql) => {
  if (sql.engine === "sqlite") {
    const last = (index: string, by: string) =>
      `(SELECT coalesce(max(${index}) + 1, 0) FROM outputs WHERE ${by} = wanted.value)`;
    return `SELECT wanted.value AS id, ${last("output_index", "transaction_id")} AS created,
       ${last("spent_input_index", "spent_transaction_id")} AS spent FROM json_each($ids) wanted`;
  }
  const side = (index: string, by: string, created: string, spent: string) =>
    `SELECT ${by} AS id, ${created} AS created, ${spent} AS spent FROM outputs
     WHERE ${sql.isIn(by, "$ids", "bigint")} AND ${sql.ofAddress("$address")} AND ${index} IS NOT NULL GROUP BY ${by}`;
  return `SELECT id, CAST(sum(created) AS bigint) AS created, CAST(sum(spent) AS bigint) AS spent FROM (
       ${side("output_index", "transaction_id", "max(output_index) + 1", "0")} UNION ALL
       ${side("spent_input_index", "spent_transaction_id", "0", "max(spent_input_index) + 1")}
     ) sides GROUP BY id`;
});

function* counted(db: Reader, address: Uint8Array, ids: number[]): Steps<Counted[]> {
  const found = yield* all<Counted>(db, COUNTED({ address, ids: JSON.stringify(ids) }));
  const byId = new Map(found.map((touch) => [touch.id, touch]));
  return ids.map((id) => byId.get(id) ?? { id, created: 0, spent: 0 });
}

/** Runs that are looked up together, at most. */
const RUNS_AT_ONCE = 10;
/** Runs from the one that holds the first id on, beside that one and the lowest of all. */
const runsStatement = (order: "asc" | "desc") =>
  statementWith(["address", "spentFrom", "low", "high", "limit"])((sql) => {
    const holder = `(SELECT max(first_id) FROM touch_runs WHERE ${sql.ofAddress("$address")} AND first_id <= CAST($low AS bigint))`;
    return `SELECT bounds.holder, bounds.lowest, run.first_id AS "from", run.next AS "to"
     FROM (SELECT ${holder} AS holder,
       (SELECT min(first_id) FROM touch_runs WHERE ${sql.ofAddress("$address")}) AS lowest) bounds
     LEFT JOIN (
       SELECT first_id, (SELECT min(n.first_id) FROM touch_runs n
         WHERE n.${sql.owner.column} = r.${sql.owner.column} AND n.first_id > r.first_id) AS next
       FROM touch_runs r WHERE ${sql.ofAddress("$address")} AND last_spent >= CAST($spentFrom AS bigint)
         AND first_id >= coalesce(${holder}, CAST($low AS bigint)) AND first_id < CAST($high AS bigint)
       ORDER BY first_id ${order} LIMIT CAST($limit AS bigint)
     ) run ON true ORDER BY run.first_id ${order}`;
  });
const RUNS = { asc: runsStatement("asc"), desc: runsStatement("desc") };

/** The place of a change in a transaction, by its id. A transaction spends its inputs before it creates outputs. */
export interface ChangeAt {
  by: number;
  created: boolean;
  index: number;
}

/** Transactions in a range of ids, the second one excluded, that touch the address. */
interface TouchQuery {
  addressKey: string;
  from: number;
  to: number;
  /** Ascending if it is missing. */
  order?: "asc" | "desc";
  /** How many come first, such as those that are probably enough, with the one that a page follows; missing: all are wanted. */
  enough?: number;
  /** Only those that create an output which a transaction with this id or a higher one spends. Then only outputs are wanted. */
  spentFrom?: number;
  /** Where the list was left: a transaction that did much is not read from its start again. */
  after?: ChangeAt | undefined;
}

/** Places on one side of these transactions, from `from` up to below `to`. */
interface Side {
  ids: number[];
  from: number;
  to: number;
}

/** Changes of some transactions, or a part of one's: few rows, after which others may run. */
interface Piece {
  /** The transactions that begin in it. */
  ids: number[];
  spent: Side;
  created: Side;
  /** The last place in it, in order. */
  end: ChangeAt;
}

/** Transactions of a piece, at most. They may have outputs of many other addresses. */
const MOST_TOGETHER = 512;

const whole = (ids: number[]): Side => ({ ids, from: 0, to: END });

function pieceOf(ids: number[], order: "asc" | "desc"): Piece {
  const [created, index] = order === "asc" ? [true, END] : [false, -1];
  return { ids, spent: whole(ids), created: whole(ids), end: { by: ids.at(-1)!, created, index } };
}

/** Pieces of these transactions that are small enough. */
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

/** The pieces of a transaction that did much. */
function partsOf(
  { id, created, spent }: Counted,
  order: "asc" | "desc",
  after: ChangeAt | undefined,
): Piece[] {
  const parts: Piece[] = [];
  for (const side of ["spent", "created"] as const) {
    const isCreated = side === "created";
    let [from, to] = [0, isCreated ? created : spent];
    if (after && order === "asc")
      from = after.created === isCreated ? after.index + 1 : after.created ? to : 0;
    if (after && order === "desc") to = after.created === isCreated ? after.index : after.created ? to : 0;
    for (; from < to; from += PIECE) {
      const places = { ids: [id], from, to: Math.min(from + PIECE, to) };
      parts.push({
        ids: [],
        spent: whole([]),
        created: whole([]),
        [side]: places,
        end: { by: id, created: isCreated, index: order === "asc" ? places.to - 1 : from },
      });
    }
  }
  if (order === "desc") parts.reverse();
  if (parts[0]) parts[0].ids = [id];
  return parts;
}

/** Rows of both sides of a piece; null if there are too many, so that smaller pieces are needed. */
type Look<Found> = (db: Reader, addressKey: string, piece: Piece) => Steps<Found | null>;

/**
 * Walks the changes of an address piece by piece, in order; others may run between two pieces. A caller that has enough
 * returns false.
 */
export function* forMoves<Found>(
  db: Reader,
  query: TouchQuery,
  look: Look<Found>,
  use: (found: Found, piece: Piece) => boolean,
): Steps<void> {
  const { addressKey, order = "asc" } = query;
  const key = toBytes(addressKey);
  let together = MOST_TOGETHER;
  yield* forTouches(db, query, function* (ids) {
    for (let from = 0; from < ids.length; ) {
      if (from > 0) yield* done(db.pause());
      const piece = pieceOf(ids.slice(from, from + together), order);
      const found = yield* look(db, addressKey, piece);
      from += piece.ids.length;
      if (found !== null) {
        if (!use(found, piece)) return false;
        continue;
      }
      together = Math.ceil(together / 2);
      for (const small of smallPieces(yield* counted(db, key, piece.ids), query)) {
        yield* done(db.pause());
        const some = yield* look(db, addressKey, small);
        // Others replaced the transaction meanwhile, so that the whole answer is void.
        if (some === null) throw serverIsBusy();
        if (!use(some, small)) return false;
      }
    }
    return true;
  });
}

/** The first transactions that touch the address in the range, so many at most. */
export function* touchedBy(
  db: Reader,
  { addressKey, from, to }: Pick<TouchQuery, "addressKey" | "from" | "to">,
  most: number,
): Steps<number[]> {
  const first = TOUCHES.asc({ address: toBytes(addressKey), from, to, limit: most });
  return (yield* all<{ id: number }>(db, first)).map(({ id }) => id);
}

function* forTouches(db: Reader, query: TouchQuery, use: (ids: number[]) => Steps<boolean>): Steps<void> {
  if (query.spentFrom === undefined) yield* forTouchesIn(db, query, use);
  else yield* forRuns(db, query, query.spentFrom, (run) => forTouchesIn(db, { ...query, ...run }, use));
}

/** Returns false if the caller has enough. */
function* forTouchesIn(
  db: Reader,
  { addressKey, from, to, order = "asc", spentFrom, enough = MOST }: TouchQuery,
  use: (ids: number[]) => Steps<boolean>,
): Steps<boolean> {
  const address = toBytes(addressKey);
  const statements = spentFrom === undefined ? TOUCHES : SPENT;
  for (let size = enough; ; size = Math.max(size, Math.min(GROWTH * size, MOST))) {
    const values = { address, from, to, limit: size, spentFrom };
    const rows = yield* all<{ id: number }>(db, statements[order](values));
    if (rows.length === 0) return true;
    const ids = rows.map(({ id }) => id);
    if (!(yield* use(ids))) return false;
    if (ids.length < size) return true;
    if (order === "asc") from = ids.at(-1)! + 1;
    else to = ids.at(-1)!;
    yield* done(db.pause());
  }
}

interface RunRow {
  holder: number | null;
  lowest: number | null;
  from: number | null;
  to: number | null;
}

/** A part of the range in which an output was spent so late: runs side by side, or what is before the first one. */
type Run = Pick<TouchQuery, "from" | "to">;

function* forRuns(
  db: Reader,
  { addressKey, from, to, order = "asc" }: TouchQuery,
  spentFrom: number,
  use: (run: Run) => Steps<boolean>,
): Steps<void> {
  const address = toBytes(addressKey);
  let [low, high] = [from, to];
  for (let isFirst = true; ; isFirst = false) {
    const runsBetween = RUNS[order]({ address, spentFrom, low, high, limit: RUNS_AT_ONCE });
    const rows = yield* all<RunRow>(db, runsBetween);
    const { holder, lowest } = rows[0]!;
    const before = holder === null ? [{ from, to: Math.min(lowest ?? to, to) }] : [];
    const runs: Run[] = order === "asc" && isFirst ? before : [];
    const some = rows.flatMap((row) => (row.from === null ? [] : [{ from: row.from, to: row.to }]));
    for (const run of some) runs.push({ from: Math.max(run.from, from), to: Math.min(run.to ?? to, to) });
    const isLast = some.length < RUNS_AT_ONCE;
    if (isLast && order === "desc") runs.push(...before);
    for (const run of joined(runs)) if (!(yield* use(run))) return;
    if (isLast) return;
    const last = some.at(-1)!;
    if (order === "desc") high = last.from;
    else if (last.to === null) return;
    else low = last.to;
  }
}

/** Those side by side together. */
function joined(runs: Run[]): Run[] {
  const parts: Run[] = [];
  for (const run of runs) {
    const part = parts.at(-1);
    if (part?.to === run.from) part.to = run.to;
    else if (part?.from === run.to) part.from = run.from;
    else parts.push({ ...run });
  }
  return parts;
}

const ofSide = statementWith(["address", "ids", "from", "to", "limit"]);
type SideStatement = ReturnType<typeof ofSide>;
const sideStatement = (by: string, index: string, columns: string) =>
  ofSide(
    (sql) => `SELECT ${columns} FROM outputs
     WHERE ${sql.isIn(by, "$ids", "bigint")} AND ${sql.ofAddress("$address")} AND transaction_id >= 0
       AND ${index} >= CAST($from AS bigint) AND ${index} < CAST($to AS bigint) LIMIT CAST($limit AS bigint)`,
  );
const createdStatement = (columns: string) => sideStatement("transaction_id", "output_index", columns);
const spentStatement = (columns: string) =>
  sideStatement("spent_transaction_id", "spent_input_index", columns);

const OWNED = `transaction_id AS "transactionId", output_index AS "outputIndex",
  spent_transaction_id AS "spentBy", spent_input_index AS "spentInput", token_id AS "tokenId",
  CAST(coalesce(amount, capacity) AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity`;
const CREATED = createdStatement(OWNED);
const SPENT_BY = spentStatement(OWNED);

const valuesFor = (addressKey: string, { ids, from, to }: Side) => {
  return { address: toBytes(addressKey), ids: JSON.stringify(ids), from, to, limit: PIECE + 1 };
};

/** The rows of one side of a piece; null if they are too many. */
function* sideOf<Row>(
  read: (db: Reader, query: Statement) => Steps<Row[]>,
  db: Reader,
  query: SideStatement,
  addressKey: string,
  side: Side,
): Steps<Row[] | null> {
  if (side.ids.length === 0) return [];
  const rows = yield* read(db, query(valuesFor(addressKey, side)));
  return rows.length > PIECE ? null : rows;
}

/** Outputs of the address that the transactions create. */
export const createdBy: Look<OwnedOutput[]> = (db, addressKey, { created }) =>
  sideOf(all<OwnedOutput>, db, CREATED, addressKey, created);

/** The same, and those that the transactions spend and whose creation is indexed. */
export const changedBy: Look<Record<"created" | "spent", OwnedOutput[]>> = function* (db, addressKey, piece) {
  const created = yield* createdBy(db, addressKey, piece);
  const spent = created && (yield* sideOf(all<OwnedOutput>, db, SPENT_BY, addressKey, piece.spent));
  return spent && { created: created!, spent };
};

const CREATED_TUPLES = ofSide(
  (sql) => `SELECT o.transaction_id, o.output_index, o.spent_transaction_id, o.spent_input_index, o.token_id,
     CAST(coalesce(o.amount, o.capacity) AS TEXT), CAST(o.capacity AS TEXT), hex(x.hash)
   FROM json_each($ids) id CROSS JOIN outputs o ON o.transaction_id = id.value AND o.output_index >= $from AND o.output_index < $to
   CROSS JOIN transactions x ON x.id = o.transaction_id WHERE o.${sql.ofAddress("$address")} LIMIT $limit`,
);
const CREATED_WITH_HASH = createdStatement(
  `${OWNED}, (SELECT hash FROM transactions WHERE id = outputs.transaction_id) AS "transactionHash"`,
);
type CreatedTuple = [
  transactionId: number,
  outputIndex: number,
  spentBy: number | null,
  spentInput: number | null,
  tokenId: number,
  amount: string,
  capacity: string,
  hash: string,
];

/** As `createdBy`, with the hash of each one's transaction where it comes at no cost. */
export const listedCreatedBy: Look<(OwnedOutput & { transactionHash?: string })[]> = function* (
  db,
  addressKey,
  piece,
) {
  const { created } = piece;
  if (db.engine === "postgres" && db.distributed) return yield* createdBy(db, addressKey, piece);
  if (db.engine === "postgres")
    return yield* sideOf(all<OwnedOutput>, db, CREATED_WITH_HASH, addressKey, created);
  const rows = db.tuples<CreatedTuple>(CREATED_TUPLES(valuesFor(addressKey, created)));
  if (rows.length > PIECE) return null;
  return rows.map(([transactionId, outputIndex, spentBy, spentInput, tokenId, amount, capacity, hash]) => {
    const transactionHash = `0x${hash.toLowerCase()}`;
    return { transactionId, outputIndex, spentBy, spentInput, tokenId, amount, capacity, transactionHash };
  });
};

/** What an output held. */
export type Moved = [transactionId: number, tokenId: number, amount: string];

const movedColumns = (by: string, beside = "") =>
  `${by} AS id, token_id, CAST(coalesce(amount, capacity) AS TEXT) AS amount ${beside}`;
/** What nobody can ever spend is gone with its own transaction. */
const MOVED_IN = createdStatement(
  movedColumns("transaction_id", ", CAST(spent_transaction_id = transaction_id AS integer) AS gone"),
);
const MOVED_OUT = spentStatement(movedColumns("spent_transaction_id"));

/** Outputs of the address that the transactions create, and those that they spend, by the transaction that did it. */
export const movedBy: Look<Record<"created" | "spent", Moved[]>> = function* (db, addressKey, piece) {
  const created = yield* sideOf(
    tuples<[...Moved, gone: number | null]>,
    db,
    MOVED_IN,
    addressKey,
    piece.created,
  );
  const spent = created && (yield* sideOf(tuples<Moved>, db, MOVED_OUT, addressKey, piece.spent));
  if (!created || !spent) return null;
  for (const [id, tokenId, amount, gone] of created) if (gone) spent.push([id, tokenId, amount]);
  return { created: created as unknown as Moved[], spent };
};

/** Rows as arrays: objects would take half of the work. */
export function* tuples<T extends unknown[]>(db: Reader, query: Statement): Steps<T[]> {
  if (db.engine === "sqlite") return db.tuples<T>(query);
  return (yield* all<object>(db, query)).map((row) => Object.values(row) as T);
}

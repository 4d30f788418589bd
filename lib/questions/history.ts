/**
 * What an address had after a block, and what happened to it between two. Touches name the transactions in chain order;
 * their outputs and hashes are looked up by id, since Citus keeps each of these tables by another column.
 */
import type { Reader } from "#lib/store/question.ts";
import type { OutputRow } from "#lib/store/rules/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, type SqlValue, type Statement, statement, toBytes } from "#lib/store/statement.ts";

/** Touches that are looked up together, at most: a list that skips many of them soon reads more at once. */
const MOST = 1_000;
const GROWTH = 16;

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
  statement(
    (sql) => `SELECT transaction_id AS id FROM touches
     WHERE ${sql.ofAddress("$1")} AND transaction_id >= CAST($2 AS bigint) AND transaction_id < CAST($3 AS bigint)
       ${spent ? "AND last_spent >= CAST($5 AS bigint)" : ""}
     ORDER BY transaction_id ${order} LIMIT CAST($4 AS bigint)`,
  );
const TOUCHES = { asc: touchesStatement(false, "asc"), desc: touchesStatement(false, "desc") };
const SPENT = { asc: touchesStatement(true, "asc"), desc: touchesStatement(true, "desc") };

/** Runs that are looked up together, at most. */
const RUNS_AT_ONCE = 10;
/** Runs from the one that holds the first id on, beside that one and the lowest of all. */
const runsStatement = (order: "asc" | "desc") =>
  statement((sql) => {
    const holder = `(SELECT max(first_id) FROM touch_runs WHERE ${sql.ofAddress("$1")} AND first_id <= CAST($3 AS bigint))`;
    return `SELECT bounds.holder, bounds.lowest, run.first_id AS "from", run.next AS "to"
     FROM (SELECT ${holder} AS holder,
       (SELECT min(first_id) FROM touch_runs WHERE ${sql.ofAddress("$1")}) AS lowest) bounds
     LEFT JOIN (
       SELECT first_id, (SELECT min(n.first_id) FROM touch_runs n
         WHERE n.${sql.owner.column} = r.${sql.owner.column} AND n.first_id > r.first_id) AS next
       FROM touch_runs r WHERE ${sql.ofAddress("$1")} AND last_spent >= CAST($2 AS bigint)
         AND first_id >= coalesce(${holder}, CAST($3 AS bigint)) AND first_id < CAST($4 AS bigint)
       ORDER BY first_id ${order} LIMIT CAST($5 AS bigint)
     ) run ON true ORDER BY run.first_id ${order}`;
  });
const RUNS = { asc: runsStatement("asc"), desc: runsStatement("desc") };

const outputsStatement = (by: string, { also = "", beside = "" } = {}) =>
  statement(
    (sql) => `SELECT transaction_id AS "transactionId", output_index AS "outputIndex",
       spent_transaction_id AS "spentBy", spent_input_index AS "spentInput", token_id AS "tokenId",
       CAST(coalesce(amount, capacity) AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity ${beside}
     FROM outputs WHERE ${sql.isIn(by, "$2", "bigint")} AND ${sql.ofAddress("$1")} AND transaction_id >= 0 ${also}`,
  );
const CREATED_BY = outputsStatement("transaction_id");
const SPENT_BY = outputsStatement("spent_transaction_id", {
  also: "AND spent_input_index IS NOT NULL",
});
/** Transactions in a range of ids, the second one excluded, that touch the address. */
interface TouchQuery {
  addressKey: string;
  from: number;
  to: number;
  /** Ascending if it is missing. */
  order?: "asc" | "desc";
  /** How many come first, such as those that are probably enough, with the one that a page follows; missing: all are wanted. */
  enough?: number;
  /** Only those that create an output which a transaction with this id or a higher one spends. */
  spentFrom?: number;
}

/**
 * Ids of the transactions that touch an address, in groups; others may run between two groups. A caller that has enough
 * returns false.
 */
export function* forTouches(
  db: Reader,
  query: TouchQuery,
  use: (ids: number[]) => Steps<boolean>,
): Steps<void> {
  if (query.spentFrom === undefined) yield* forTouchesIn(db, query, use);
  else yield* forRuns(db, query, query.spentFrom, (run) => forTouchesIn(db, { ...query, ...run }, use));
}

/** Returns false if the caller has enough. */
function* forTouchesIn(
  db: Reader,
  { addressKey, from, to, order = "asc", spentFrom, enough = MOST }: TouchQuery,
  use: (ids: number[]) => Steps<boolean>,
): Steps<boolean> {
  const key = toBytes(addressKey);
  for (let size = enough; ; size = Math.max(size, Math.min(GROWTH * size, MOST))) {
    const rows =
      spentFrom === undefined
        ? yield* all<{ id: number }>(db, TOUCHES[order], key, from, to, size)
        : yield* all<{ id: number }>(db, SPENT[order], key, from, to, size, spentFrom);
    if (rows.length === 0) return true;
    const ids = rows.map(({ id }) => id);
    if (!(yield* use(ids))) return false;
    if (ids.length < size) return true;
    if (order === "asc") from = ids.at(-1)! + 1;
    else to = ids.at(-1)!;
    yield* done(db.giveWay());
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
  const key = toBytes(addressKey);
  let [low, high] = [from, to];
  for (let isFirst = true; ; isFirst = false) {
    const rows = yield* all<RunRow>(db, RUNS[order], key, spentFrom, low, high, RUNS_AT_ONCE);
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

/** Outputs of the address that these transactions create. */
export const outputsCreatedBy = (db: Reader, addressKey: string, ids: number[]): Steps<OwnedOutput[]> =>
  all<OwnedOutput>(db, CREATED_BY, toBytes(addressKey), JSON.stringify(ids));

const CREATED_TUPLES = statement(
  (sql) => `SELECT o.transaction_id, o.output_index, o.spent_transaction_id, o.spent_input_index, o.token_id,
     CAST(coalesce(o.amount, o.capacity) AS TEXT), CAST(o.capacity AS TEXT), hex(x.hash)
   FROM json_each($2) id CROSS JOIN outputs o ON o.transaction_id = id.value
   CROSS JOIN transactions x ON x.id = o.transaction_id WHERE o.${sql.ofAddress("$1")}`,
);
const CREATED_WITH_HASH = outputsStatement("transaction_id", {
  beside: `, (SELECT hash FROM transactions WHERE id = outputs.transaction_id) AS "transactionHash"`,
});
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

/** As `outputsCreatedBy`, with the hash of each one's transaction where it comes at no cost. */
export function* listedCreatedBy(
  db: Reader,
  addressKey: string,
  ids: number[],
): Steps<(OwnedOutput & { transactionHash?: string })[]> {
  const values = [toBytes(addressKey), JSON.stringify(ids)] as const;
  if (db.engine === "postgres")
    return yield* all(db, db.distributed ? CREATED_BY : CREATED_WITH_HASH, ...values);
  return db
    .tuples<CreatedTuple>(CREATED_TUPLES, ...values)
    .map(([transactionId, outputIndex, spentBy, spentInput, tokenId, amount, capacity, hash]) => {
      const transactionHash = `0x${hash.toLowerCase()}`;
      return { transactionId, outputIndex, spentBy, spentInput, tokenId, amount, capacity, transactionHash };
    });
}

/** Outputs of the address that these transactions spend, and whose creation is indexed. */
export const outputsSpentBy = (db: Reader, addressKey: string, ids: number[]): Steps<OwnedOutput[]> =>
  all<OwnedOutput>(db, SPENT_BY, toBytes(addressKey), JSON.stringify(ids));

/** What an output held. */
export type Moved = [transactionId: number, tokenId: number, amount: string];

const movedStatement = (by: string) =>
  statement(
    (sql) => `SELECT ${by} AS id, token_id, CAST(coalesce(amount, capacity) AS TEXT) AS amount
     FROM outputs WHERE ${sql.isIn(by, "$2", "bigint")} AND ${sql.ofAddress("$1")} AND transaction_id >= 0`,
  );
const MOVED_IN = movedStatement("transaction_id");
const MOVED_OUT = movedStatement("spent_transaction_id");

/** Outputs of the address that these transactions create, and those that they spend, by the transaction that did it. */
export function* movedBy(
  db: Reader,
  addressKey: string,
  ids: number[],
): Steps<{ created: Moved[]; spent: Moved[] }> {
  const values = [toBytes(addressKey), JSON.stringify(ids)] as const;
  const created = yield* tuples<Moved>(db, MOVED_IN, ...values);
  return { created, spent: yield* tuples<Moved>(db, MOVED_OUT, ...values) };
}

/** Rows as arrays: objects would take half of the work. */
export function* tuples<T extends unknown[]>(
  db: Reader,
  query: Statement,
  ...values: SqlValue[]
): Steps<T[]> {
  if (db.engine === "sqlite") return db.tuples<T>(query, ...values);
  return (yield* all<object>(db, query, ...values)).map((row) => Object.values(row) as T);
}

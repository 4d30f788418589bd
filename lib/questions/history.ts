/**
 * What an address had after a block, and what happened to it between two. Touches name the transactions in chain order;
 * their outputs and hashes are looked up by id, since Citus keeps each of these tables by another column.
 */
import type { Reader } from "#lib/store/question.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, statement, toBytes } from "#lib/store/statement.ts";

/** Touches that are looked up together, at most: a list that skips many of them soon reads more at once. */
const MOST = 1_000;

/** An output of the address that is looked at, by ids. */
export interface OwnedOutput {
  transactionId: number;
  outputIndex: number;
  /** The transaction that spends it, and its place among the inputs; null while it is live. */
  spentBy: number | null;
  spentInput: number | null;
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
    `touches-${spent ? "spent-" : ""}${order}`,
    (sql) => `SELECT transaction_id AS id FROM touches
     WHERE ${sql.ofAddress("$1")} AND transaction_id >= CAST($2 AS bigint) AND transaction_id < CAST($3 AS bigint)
       ${spent ? "AND last_spent >= CAST($5 AS bigint)" : ""}
     ORDER BY transaction_id ${order} LIMIT CAST($4 AS bigint)`,
  );
const TOUCHES = { asc: touchesStatement(false, "asc"), desc: touchesStatement(false, "desc") };
const SPENT = { asc: touchesStatement(true, "asc"), desc: touchesStatement(true, "desc") };

const outputsStatement = (name: string, condition: string) =>
  statement(
    name,
    (sql) => `SELECT transaction_id AS "transactionId", output_index AS "outputIndex",
       spent_transaction_id AS "spentBy", spent_input_index AS "spentInput", token_id AS "tokenId",
       CAST(coalesce(amount, capacity) AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
     FROM outputs WHERE ${sql.isIn(condition, "$2", "bigint")} AND ${sql.ofAddress("$1")} AND transaction_id >= 0`,
  );
const CREATED_BY = outputsStatement("owned-created-by", "transaction_id");
const SPENT_BY = outputsStatement("owned-spent-by", "spent_transaction_id");
/** Transactions in a range of ids, the second one excluded, that touch the address. */
interface TouchQuery {
  addressKey: string;
  from: number;
  to: number;
  order: "asc" | "desc";
  /** How many are probably enough, with the one that a page follows; missing: all are wanted. */
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
  { addressKey, from, to, order, spentFrom, enough = MOST }: TouchQuery,
  use: (ids: number[]) => Steps<boolean>,
): Steps<void> {
  const key = toBytes(addressKey);
  for (let size = enough; ; size = Math.max(size, MOST)) {
    const rows =
      spentFrom === undefined
        ? yield* all<{ id: number }>(db, TOUCHES[order], key, from, to, size)
        : yield* all<{ id: number }>(db, SPENT[order], key, from, to, size, spentFrom);
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    if (!(yield* use(ids)) || ids.length < size) return;
    if (order === "asc") from = ids.at(-1)! + 1;
    else to = ids.at(-1)!;
    yield* done(db.giveWay());
  }
}

/** Outputs of the address that these transactions create. */
export const outputsCreatedBy = (db: Reader, addressKey: string, ids: number[]): Steps<OwnedOutput[]> =>
  all<OwnedOutput>(db, CREATED_BY, toBytes(addressKey), JSON.stringify(ids));

/** Outputs of the address that these transactions spend, and whose creation is indexed. */
export const outputsSpentBy = (db: Reader, addressKey: string, ids: number[]): Steps<OwnedOutput[]> =>
  all<OwnedOutput>(db, SPENT_BY, toBytes(addressKey), JSON.stringify(ids));

/** Statements over transactions and outputs. */
import { type OutputColumns, outputColumns } from "#lib/store/outputs.ts";
import { forRows, insertInto } from "#lib/store/row-statement.ts";
import {
  all,
  type Bytes,
  type Dialect,
  first,
  type Reading,
  run,
  type Statement,
  statement,
  toHex,
} from "#lib/store/statement.ts";
import { alreadyStored } from "./batch.ts";
import type { OutputPlace, OutputRow, TransactionRecord } from "./rows.ts";
import type { Steps } from "./steps.ts";
import type { Tables } from "./tables.ts";

const TRANSACTIONS = statement(
  "transactions-by-hash",
  (sql) => `SELECT hash, id FROM transactions WHERE ${sql.isIn("hash", "$1", "bytea")}`,
);
const LOWEST_ID = statement("lowest-transaction", "SELECT min(id) AS id FROM transactions");
const INSERT_TRANSACTIONS = forRows<TransactionRecord>(
  "insert-transactions",
  { id: "bigint", hash: "bytes" },
  ({ names, values }) => `INSERT INTO transactions (${names}) ${values} ON CONFLICT (hash) DO NOTHING`,
);
const MOVE_TRANSACTIONS = forRows<TransactionRecord>(
  "move-transactions",
  { id: "bigint", hash: "bytes" },
  ({ each, from }) =>
    `UPDATE transactions SET id = ${each.id} ${from("FROM")} WHERE transactions.hash = ${each.hash}`,
);

/** A row of another place is another row: if outputs are distributed by transaction, it may change machines. */
const DELETE_OUTPUTS = statement(
  "delete-outputs",
  (sql) => `DELETE FROM outputs WHERE ${sql.isIn("transaction_id", "$1", "bigint")}`,
);

/** An output as it is read, with its address's key and its asset. */
export type OutputWithNames = OutputColumns & { key: Bytes; asset_id: string };
const selectOutputs = (sql: Dialect, from: string, condition: string): string =>
  `SELECT ${outputColumns(sql)}, ${sql.ownerKey("o")} AS key, t.asset_id
   FROM outputs o JOIN tokens t ON t.id = o.token_id ${from} WHERE ${condition}`;
export const OUTPUTS_AT = forRows<OutputPlace>(
  "outputs-by-place",
  { transactionId: "bigint", outputIndex: "bigint" },
  ({ sql, each, from, andShards }) =>
    selectOutputs(
      sql,
      from(", "),
      `o.transaction_id = ${each.transactionId} AND o.output_index = ${each.outputIndex}
       ${andShards("o", "transactionId")}`,
    ),
);
/** Of the transactions whose ids are in a JSON array. */
export const OUTPUTS_OF = statement("outputs-of-transactions", (sql) =>
  selectOutputs(sql, "", sql.isIn("o.transaction_id", "$1", "bigint")),
);
/** Of the transactions from an id on. */
export const SPENT_FROM = statement("spent-from", (sql) =>
  selectOutputs(sql, "", "o.spent_transaction_id >= $1"),
);
export const CREATED_FROM = statement("created-from", (sql) =>
  selectOutputs(sql, "", "o.transaction_id >= $1"),
);
export const INSERT_OUTPUTS = insertInto<OutputRow>("outputs", {
  transactionId: "bigint",
  outputIndex: "bigint",
  spentBy: ["bigint", "spent_transaction_id"],
  spentInput: ["integer", "spent_input_index"],
  assetId: "token",
  addressKey: "owner",
  amount: "amount",
  capacity: "amount",
  kind: "text",
});
export const SPEND_OUTPUTS = forRows<OutputRow>(
  "spend-outputs",
  { transactionId: "bigint", outputIndex: "bigint", spentBy: "bigint", spentInput: "integer" },
  ({ each, from, andShards }) =>
    `UPDATE outputs SET spent_transaction_id = ${each.spentBy}, spent_input_index = ${each.spentInput} ${from("FROM")}
     WHERE outputs.transaction_id = ${each.transactionId} AND outputs.output_index = ${each.outputIndex}
       ${andShards("outputs", "transactionId")}`,
);

export const toOutputRow = (row: OutputWithNames): OutputRow => ({
  transactionId: row.transaction_id,
  outputIndex: row.output_index,
  addressKey: toHex(row.key),
  assetId: row.asset_id,
  amount: row.amount === null ? null : BigInt(row.amount),
  capacity: BigInt(row.capacity),
  kind: row.kind,
  spentBy: row.spent_transaction_id,
  spentInput: row.spent_input_index,
});

export function* outputsOf(db: Reading, query: Statement, value: string | number): Steps<OutputRow[]> {
  return (yield* all<OutputWithNames>(db, query, value)).map(toOutputRow);
}

/** Ids of the transactions that are stored. */
export function* transactionIds(db: Reading, hashes: string[]): Steps<Map<string, number>> {
  if (hashes.length === 0) return new Map();
  const rows = yield* all<{ hash: Bytes; id: number }>(db, TRANSACTIONS, JSON.stringify(hashes));
  return new Map(rows.map((row) => [toHex(row.hash), row.id]));
}

/** 0 if there are no transactions; below 0 if some are not indexed. */
export function* lowestTransactionId(db: Reading): Steps<number> {
  return (yield* first<{ id: number | null }>(db, LOWEST_ID))!.id ?? 0;
}

/** Throws ChainConflictError if one of them is stored already. */
export function* addTransactions(tables: Tables, transactions: TransactionRecord[]): Steps<void> {
  if ((yield* tables.save(INSERT_TRANSACTIONS, transactions)) === transactions.length) return;
  const stored = yield* transactionIds(
    tables.db,
    transactions.map(({ hash }) => hash),
  );
  const taken = transactions.find(({ hash, id }) => stored.get(hash) !== id) ?? transactions[0]!;
  throw alreadyStored(taken.hash, stored.get(taken.hash) ?? taken.id);
}

/** Gives stored transactions another id, and removes their outputs, which `addOutputs` brings back. */
export function* moveTransactions(tables: Tables, transactions: TransactionRecord[]): Steps<void> {
  if (transactions.length === 0) return;
  yield* tables.save(MOVE_TRANSACTIONS, transactions);
  const left = JSON.stringify(transactions.map(({ storedId }) => storedId));
  yield* run(tables.db, DELETE_OUTPUTS, left);
}

const TOKEN_IDS = statement(
  "tokens-of-assets",
  (sql) => `SELECT id, asset_id FROM tokens WHERE ${sql.isIn("asset_id", "$1", "text")}`,
);

/** The numbers of the stored assets among these. */
export function* tokenIds(db: Reading, assetIds: string[]): Steps<Map<string, number>> {
  const rows = yield* all<{ id: number; asset_id: string }>(db, TOKEN_IDS, JSON.stringify(assetIds));
  return new Map(rows.map((row) => [row.asset_id, row.id]));
}

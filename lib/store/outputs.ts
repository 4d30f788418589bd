/** Statements about transactions and outputs, and the addresses and tokens that these refer to. */
import type { Address, Output, TokenReference } from "#lib/contract/ledger.ts";
import { ChainConflictError } from "./errors.ts";
import { forRows, insertInto, table, update } from "./row-statement.ts";
import type { OutputRow, TransactionRecord } from "./rules/rows.ts";
import type { Steps } from "./rules/steps.ts";
import type { Writer } from "./rules/writer.ts";
import {
  all,
  type Bytes,
  type Connection,
  type Dialect,
  dialects,
  first,
  inSegment,
  type Reading,
  run,
  type Statement,
  statement,
  statementWith,
  toHex,
  transactionWith,
} from "./statement.ts";
import { heightOf, SEGMENT_BITS } from "./transaction-id.ts";

export type OutputColumns = {
  transaction_id: number;
  output_index: number;
  spent_transaction_id: number | null;
  spent_input_index: number | null;
  /** The address, as `Dialect.owner` names it. */
  owner: number | string;
  token_id: number;
  amount: string | null;
  capacity: string;
  kind: string;
};

/** The columns of an output `o`. */
export const outputColumns = (sql: Dialect): string => `
  o.transaction_id, o.output_index, o.spent_transaction_id, o.spent_input_index, o.${sql.owner.column} AS owner, o.token_id,
  CAST(o.amount AS TEXT) AS amount, CAST(o.capacity AS TEXT) AS capacity, o.kind`;

const OWNERS = statementWith(["owners"])(({ owner, isIn }) => {
  return `SELECT ${owner.primaryKey} AS owner, key, text FROM addresses WHERE ${isIn(owner.primaryKey, "$owners", owner.type)}`;
});
export const ADDRESSES = table("addresses", { key: "bytes" }, { text: "text", firstHeight: "bigint" });
export type TokenFacts = Omit<TokenReference, "fungible"> & { number: number; fungible: boolean | number };
export const TOKEN_FACTS = `SELECT id AS number, asset_id AS id, standard, fungible, content_type AS "contentType",
  chain_parent_id AS "parentId" FROM tokens`;
const TOKENS = statementWith(["ids"])((sql) => `${TOKEN_FACTS} WHERE ${sql.isIn("id", "$ids", "integer")}`);
export const toToken = ({ number, ...facts }: TokenFacts): TokenReference => ({
  ...facts,
  fungible: Boolean(facts.fungible),
});

/** The addresses of the rows, by `owner`. It needs no join, because on Citus that would move rows between machines. */
export function* ownersOf(
  db: Reading,
  rows: readonly Pick<OutputColumns, "owner">[],
): Steps<Map<number | string, Address>> {
  const owners = JSON.stringify([...new Set(rows.map((row) => row.owner))]);
  const stored = yield* all<{ owner: number | string; key: Bytes; text: string }>(db, OWNERS({ owners }));
  return new Map(stored.map(({ owner, key, text }) => [owner, { key: toHex(key), text }]));
}

/** The outputs of the rows, in order. */
export function* toOutputs(db: Reading, rows: readonly OutputColumns[]): Steps<Output[]> {
  if (rows.length === 0) return [];
  const addresses = yield* ownersOf(db, rows);
  const ids = [...new Set(rows.filter((row) => row.amount !== null).map((row) => row.token_id))];
  const facts = ids.length > 0 ? yield* all<TokenFacts>(db, TOKENS({ ids: JSON.stringify(ids) })) : [];
  const tokens = new Map(facts.map((row) => [row.number, toToken(row)]));
  return rows.map((row): Output => {
    const capacity = BigInt(row.capacity);
    const output: Output = {
      address: found(addresses.get(row.owner), row),
      token: row.amount === null ? null : found(tokens.get(row.token_id), row),
      amount: row.amount === null ? capacity : BigInt(row.amount),
      capacity,
      kind: row.kind,
    };
    if (row.spent_transaction_id === row.transaction_id) output.spendable = false;
    return output;
  });
}

function found<T>(value: T | undefined, row: OutputColumns): T {
  if (value !== undefined) return value;
  throw new Error(
    `Output ${row.output_index} of transaction ${row.transaction_id} refers to an address or a token that is not stored`,
  );
}

const TRANSACTIONS = statementWith(["hashes"])(
  (sql) =>
    `SELECT hash, id FROM transactions WHERE ${
      sql.engine === "sqlite"
        ? `id IN (SELECT ${transactionWith("unhex(substr(value, 3))")} FROM json_each($hashes))`
        : sql.isIn("hash", "$hashes", "bytea")
    }`,
);
const LOWEST_ID = statement("SELECT min(id) AS id FROM transactions");
const TRANSACTION = { id: "bigint", hash: "bytes" } as const;
const INSERT_TRANSACTIONS = forRows(
  TRANSACTION,
  // `Session.run` counts returned rows. In SQLite, RETURNING would take a third of the time.
  ({ sql, names, values, each }) =>
    sql.engine === "postgres"
      ? `INSERT INTO transactions (${names}) ${values} ON CONFLICT DO NOTHING RETURNING id`
      : `INSERT INTO transactions (${names}) SELECT ${each.id}, ${each.hash}
         WHERE NOT EXISTS (SELECT 1 FROM transactions WHERE ${inSegment(`${each.id} >> ${SEGMENT_BITS}`, each.hash)})
         ON CONFLICT DO NOTHING`,
);
const MOVE_TRANSACTIONS = forRows(
  TRANSACTION,
  ({ sql, each, from }) =>
    `UPDATE transactions SET id = ${each.id} ${from("FROM")} WHERE ${sql.ofTransaction("transactions", each.hash)}`,
);

const DELETE_OUTPUTS = statementWith(["ids"])(
  (sql) => `DELETE FROM outputs WHERE ${sql.isIn("transaction_id", "$ids", "bigint")}`,
);

/** An output as it is read, with its address's key and its asset's id. */
export type OutputWithNames = OutputColumns & { key: Bytes; asset_id: string };
const selectOutputs = (sql: Dialect, from: string, condition: string): string =>
  `SELECT ${outputColumns(sql)}, ${sql.ownerKey("o")} AS key, t.asset_id
   FROM outputs o JOIN tokens t ON t.id = o.token_id ${from} WHERE ${condition}`;
const OUTPUTS = table(
  "outputs",
  { transactionId: "bigint", outputIndex: "bigint" },
  {
    addressKey: "owner",
    assetId: "token",
    amount: "amount",
    capacity: "amount",
    kind: "text",
    spentBy: ["bigint", "spent_transaction_id"],
    spentInput: ["integer", "spent_input_index"],
  },
);
export const INSERT_OUTPUTS = insertInto(OUTPUTS);
export const SPEND_OUTPUTS = update(OUTPUTS, "spentBy", "spentInput");
export const OUTPUTS_AT = forRows(OUTPUTS.key, ({ sql, from, matches }) =>
  selectOutputs(sql, from(", "), matches("o", "transactionId", "outputIndex")),
);
/** Selects the outputs of transactions by a JSON array of their ids. */
export const OUTPUTS_OF = statementWith(["ids"])((sql) =>
  selectOutputs(sql, "", sql.isIn("o.transaction_id", "$ids", "bigint")),
);
const outputsWhere = (condition: string) => statementWith(["id"])((sql) => selectOutputs(sql, "", condition));
export const SPENT_FROM = outputsWhere("o.spent_transaction_id >= $id");
export const OUTPUTS_SPENT_BELOW = outputsWhere("o.spent_transaction_id < $id");
export const CREATED_FROM = outputsWhere("o.transaction_id >= $id");

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

export function* outputsOf(db: Reading, query: Statement): Steps<OutputRow[]> {
  return (yield* all<OutputWithNames>(db, query)).map(toOutputRow);
}

/** Ids of the transactions that are stored, by hash. */
export function* transactionIds(db: Reading, hashes: string[]): Steps<Map<string, number>> {
  if (hashes.length === 0) return new Map();
  const rows = yield* all<{ hash: Bytes; id: number }>(db, TRANSACTIONS({ hashes: JSON.stringify(hashes) }));
  return new Map(rows.map((row) => [toHex(row.hash), row.id]));
}

const HASHES = statementWith(["ids"])(
  (sql) => `SELECT id, hash FROM transactions WHERE ${sql.isIn("id", "$ids", "bigint")}`,
);

/** Hashes of the transactions that are stored, by id. */
export function* transactionHashes(db: Reading, ids: Iterable<number>): Steps<Map<number, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = yield* all<{ hash: Bytes; id: number }>(db, HASHES({ ids: JSON.stringify(wanted) }));
  return new Map(rows.map(({ id, hash }) => [id, toHex(hash)]));
}

export const DELETE_TRANSACTIONS = statementWith(["ids"])(
  (sql) => `DELETE FROM transactions WHERE ${sql.isIn("id", "$ids", "bigint")}`,
);
const USED_TRANSACTIONS = statementWith(["ids"])(
  (sql) => `SELECT transaction_id AS id FROM outputs WHERE ${sql.isIn("transaction_id", "$ids", "bigint")}
    UNION SELECT transaction_id FROM claims WHERE ${sql.isIn("transaction_id", "$ids", "bigint")}`,
);

/** The ids whose transactions have no stored output and no stored claim. */
export function* unusedTransactions(db: Reading, ids: ReadonlySet<number>): Steps<number[]> {
  if (ids.size === 0) return [];
  const used = yield* all<{ id: number }>(db, USED_TRANSACTIONS({ ids: JSON.stringify([...ids]) }));
  return [...ids.difference(new Set(used.map(({ id }) => id)))];
}

const OWNERS_OF_OUTSIDE = statementWith(["keys"])({
  sqlite: `SELECT key FROM addresses WHERE ${dialects.sqlite.isIn("key", "$keys", "bytea")}
    AND id IN (SELECT address_id FROM outputs WHERE transaction_id < 0)`,
  postgres: `SELECT DISTINCT address_key AS key FROM outputs
    WHERE transaction_id < 0 AND ${dialects.postgres.isIn("address_key", "$keys", "bytea")}`,
});
const DELETE_UNTOUCHED = statementWith(["keys"])(
  (sql) => `DELETE FROM addresses WHERE ${sql.isIn("key", "$keys", "bytea")} AND NOT EXISTS (
    SELECT 1 FROM touches t WHERE t.${sql.owner.column} = addresses.${sql.owner.primaryKey})`,
);

/** Deletes the addresses with these keys that have no stored output. */
export function* deleteUnusedAddresses(db: Connection, keys: ReadonlySet<string>): Steps<void> {
  // Every output has a touch, except those whose own block is not indexed.
  const outside = yield* all<{ key: Bytes }>(db, OWNERS_OF_OUTSIDE({ keys: JSON.stringify([...keys]) }));
  const others = keys.difference(new Set(outside.map(({ key }) => toHex(key))));
  yield* run(db, DELETE_UNTOUCHED({ keys: JSON.stringify([...others]) }));
}

/** The lowest id of a transaction, which is negative if some are not indexed; 0 if there is none. */
export function* lowestTransactionId(db: Reading): Steps<number> {
  return (yield* first<{ id: number | null }>(db, LOWEST_ID))!.id ?? 0;
}

export function alreadyStored(hash: string, id: number): ChainConflictError {
  return new ChainConflictError(`Transaction ${hash} is already stored, in block ${heightOf(id)}`);
}

/** Stores the transactions. Throws ChainConflictError if one of them is stored already. */
export function* addTransactions(tables: Writer, transactions: TransactionRecord[]): Steps<void> {
  if ((yield* tables.save(INSERT_TRANSACTIONS, transactions)) === transactions.length) return;
  const hashes = transactions.map(({ hash }) => hash);
  const stored = yield* transactionIds(tables.db, hashes);
  const taken = transactions.find(({ hash, id }) => stored.get(hash) !== id) ?? transactions[0]!;
  throw alreadyStored(taken.hash, stored.get(taken.hash) ?? taken.id);
}

/** Gives stored transactions another id. Their outputs, which Citus cannot update, are deleted and must be stored again. */
export function* moveTransactions(tables: Writer, transactions: TransactionRecord[]): Steps<void> {
  if (transactions.length === 0) return;
  yield* tables.save(MOVE_TRANSACTIONS, transactions);
  const ids = JSON.stringify(transactions.map(({ storedId }) => storedId));
  yield* run(tables.db, DELETE_OUTPUTS({ ids }));
}

const TOKEN_IDS = statementWith(["assetIds"])(
  (sql) => `SELECT id, asset_id FROM tokens WHERE ${sql.isIn("asset_id", "$assetIds", "text")}`,
);

/** The numbers of the stored assets among these, by asset id. */
export function* tokenIds(db: Reading, assetIds: string[]): Steps<Map<string, number>> {
  const given = TOKEN_IDS({ assetIds: JSON.stringify(assetIds) });
  const rows = yield* all<{ id: number; asset_id: string }>(db, given);
  return new Map(rows.map((row) => [row.asset_id, row.id]));
}

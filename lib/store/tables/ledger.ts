/** The tables of blocks, transactions, outputs and their sums. */
import type { HeightRange } from "#lib/contract/coverage.ts";
import type { TokenReference } from "#lib/contract/ledger.ts";
import { identity, tip } from "#lib/store/common-queries.ts";
import { type OutputColumns, outputColumns } from "#lib/store/outputs.ts";
import { alreadyStored } from "#lib/store/rules/batch.ts";
import type {
  OutputPlace,
  OutputRow,
  PlacedOutput,
  RetractedBlock,
  Retraction,
  TransactionRecord,
} from "#lib/store/rules/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import type { HoldingDelta, KindDelta, TokenDelta } from "#lib/store/rules/sums.ts";
import {
  all,
  type Bytes,
  dialects,
  first,
  run,
  type Statement,
  statement,
  toHex,
} from "#lib/store/statement.ts";
import { type ChainIdentity, REMEMBERED_BLOCKS, type ResolvedBlock, type Tip } from "#lib/store/store.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { type Columns, forRows, insertInto, type RowStatement } from "./columns.ts";
import { ListingTables } from "./listing.ts";

const INSERT_IDENTITY = statement(
  "insert-identity",
  "INSERT INTO state (key, value) VALUES ('identity', $1)",
);
/** Tokens are numbered, the native asset first. */
const NATIVE_ID = 1;
const HIGHEST_TOKEN = statement("highest-token", "SELECT max(id) AS id FROM tokens");
const TOKEN_IDS = statement(
  "tokens-of-assets",
  (sql) => `SELECT id, asset_id FROM tokens WHERE ${sql.isIn("asset_id", "$1", "text")}`,
);
const INSERT_TOKENS = insertInto<TokenReference & { number: number; supply: bigint }>("tokens", {
  number: ["integer", "id"],
  id: ["text", "asset_id"],
  standard: "text",
  fungible: "boolean",
  contentType: "text",
  parentId: ["text", "chain_parent_id"],
  supply: "amount",
});

const INSERT_GAPS = insertInto<HeightRange>("gaps", {
  from: ["bigint", "first_height"],
  to: ["bigint", "last_height"],
});
const GAP_AT = statement(
  "gap-at",
  `SELECT first_height AS "from", last_height AS "to" FROM gaps
   WHERE first_height <= $1 ORDER BY first_height DESC LIMIT 1`,
);
const DELETE_GAPS = statement(
  "delete-gaps",
  "DELETE FROM gaps WHERE first_height >= $1 AND first_height <= $2",
);

const BLOCKS_AT = statement(
  "blocks-at",
  (sql) => `SELECT height, hash, parent_hash FROM blocks WHERE ${sql.isIn("height", "$1", "bigint")}`,
);
const HIGHEST_BLOCKS = statement(
  "highest-blocks",
  "SELECT height, hash FROM blocks WHERE height > $1 ORDER BY height DESC LIMIT CAST($2 AS bigint)",
);
const INSERT_BLOCKS = insertInto<
  Omit<ResolvedBlock, "transactions" | "changes"> & { transactionCount: number; changeCount: number }
>("blocks", {
  height: "bigint",
  hash: "bytes",
  parentHash: "bytes",
  timestamp: "bigint",
  headerFacts: "bytes",
  transactionCount: "integer",
  changeCount: "integer",
});

/** Deletes the rows with values in a JSON array. */
const deleteAmong = (table: string, column: string, type: "bigint" | "bytea") =>
  statement(`delete-${table}`, (sql) => `DELETE FROM ${table} WHERE ${sql.isIn(column, "$1", type)}`);
const DELETE_ABANDONED = ["abandoned_blocks", "abandoned_touches"].map((table) =>
  deleteAmong(table, "hash", "bytea"),
);
/** A row of another place is another row: if outputs are distributed by transaction, it may change machines. */
const DELETE_OUTPUTS = deleteAmong("outputs", "transaction_id", "bigint");
const DELETE_TRANSACTIONS = deleteAmong("transactions", "id", "bigint");

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

/** An output as it is read, with its address's key and its asset. */
export type OutputWithNames = OutputColumns & { key: Bytes; asset_id: string };
const selectOutputs = (engine: "sqlite" | "postgres", from: string, condition: string): string => {
  const sql = dialects[engine];
  return `SELECT ${outputColumns(sql)}, ${sql.ownerKey("o")} AS key, t.asset_id
   FROM outputs o JOIN tokens t ON t.id = o.token_id ${from} WHERE ${condition}`;
};
export const OUTPUTS_AT = forRows<OutputPlace>(
  "outputs-by-place",
  { transactionId: "bigint", outputIndex: "bigint" },
  ({ sql, each, from, andShards }) =>
    selectOutputs(
      sql.engine,
      from(", "),
      `o.transaction_id = ${each.transactionId} AND o.output_index = ${each.outputIndex}
       ${andShards("o", "transactionId")}`,
    ),
);
const outputsWhere = (name: string, condition: string) =>
  statement(name, (sql) => selectOutputs(sql.engine, "", condition));
const OUTPUTS_OF = statement("outputs-of-transactions", (sql) =>
  selectOutputs(sql.engine, "", sql.isIn("o.transaction_id", "$1", "bigint")),
);
const SPENT_FROM = outputsWhere("spent-from", "o.spent_transaction_id >= $1");
const CREATED_FROM = outputsWhere("created-from", "o.transaction_id >= $1");
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

const ADD_TO_TOKENS = forRows<TokenDelta>(
  "add-to-tokens",
  { assetId: "token", supply: "amount", firstHeight: "bigint", firstMint: "bigint" },
  ({ sql, each, from }) => {
    const first = sql.least("tokens.first_height", each.firstHeight);
    const mint = sql.least("tokens.first_mint_height", each.firstMint);
    return `UPDATE tokens SET supply = ${sql.add("tokens.supply", each.supply)}, first_height = ${first},
       first_mint_height = ${mint} ${from("FROM")}
     WHERE tokens.id = ${each.assetId} AND (${each.supply} <> 0 OR ${first} IS DISTINCT FROM tokens.first_height
       OR ${mint} IS DISTINCT FROM tokens.first_mint_height)`;
  },
);

/** Adds to a table of sums over live outputs, and removes those without outputs. `keys`: of a row; the others are sums. */
function sumsIn<Delta extends { addressKey: string; count: number }>(
  table: string,
  keys: Columns<Delta>,
  amounts: Columns<Delta>,
): [add: RowStatement<Delta>, deleteEmpty: RowStatement<Delta>] {
  const all = { ...keys, ...amounts, count: ["bigint", "output_count"] } as Columns<Delta>;
  const add = forRows<Delta>(`add-to-${table}`, all, ({ sql, names, column, values }) => {
    const conflict = Object.keys(keys).map((key) => column[key as keyof Delta & string]);
    const sums = Object.keys(amounts).map(
      (sum) => `${sum} = ${sql.add(`${table}.${sum}`, `excluded.${sum}`)}`,
    );
    return `INSERT INTO ${table} (${names}) ${values} ON CONFLICT (${conflict.join(", ")}) DO UPDATE
      SET output_count = ${table}.output_count + excluded.output_count, ${sums.join(", ")}`;
  });
  const deleteEmpty = forRows<Delta>(`delete-empty-${table}`, keys, ({ column, each, from, andShards }) => {
    const isSame = Object.entries(column).map(
      ([key, name]) => `${table}.${name} = ${each[key as keyof Delta & string]}`,
    );
    return `DELETE FROM ${table} ${from("USING")}
      WHERE ${isSame.join(" AND ")} AND ${table}.output_count = 0 ${andShards(table, "addressKey")}`;
  });
  return [add, deleteEmpty];
}
const HOLDINGS = sumsIn<HoldingDelta>(
  "holdings",
  { addressKey: "owner", assetId: "token" },
  { amount: "amount", capacity: "amount" },
);
const KINDS = sumsIn<KindDelta>("kinds", { addressKey: "owner", kind: "text" }, { capacity: "amount" });

/** Deletes the rows with this value or a higher one. */
const deleteFrom = (table: string, column: string, ending = "") =>
  statement(`delete-${table}-from-${column}`, `DELETE FROM ${table} WHERE ${column} >= $1 ${ending}`);
const DELETE_CREATED = deleteFrom("outputs", "transaction_id");
const DELETE_FOREIGN = deleteFrom("outputs", "spent_transaction_id");
const DELETE_TRANSACTIONS_FROM = deleteFrom("transactions", "id");
const DELETE_CLAIMS = deleteFrom("claims", "transaction_id", "RETURNING asset_id");
const DELETE_BLOCKS = deleteFrom("blocks", "height");
const UNSPEND = statement(
  "unspend",
  `UPDATE outputs SET spent_transaction_id = NULL, spent_input_index = NULL
   WHERE spent_transaction_id >= $1 AND transaction_id >= 0`,
);
const USED_TRANSACTIONS = statement(
  "used-transactions",
  (sql) =>
    `SELECT DISTINCT transaction_id AS id FROM outputs WHERE ${sql.isIn("transaction_id", "$1", "bigint")}`,
);
const DELETE_CHANGES = statement("delete-changes", {
  sqlite: `DELETE FROM asset_changes
    WHERE height IN (SELECT height FROM blocks WHERE ${dialects.sqlite.isIn("hash", "$1", "bytea")})`,
  postgres: `DELETE FROM asset_changes WHERE ${dialects.postgres.isIn("block_hash", "$1", "bytea")}`,
});
const ABANDON_BLOCKS = statement(
  "abandon-blocks",
  `INSERT INTO abandoned_blocks (hash, height, parent_hash)
   SELECT hash, height, parent_hash FROM blocks WHERE height >= $1`,
);
const INSERT_TOUCHES = insertInto<RetractedBlock>("abandoned_touches", {
  hash: "bytes",
  height: "bigint",
  touched: ["bytes", "keys"],
});
const FORGET_TOUCHES = statement("forget-touches", "DELETE FROM abandoned_touches WHERE height < $1");
const DROP_ADDRESSES = statement(
  "drop-addresses",
  (sql) => `DELETE FROM addresses WHERE ${sql.isIn("key", "$1", "bytea")} AND first_height > $2`,
);
const DROP_TOKENS = statement(
  "drop-tokens",
  (sql) =>
    `DELETE FROM tokens WHERE ${sql.isIn("asset_id", "$1", "text")} AND asset_id <> $3 AND first_height > $2`,
);
const FORGET_HEIGHTS = statement(
  "forget-heights",
  (sql) => `UPDATE tokens SET
     first_mint_height = CASE WHEN first_mint_height <= $2 THEN first_mint_height END,
     first_height = CASE WHEN first_height <= $2 THEN first_height END
   WHERE ${sql.isIn("asset_id", "$1", "text")} AND (first_mint_height > $2 OR first_height > $2)`,
);

const toOutputRow = (row: OutputWithNames): OutputRow => ({
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

/** What the tables of every engine do, each with its own statements for what it keeps in its own way. */
export abstract class Tables extends ListingTables {
  /** By key. Adds those that are not stored yet, and lowers the first height of the others if it is higher. */
  abstract addAddresses(addresses: Map<string, { text: string; firstHeight: number }>): Steps<unknown>;
  /** The outputs of one transaction follow each other. */
  abstract addOutputs(outputs: Iterable<PlacedOutput>): Steps<unknown>;
  /** Notes by what the outputs, which were live, are spent. */
  abstract spendOutputs(outputs: Iterable<PlacedOutput>): Steps<unknown>;

  identity(): Steps<ChainIdentity | null> {
    return identity(this.db);
  }

  *addIdentity(identity: ChainIdentity): Steps<void> {
    yield* run(this.db, INSERT_IDENTITY, JSON.stringify(identity));
    const facts = { standard: "native", fungible: true, contentType: "", parentId: "" };
    yield* this.save(INSERT_TOKENS, [{ id: identity.native.id, ...facts, number: NATIVE_ID, supply: 0n }]);
  }

  tip(): Steps<Tip | null> {
    return tip(this.db);
  }

  addGaps(gaps: HeightRange[]) {
    return this.save(INSERT_GAPS, gaps);
  }

  *removeGapAt(height: number): Steps<HeightRange> {
    const gap = yield* first<HeightRange>(this.db, GAP_AT, height);
    if (!gap || gap.to < height)
      throw new Error(`Height ${height} has no block, but is in no gap: run aqs verify`);
    yield* run(this.db, DELETE_GAPS, gap.from, gap.from);
    return gap;
  }

  removeGapsAbove(height: number) {
    return run(this.db, DELETE_GAPS, height + 1, Number.MAX_SAFE_INTEGER);
  }

  *blocksAt(heights: number[]) {
    const rows = yield* all<{ height: number; hash: Bytes; parent_hash: Bytes }>(
      this.db,
      BLOCKS_AT,
      JSON.stringify(heights),
    );
    return rows.map((row) => ({
      height: row.height,
      hash: toHex(row.hash),
      parentHash: toHex(row.parent_hash),
    }));
  }

  *transactionIds(hashes: string[]): Steps<Map<string, number>> {
    if (hashes.length === 0) return new Map();
    const rows = yield* all<{ hash: Bytes; id: number }>(this.db, TRANSACTIONS, JSON.stringify(hashes));
    return new Map(rows.map((row) => [toHex(row.hash), row.id]));
  }

  /** 0 if there are no transactions; below 0 if some are not indexed. */
  *lowestTransactionId(): Steps<number> {
    return (yield* first<{ id: number | null }>(this.db, LOWEST_ID))!.id ?? 0;
  }

  *outputs(places: OutputPlace[]): Steps<OutputRow[]> {
    return (yield* this.allOf<OutputWithNames, OutputPlace>(OUTPUTS_AT, places)).map(toOutputRow);
  }

  *#outputs(query: Statement, value: string | number): Steps<OutputRow[]> {
    return (yield* all<OutputWithNames>(this.db, query, value)).map(toOutputRow);
  }

  outputsOf(transactionIds: number[]) {
    return this.#outputs(OUTPUTS_OF, JSON.stringify(transactionIds));
  }

  outputsSpentFrom(transactionId: number) {
    return this.#outputs(SPENT_FROM, transactionId);
  }

  outputsCreatedFrom(transactionId: number) {
    return this.#outputs(CREATED_FROM, transactionId);
  }

  /** By asset; those that are not stored are missing. */
  protected *tokenIds(assetIds: string[]): Steps<Map<string, number>> {
    const rows = yield* all<{ id: number; asset_id: string }>(this.db, TOKEN_IDS, JSON.stringify(assetIds));
    return new Map(rows.map((row) => [row.asset_id, row.id]));
  }

  /** Adds the assets that are not stored yet, in this order, and returns them. */
  *addTokens(assetIds: string[], references: Map<string, TokenReference>): Steps<string[]> {
    const stored = yield* this.tokenIds(assetIds);
    const added = assetIds.filter((id) => !stored.has(id));
    if (added.length === 0) return added;
    const highest = (yield* first<{ id: number }>(this.db, HIGHEST_TOKEN))!.id;
    yield* this.save(
      INSERT_TOKENS,
      added.map((id, i) => ({ ...references.get(id)!, number: highest + 1 + i, supply: 0n })),
    );
    return added;
  }

  /** Adds the blocks, which are not abandoned any more. */
  *addBlocks(blocks: ResolvedBlock[]): Steps<void> {
    yield* this.save(
      INSERT_BLOCKS,
      blocks.map((block) => ({
        ...block,
        transactionCount: block.transactions.length,
        changeCount: block.changes.length,
      })),
    );
    const hashes = JSON.stringify(blocks.map((block) => block.hash));
    for (const query of DELETE_ABANDONED) yield* run(this.db, query, hashes);
  }

  *addTransactions(transactions: TransactionRecord[]): Steps<void> {
    if ((yield* this.save(INSERT_TRANSACTIONS, transactions)) === transactions.length) return;
    const stored = yield* this.transactionIds(transactions.map(({ hash }) => hash));
    const taken = transactions.find(({ hash, id }) => stored.get(hash) !== id) ?? transactions[0]!;
    throw alreadyStored(taken.hash, stored.get(taken.hash) ?? taken.id);
  }

  /** Gives stored transactions another id, and removes their outputs, which `addOutputs` brings back. */
  *moveTransactions(transactions: TransactionRecord[]): Steps<void> {
    if (transactions.length === 0) return;
    yield* this.save(MOVE_TRANSACTIONS, transactions);
    const left = JSON.stringify(transactions.map(({ storedId }) => storedId));
    yield* run(this.db, DELETE_OUTPUTS, left);
  }

  /** Adds to supplies, and lowers first heights if they are higher or unknown. */
  addToTokens(deltas: TokenDelta[]) {
    return this.save(ADD_TO_TOKENS, deltas);
  }

  addToHoldings(deltas: HoldingDelta[]) {
    return this.#addTo(HOLDINGS, deltas);
  }

  addToKinds(deltas: KindDelta[]) {
    return this.#addTo(KINDS, deltas);
  }

  *#addTo<Delta extends { count: number }>(
    [add, deleteEmpty]: [RowStatement<Delta>, RowStatement<Delta>],
    deltas: Delta[],
  ): Steps<void> {
    yield* this.save(add, deltas);
    const fewer = deltas.filter((delta) => delta.count < 0);
    yield* this.save(deleteEmpty, fewer);
  }

  /** Of the blocks above `height`, the highest ones, highest first; empty if there are none. */
  *highestBlocks(height: number, limit: number): Steps<Tip[]> {
    const rows = yield* all<{ height: number; hash: Bytes }>(this.db, HIGHEST_BLOCKS, height, limit);
    return rows.map((row) => ({ height: row.height, hash: toHex(row.hash) }));
  }

  /** Removes and abandons the blocks; forgets whom those REMEMBERED_BLOCKS below touched. Returns the assets that they named. */
  *retract({ blocks, foreign }: Retraction): Steps<string[]> {
    const { height } = blocks.at(-1)!;
    const from = firstId(height);
    yield* run(this.db, DELETE_CREATED, from);
    yield* run(this.db, UNSPEND, from);
    yield* run(this.db, DELETE_FOREIGN, from);
    if (foreign.length > 0) {
      const used = yield* all<{ id: number }>(this.db, USED_TRANSACTIONS, JSON.stringify(foreign));
      const unused = new Set(foreign).difference(new Set(used.map((row) => row.id)));
      yield* run(this.db, DELETE_TRANSACTIONS, JSON.stringify([...unused]));
    }
    yield* run(this.db, DELETE_TRANSACTIONS_FROM, from);
    const claims = yield* all<{ asset_id: string }>(this.db, DELETE_CLAIMS, from);
    yield* run(this.db, DELETE_CHANGES, JSON.stringify(blocks.map((block) => block.hash)));
    yield* run(this.db, ABANDON_BLOCKS, height);
    yield* this.save(
      INSERT_TOUCHES,
      blocks.filter(({ touched }) => touched !== null),
    );
    yield* run(this.db, FORGET_TOUCHES, height - REMEMBERED_BLOCKS);
    yield* run(this.db, DELETE_BLOCKS, height);
    return claims.map((claim) => claim.asset_id);
  }

  /** Removes what was first seen above `height`, except the native asset, and first mints above it. */
  *dropUnseen(height: number, addressKeys: string[], assetIds: string[], nativeId: string): Steps<void> {
    const assets = JSON.stringify(assetIds);
    yield* run(this.db, DROP_ADDRESSES, JSON.stringify(addressKeys), height);
    yield* run(this.db, DROP_TOKENS, assets, height, nativeId);
    yield* run(this.db, FORGET_HEIGHTS, assets, height);
  }
}

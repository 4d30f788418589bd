import { horizon, tip } from "#lib/store/common-queries.ts";
import {
  type OutputColumns,
  outputColumns,
  toOutputs,
  transactionHashes,
  transactionIds,
} from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import type { BlockHeader, IndexTip, TokenRow } from "#lib/store/rows.ts";
import { all, first, statementWith } from "#lib/store/statement.ts";
import { heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { blockAt } from "./named-block.ts";
import { tokensById } from "./tokens.ts";

/** An output of a transaction, and its fate. */
export interface CreatedOutput {
  outputIndex: number;
  /** Text form of its address. */
  address: string;
  token: TokenRow;
  /** Exact decimal digits in the smallest unit; the capacity of an output without a token. */
  amount: string;
  capacity: string;
  /** Null while it is live; `never` if nobody can ever spend it. */
  spent: { transactionHash: string; height: number } | "never" | null;
}

export interface TransactionOverview {
  tip: IndexTip | null;
  /** Null if its block is not indexed. Then only outputs that indexed blocks spend are stored. */
  place: { block: BlockHeader; index: number } | null;
  /** Null if spent outputs may be missing: see rules/horizon.ts. */
  outputCount: number | null;
  outputs: CreatedOutput[];
}

interface TransactionQuery {
  hash: string;
  /** Index of the first output to list. */
  from: number;
  limit: number;
}

const COUNT = statementWith(["id"])("SELECT count(*) AS n FROM outputs WHERE transaction_id = $id");
const OUTPUTS = statementWith(["id", "from", "limit"])(
  (sql) => `SELECT ${outputColumns(sql)} FROM outputs o
   WHERE o.transaction_id = $id AND o.output_index >= CAST($from AS bigint)
   ORDER BY o.output_index LIMIT CAST($limit AS bigint)`,
);

/** A transaction's place, and a page of its outputs in order; null if nothing of it is stored. */
export const transactionOverview: Query<TransactionQuery, TransactionOverview | null> = {
  effort: "snapshot",
  *read(db, { hash, from, limit }) {
    const id = (yield* transactionIds(db, [hash])).get(hash);
    if (id === undefined) return null;
    const block = id < 0 ? undefined : yield* blockAt(db, heightOf(id));
    const rows = yield* all<OutputColumns>(db, OUTPUTS({ id, from, limit }));
    const outputs = yield* toOutputs(db, rows);
    const tokenIds = rows.map((row) => row.token_id);
    const tokens = yield* tokensById(db, tokenIds);
    const spenderIds = rows.flatMap((row) => row.spent_transaction_id ?? []);
    const spenders = yield* transactionHashes(db, spenderIds);
    const isPruned = block && block.height <= (yield* horizon(db));
    const spentIn = (spender: number | null) =>
      spender === null ? null : { transactionHash: spenders.get(spender)!, height: heightOf(spender) };
    return {
      tip: yield* tip(db),
      place: block ? { block: { ...block }, index: indexOf(id) } : null,
      outputCount: isPruned ? null : (yield* first<{ n: number }>(db, COUNT({ id })))!.n,
      outputs: outputs.map(({ address, amount, capacity, spendable }, at) => ({
        outputIndex: rows[at]!.output_index,
        address: address.text,
        token: tokens.get(rows[at]!.token_id)!,
        amount: String(amount),
        capacity: String(capacity),
        spent: spendable === false ? "never" : spentIn(rows[at]!.spent_transaction_id),
      })),
    };
  },
};

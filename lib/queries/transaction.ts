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

/** An output of a transaction, and what became of it. */
export interface CreatedOutput {
  outputIndex: number;
  /** The text of its address. */
  address: string;
  token: TokenRow;
  /** Exact decimal digits, smallest unit; of a plain output, its capacity. */
  amount: string;
  capacity: string;
  /** Null while it is live; `never` if nobody can ever spend it. */
  spent: { transactionHash: string; height: number } | "never" | null;
}

export interface TransactionOverview {
  tip: IndexTip | null;
  /** Null if its own block is not indexed: then only those outputs are known that indexed blocks spend. */
  place: { block: BlockHeader; index: number } | null;
  /** Null if outputs that were spent may be missing: see rules/horizon.ts. */
  outputCount: number | null;
  outputs: CreatedOutput[];
}

export interface TransactionQuery {
  hash: string;
  /** The index of the first output that is listed. */
  from: number;
  limit: number;
}

const COUNT = statementWith(["id"])("SELECT count(*) AS n FROM outputs WHERE transaction_id = $id");
const OUTPUTS = statementWith(["id", "from", "limit"])(
  (sql) => `SELECT ${outputColumns(sql)} FROM outputs o
   WHERE o.transaction_id = $id AND o.output_index >= CAST($from AS bigint)
   ORDER BY o.output_index LIMIT CAST($limit AS bigint)`,
);

/** Where a transaction stands, and some of its outputs in order; null if nothing of it is stored. */
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
    return {
      tip: yield* tip(db),
      place: block ? { block: { ...block }, index: indexOf(id) } : null,
      outputCount:
        block && block.height <= (yield* horizon(db))
          ? null
          : (yield* first<{ n: number }>(db, COUNT({ id })))!.n,
      outputs: rows.map(({ output_index, token_id, spent_transaction_id: spentBy }, at) => ({
        outputIndex: output_index,
        address: outputs[at]!.address.text,
        token: tokens.get(token_id)!,
        amount: String(outputs[at]!.amount),
        capacity: String(outputs[at]!.capacity),
        spent:
          outputs[at]!.spendable === false
            ? "never"
            : spentBy === null
              ? null
              : { transactionHash: spenders.get(spentBy)!, height: heightOf(spentBy) },
      })),
    };
  },
};

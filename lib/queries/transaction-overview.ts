import { horizon } from "#lib/store/common-queries.ts";
import { transactionIds } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import type { BlockHeader } from "#lib/store/rows.ts";
import { first, statementWith } from "#lib/store/statement.ts";
import { heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { type ListedOutput, outputsFrom } from "./listed-outputs.ts";
import { blockAt } from "./named-block.ts";

export interface TransactionOverview {
  /** Null if its block is not indexed. Then only outputs that indexed blocks spend are stored. */
  place: { block: BlockHeader; index: number } | null;
  /** Null if spent outputs may be missing: see rules/horizon.ts. */
  outputCount: number | null;
  outputs: ListedOutput[];
}

interface TransactionQuery {
  hash: string;
  /** Index of the first output to list. */
  from: number;
  limit: number;
}

const COUNT = statementWith(["id"])("SELECT count(*) AS n FROM outputs WHERE transaction_id = $id");

/** A transaction's place, and a page of its outputs in order; null if nothing of it is stored. */
export const transactionOverview: Query<TransactionQuery, TransactionOverview | null> = {
  effort: "snapshot",
  *read(db, { hash, from, limit }) {
    const id = (yield* transactionIds(db, [hash])).get(hash);
    if (id === undefined) return null;
    const block = id < 0 ? undefined : yield* blockAt(db, heightOf(id));
    const isPruned = block && block.height <= (yield* horizon(db));
    return {
      place: block ? { block: { ...block }, index: indexOf(id) } : null,
      outputCount: isPruned ? null : (yield* first<{ n: number }>(db, COUNT({ id })))!.n,
      outputs: yield* outputsFrom(db, "outputs", { id, hash, from, limit }, Number.MAX_SAFE_INTEGER),
    };
  },
};

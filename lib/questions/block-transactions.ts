import { exhaustive } from "#lib/contract/exhaustive.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { Question } from "#lib/store/question.ts";
import { all, first, statementWith, toBytes } from "#lib/store/statement.ts";
import type { TokenRow } from "#lib/store/store.ts";
import { firstId, indexOf } from "#lib/store/transaction-id.ts";
import { refuseBelowHorizon } from "./named-block.ts";
import { tokensById } from "./tokens.ts";

/** What a transaction takes and makes of an asset, in its smallest unit: the difference is minted or burnt. */
export interface MovedAsset {
  token: TokenRow;
  in: bigint;
  out: bigint;
}

export interface BlockTransaction {
  hash: string;
  /** Its place in the block, from 0. */
  index: number;
  /** How many outputs it spends, and how many it creates. */
  inputs: number;
  outputs: number;
  /** The native asset, which all outputs hold, comes first; then the others in the order in which they were first indexed. */
  moved: MovedAsset[];
  /** Assets beyond those listed. */
  more: number;
}

export interface BlockTransactionsQuery {
  blockHash: string;
  offset: number;
  limit: number;
  /** How many assets of each are listed. */
  assets: number;
}

const PLACE = statementWith(["hash"])(
  "SELECT height, transaction_count AS total FROM blocks WHERE hash = $hash",
);

interface Sum {
  id: number;
  tokenId: number;
  count: number;
  /** Of outputs that hold the native asset alone, their capacity. */
  amount: string;
  capacity: string;
}

/** Sums over outputs by transaction and asset. */
const sums = (by: string, those = "") =>
  statementWith(["from", "to"])(
    (sql) => `SELECT ${by} AS id, token_id AS "tokenId", count(*) AS count,
       ${sql.sum("coalesce(amount, capacity)")} AS amount, ${sql.sum("capacity")} AS capacity
     FROM outputs WHERE ${by} >= CAST($from AS bigint) AND ${by} < CAST($to AS bigint) ${those}
     GROUP BY ${by}, token_id`,
  );
const CREATED = sums("transaction_id");
const SPENT = sums("spent_transaction_id", "AND spent_input_index IS NOT NULL");
/** Of the native asset in `tokens`. */
const NATIVE_ID = 1;

/**
 * A page of a block's transactions in order; null if no canonical block has this hash. Throws NOT_FOUND as `refuseBelowHorizon`
 * does for the block below.
 */
export const blockTransactions: Question<
  BlockTransactionsQuery,
  { rows: BlockTransaction[]; total: number } | null
> = {
  effort: "snapshot",
  *read(db, { blockHash, offset, limit, assets, ...rest }) {
    exhaustive(rest);
    const block = yield* first<{ height: number; total: number }>(db, PLACE({ hash: toBytes(blockHash) }));
    if (!block) return null;
    const { height, total } = block;
    yield* refuseBelowHorizon(db, height - 1);
    const [from, to] = [offset, Math.min(offset + limit, total)];
    const ids = Array.from({ length: Math.max(0, to - from) }, (_, at) => firstId(height) + from + at);
    if (ids.length === 0) return { rows: [], total };
    const span = { from: ids[0]!, to: ids.at(-1)! + 1 };
    const hashes = yield* transactionHashes(db, ids);
    const found = new Map(ids.map((id) => [id, { inputs: 0, outputs: 0, moved: new Map<number, Moved>() }]));
    for (const [side, query] of [
      ["in", SPENT],
      ["out", CREATED],
    ] as const) {
      for (const { id, tokenId, count, amount, capacity } of yield* all<Sum>(db, query(span))) {
        const transaction = found.get(id)!;
        transaction[side === "in" ? "inputs" : "outputs"] += count;
        add(transaction.moved, NATIVE_ID, side, BigInt(capacity));
        if (tokenId !== NATIVE_ID) add(transaction.moved, tokenId, side, BigInt(amount));
      }
    }
    const listed = [...found].map(([id, transaction]) => {
      const moved = [...transaction.moved].sort(([one], [other]) => one - other);
      return { ...transaction, id, moved: moved.slice(0, assets), more: Math.max(0, moved.length - assets) };
    });
    const tokenIds = listed.flatMap(({ moved }) => moved.map(([tokenId]) => tokenId));
    const tokens = yield* tokensById(db, tokenIds);
    const rows = listed.map(({ id, inputs, outputs, moved, more }) => ({
      hash: hashes.get(id)!,
      index: indexOf(id),
      inputs,
      outputs,
      moved: moved.map(([tokenId, amounts]) => ({ token: tokens.get(tokenId)!, ...amounts })),
      more,
    }));
    return { rows, total };
  },
};

type Moved = Omit<MovedAsset, "token">;

function add(sums: Map<number, Moved>, tokenId: number, side: "in" | "out", amount: bigint): void {
  const sum = sums.get(tokenId) ?? { in: 0n, out: 0n };
  sum[side] += amount;
  sums.set(tokenId, sum);
}

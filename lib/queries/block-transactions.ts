import { transactionHashes } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import { done } from "#lib/store/rules/steps.ts";
import { all, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { firstId, indexOf } from "#lib/store/transaction-id.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { refuseBelowHorizon, refuseIfGone } from "./named-block.ts";
import { PIECE, sorted } from "./pieces.ts";
import { tokensById } from "./tokens.ts";

/** Amounts of an asset in a transaction's inputs and outputs, in its smallest unit. The difference is minted or burnt. */
export interface MovedAsset {
  token: TokenRow;
  in: bigint;
  out: bigint;
}

export interface BlockTransaction {
  hash: string;
  /** Its place in the block, from 0. */
  index: number;
  /** Number of outputs that it spends. */
  inputs: number;
  /** Number of outputs that it creates. */
  outputs: number;
  /** The native asset, then the others in the order in which they were first indexed. */
  moved: MovedAsset[];
  /** Number of assets beyond those in `moved`. */
  more: number;
}

interface BlockTransactionsQuery {
  blockHash: string;
  offset: number;
  limit: number;
  /** Most assets to list for each transaction. */
  assets: number;
}

const PLACE = statementWith(["hash"])(
  "SELECT height, transaction_count AS total FROM blocks WHERE hash = $hash",
);

interface Sum {
  id: number;
  tokenId: number;
  count: number;
  /** Capacity of outputs without a token, for the native asset. */
  amount: string;
  capacity: string;
  /** Index of the last summed output in the transaction. */
  last: number;
}

/** Sums outputs by transaction and asset, after a place and below the id `$end`. SQLite sums at most PIECE of them. */
const sums = (by: string, index: string) =>
  statementWith(["id", "index", "end"])((sql) => {
    const isFurther =
      sql.engine === "sqlite"
        ? `(${by}, ${index}) > ($id, $index) AND ${by} < $end AND ${index} IS NOT NULL ORDER BY ${by}, ${index} LIMIT ${PIECE}`
        : `${by} >= CAST($id AS bigint) AND ${by} < CAST($end AS bigint) AND ${index} > CAST($index AS integer)`;
    return `SELECT ${by} AS id, token_id AS "tokenId", count(*) AS count, max(${index}) AS last,
       ${sql.sum("coalesce(amount, capacity)")} AS amount, ${sql.sum("capacity")} AS capacity
     FROM (SELECT ${by}, ${index}, token_id, amount, capacity FROM outputs WHERE ${isFurther}) wanted
     GROUP BY ${by}, token_id`;
  });
const CREATED = sums("transaction_id", "output_index");
const SPENT = sums("spent_transaction_id", "spent_input_index");
/** The id of the native asset in `tokens`. */
const NATIVE_ID = 1;

/**
 * A page of the transactions of the block with this hash, in order; null if it is not canonical. Throws NOT_FOUND as
 * `refuseBelowHorizon` does for the block below.
 */
export const blockTransactions: Query<
  BlockTransactionsQuery,
  { rows: BlockTransaction[]; total: number } | null
> = {
  effort: "snapshot",
  *read(db, { blockHash, offset, limit, assets, ...rest }) {
    exhaustive(rest);
    const block = yield* first<{ height: number; total: number }>(db, PLACE({ hash: toBytes(blockHash) }));
    if (!block) return null;
    const { height, total } = block;
    const from = firstId(height) + offset;
    const to = firstId(height) + Math.min(offset + limit, total);
    const ids = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
    const hashes = yield* transactionHashes(db, ids);
    const found = new Map(ids.map((id) => [id, { in: 0, out: 0, moved: new Map<number, Moved>() }]));
    for (const [side, query] of [
      ["in", SPENT],
      ["out", CREATED],
    ] as const) {
      let place = { id: from, index: -1 };
      for (let isMore = true; isMore; ) {
        const rows: Sum[] = yield* all<Sum>(db, query({ ...place, end: to }));
        let read = 0;
        for (const { id, tokenId, count, amount, capacity, last } of rows) {
          const transaction = found.get(id)!;
          transaction[side] += count;
          add(transaction.moved, NATIVE_ID, side, BigInt(capacity));
          if (tokenId !== NATIVE_ID) add(transaction.moved, tokenId, side, BigInt(amount));
          read += count;
          if (id > place.id || last > place.index) place = { id, index: last };
        }
        isMore = db.engine === "sqlite" && read === PIECE;
        if (isMore) yield* done(db.pause());
      }
    }
    const listed = [];
    for (const [id, { in: inputs, out: outputs, moved }] of found) {
      const first = yield* sorted(db, [...moved], ([one], [other]) => one - other, assets);
      const more = moved.size - first.length;
      listed.push({ hash: hashes.get(id)!, index: indexOf(id), inputs, outputs, moved: first, more });
    }
    const tokenIds = listed.flatMap(({ moved }) => moved.map(([tokenId]) => tokenId));
    const tokens = yield* tokensById(db, tokenIds);
    const rows = listed.map((row) => ({
      ...row,
      moved: row.moved.map(([tokenId, amounts]) => ({ token: tokens.get(tokenId)!, ...amounts })),
    }));
    yield* refuseIfGone(db, blockHash);
    yield* refuseBelowHorizon(db, height - 1);
    return { rows, total };
  },
};

type Moved = Omit<MovedAsset, "token">;

function add(sums: Map<number, Moved>, tokenId: number, side: "in" | "out", amount: bigint): void {
  const sum = sums.get(tokenId) ?? { in: 0n, out: 0n };
  sum[side] += amount;
  sums.set(tokenId, sum);
}

import { ownersOf, transactionHashes } from "#lib/store/outputs.ts";
import { type Query, type Reader, tuples } from "#lib/store/query.ts";
import type { TokenRow } from "#lib/store/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
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
  /** Addresses of the first inputs, and those of the first outputs that are not among them. */
  from: string[];
  to: string[];
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
  /** The lowest id of a transaction that created one of them. */
  lowest: number;
}

/** Sums outputs by transaction and asset, after a place and below the id `$end`. SQLite sums at most PIECE of them. */
const sums = (by: string, index: string) =>
  statementWith(["id", "index", "end"])((sql) => {
    const isFurther =
      sql.engine === "sqlite"
        ? `(${by}, ${index}) > ($id, $index) AND ${by} < $end AND ${index} IS NOT NULL ORDER BY ${by}, ${index} LIMIT ${PIECE}`
        : `${by} >= CAST($id AS bigint) AND ${by} < CAST($end AS bigint) AND ${index} > CAST($index AS integer)`;
    return `SELECT ${by} AS id, token_id AS "tokenId", count(*) AS count, max(${index}) AS last,
       min(created_by) AS lowest, ${sql.sum("coalesce(amount, capacity)")} AS amount, ${sql.sum("capacity")} AS capacity
     FROM (SELECT ${by}, ${index}, transaction_id AS created_by, token_id, amount, capacity FROM outputs
       WHERE ${isFurther}) wanted
     GROUP BY ${by}, token_id`;
  });
const CREATED = sums("transaction_id", "output_index");
const SPENT = sums("spent_transaction_id", "spent_input_index");
/** The id of the native asset in `tokens`. */
export const NATIVE_ID = 1;

type Amounts = Omit<MovedAsset, "token">;

/** Sums over the outputs that a transaction spends and creates. */
export interface TransactionSums {
  /** Numbers of outputs. */
  in: number;
  out: number;
  /** By the token's id. */
  moved: Map<number, Amounts>;
  /** Whether the outputs that it spends were all created in indexed blocks. */
  isWhole: boolean;
}

/** Sums up the transactions with ids from `from` up to below `to`, in pieces. */
export function* sumsBetween(db: Reader, from: number, to: number): Steps<Map<number, TransactionSums>> {
  const ids = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
  const found = new Map(
    ids.map((id): [number, TransactionSums] => [id, { in: 0, out: 0, moved: new Map(), isWhole: true }]),
  );
  for (const [side, query] of [
    ["in", SPENT],
    ["out", CREATED],
  ] as const) {
    let place = { id: from, index: -1 };
    for (let isMore = true; isMore; ) {
      const rows: Sum[] = yield* all<Sum>(db, query({ ...place, end: to }));
      let read = 0;
      for (const { id, tokenId, count, amount, capacity, last, lowest } of rows) {
        const transaction = found.get(id)!;
        transaction[side] += count;
        transaction.isWhole &&= lowest >= 0;
        add(transaction.moved, NATIVE_ID, side, BigInt(capacity));
        if (tokenId !== NATIVE_ID) add(transaction.moved, tokenId, side, BigInt(amount));
        read += count;
        if (id > place.id || last > place.index) place = { id, index: last };
      }
      isMore = db.engine === "sqlite" && read === PIECE;
      if (isMore) yield* done(db.pause());
    }
  }
  return found;
}

/** The native asset, then the others in the order in which they were first indexed: at most `most`. */
export const movedFirst = (db: Reader, { moved }: TransactionSums, most: number) =>
  sorted(db, [...moved], ([one], [other]) => one - other, most);

/** Inputs, and outputs, of each transaction whose addresses are named. */
const MOST_NAMED = 10;
const namedBy = (by: string, index: string) =>
  statementWith(["ids"])(
    (sql) => `SELECT ${by}, ${sql.owner.column} FROM outputs
      WHERE ${sql.isIn(by, "$ids", "bigint")} AND ${index} < ${MOST_NAMED} AND transaction_id >= 0 ORDER BY ${by}, ${index}`,
  );
const PAYERS = namedBy("spent_transaction_id", "spent_input_index");
const PAYEES = namedBy("transaction_id", "output_index");

/** The addresses of each transaction's first inputs and outputs. What returns to a payer is change. */
function* partiesOf(db: Reader, ids: readonly number[]) {
  type Named = [id: number, owner: number | string];
  const values = { ids: JSON.stringify(ids) };
  const payers = yield* tuples<Named>(db, PAYERS(values));
  const payees = yield* tuples<Named>(db, PAYEES(values));
  const rows = [...payers, ...payees].map(([, owner]) => ({ owner }));
  const texts = rows.length === 0 ? new Map() : yield* ownersOf(db, rows);
  const named = (list: Named[], id: number) => [
    ...new Set(list.filter(([by]) => by === id).map(([, owner]) => texts.get(owner)!.text as string)),
  ];
  return (id: number) => {
    const from = named(payers, id);
    return { from, to: named(payees, id).filter((address) => !from.includes(address)) };
  };
}

/** A page of a block's transactions, in order; null if it is not canonical. Throws as `refuseBelowHorizon` does. */
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
    const found = yield* sumsBetween(db, from, to);
    const hashes = yield* transactionHashes(db, found.keys());
    const parties = yield* partiesOf(db, [...found.keys()]);
    const listed = [];
    for (const [id, sums] of found) {
      const moved = yield* movedFirst(db, sums, assets);
      const more = sums.moved.size - moved.length;
      listed.push({
        hash: hashes.get(id)!,
        index: indexOf(id),
        inputs: sums.in,
        outputs: sums.out,
        moved,
        more,
        ...parties(id),
      });
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

function add(sums: Map<number, Amounts>, tokenId: number, side: "in" | "out", amount: bigint): void {
  const sum = sums.get(tokenId) ?? { in: 0n, out: 0n };
  sum[side] += amount;
  sums.set(tokenId, sum);
}

import { ownersOf, transactionHashes } from "#lib/store/outputs.ts";
import { type Query, type Reader, tuples } from "#lib/store/query.ts";
import { NATIVE_TOKEN_ID, type TokenRow } from "#lib/store/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, type Dialect, first, type Statement, statementWith, toBytes } from "#lib/store/statement.ts";
import { firstId, indexOf } from "#lib/store/transaction-id.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { refuseBelowHorizon } from "./named-block.ts";
import { PIECE, sorted } from "./pieces.ts";
import { tokenIdOf, tokensById } from "./tokens.ts";

/** Amounts of an asset in a transaction's inputs and outputs, in its smallest unit. The difference is minted or burnt. */
export interface AssetAmounts {
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
  /** Whether the outputs that it spends were all created in indexed blocks. */
  isWhole: boolean;
  /** The native asset, then the others in the order in which they were first indexed. */
  moved: AssetAmounts[];
  /** Number of assets beyond those in `moved`. */
  more: number;
  /** Addresses of the first inputs, and those of the first outputs that are not among them. */
  from: string[];
  to: string[];
}

interface BlockTransactionsQuery {
  blockHash: string;
  /** Only transactions whose inputs or outputs hold this asset. `moved` then lists that asset alone. */
  asset?: string;
  offset: number;
  limit: number;
  /** Maximum number of assets to list for each transaction. */
  assets: number;
}

const PLACE = statementWith(["hash"])(
  "SELECT height, transaction_count AS total FROM blocks WHERE hash = $hash",
);

/** A group of outputs of one transaction. */
interface Group {
  id: number;
  count: number;
  /** Index of the group's last output in the transaction. */
  last: number;
}

interface Sum extends Group {
  tokenId: number;
  /** Capacity of outputs without a token, for the native asset. */
  amount: string;
  capacity: string;
  /** The lowest id of a transaction that created one of them. */
  lowest: number;
}

/** Outputs after a place and below the id `$end`. SQLite reads at most PIECE of them. */
const further = (sql: Dialect, by: string, index: string) =>
  `(SELECT ${by} AS id, ${index} AS place, transaction_id AS created_by, token_id, amount, capacity FROM outputs WHERE ${
    sql.engine === "sqlite"
      ? `(${by}, ${index}) > ($id, $index) AND ${by} < $end AND ${index} IS NOT NULL ORDER BY ${by}, ${index} LIMIT ${PIECE}`
      : `${by} >= CAST($id AS bigint) AND ${by} < CAST($end AS bigint) AND ${index} > CAST($index AS integer)`
  }) wanted`;

/** Sums outputs by transaction and asset. */
const sums = (by: string, index: string) =>
  statementWith(["id", "index", "end"])((sql) => {
    const amounts = `${sql.sum("coalesce(amount, capacity)")} AS amount, ${sql.sum("capacity")} AS capacity`;
    return `SELECT id, token_id AS "tokenId", count(*) AS count, max(place) AS last, min(created_by) AS lowest, ${amounts}
     FROM ${further(sql, by, index)} GROUP BY id, token_id`;
  });
const CREATED = sums("transaction_id", "output_index");
const SPENT = sums("spent_transaction_id", "spent_input_index");

/** Whether an output holds a token. Every output holds the native asset. */
const IS_HELD = `CAST($token AS integer) IN (token_id, ${NATIVE_TOKEN_ID})`;

/** Tells which transactions hold a token. */
const held = (by: string, index: string) =>
  statementWith(["id", "index", "end", "token"])(
    (sql) =>
      `SELECT id, count(*) AS count, max(place) AS last, max(CASE WHEN ${IS_HELD} THEN 1 ELSE 0 END) AS "isHeld"
     FROM ${further(sql, by, index)} ${sql.engine === "postgres" ? `WHERE ${IS_HELD}` : ""} GROUP BY id`,
  );
const CREATED_HELD = held("transaction_id", "output_index");
const SPENT_HELD = held("spent_transaction_id", "spent_input_index");

/** Uses the groups that a statement makes of the transactions with ids from `from` up to below `to`, in pieces. */
function* eachGroup<Row extends Group>(
  db: Reader,
  from: number,
  to: number,
  query: (place: { id: number; index: number; end: number }) => Statement,
  use: (row: Row) => void,
): Steps<void> {
  let place = { id: from, index: -1 };
  for (let isMore = true; isMore; ) {
    const rows: Row[] = yield* all<Row>(db, query({ ...place, end: to }));
    let read = 0;
    for (const row of rows) {
      use(row);
      read += row.count;
      if (row.id > place.id || row.last > place.index) place = { id: row.id, index: row.last };
    }
    isMore = db.engine === "sqlite" && read === PIECE;
    if (isMore) yield* done(db.pause());
  }
}

type Amounts = Omit<AssetAmounts, "token">;

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
    yield* eachGroup<Sum>(db, from, to, query, ({ id, tokenId, count, amount, capacity, lowest }) => {
      const transaction = found.get(id)!;
      transaction[side] += count;
      transaction.isWhole &&= lowest >= 0;
      add(transaction.moved, NATIVE_TOKEN_ID, side, BigInt(capacity));
      if (tokenId !== NATIVE_TOKEN_ID) add(transaction.moved, tokenId, side, BigInt(amount));
    });
  }
  return found;
}

/** The native asset, then the others in the order in which they were first indexed: at most `most`. */
export const movedFirst = (db: Reader, { moved }: TransactionSums, most: number) =>
  sorted(db, [...moved], ([one], [other]) => one - other, most);

/** Inputs, and outputs, of each transaction whose addresses are named. */
const MAX_NAMED = 10;
const namedBy = (by: string, index: string) =>
  statementWith(["ids"])(
    (sql) => `SELECT ${by}, ${sql.owner.column} FROM outputs
      WHERE ${sql.isIn(by, "$ids", "bigint")} AND ${index} < ${MAX_NAMED} AND transaction_id >= 0 ORDER BY ${by}, ${index}`,
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

/** The ids of transactions, from `from` up to below `to`, that hold a token. */
function* holdersOf(db: Reader, from: number, to: number, token: number): Steps<number[]> {
  const ids = new Set<number>();
  for (const query of [SPENT_HELD, CREATED_HELD]) {
    yield* eachGroup<Group & { isHeld: number }>(
      db,
      from,
      to,
      (place) => query({ ...place, token }),
      ({ id, isHeld }) => isHeld && ids.add(id),
    );
  }
  return yield* sorted(db, [...ids], (one, other) => one - other);
}

const SEARCHED_OUTPUTS = 500;
/** Finds a token among the first outputs that a block's transactions create, or spend. */
const searched = (by: string, index: string) =>
  statementWith(["start", "end", "token"])(
    `SELECT id FROM (
       SELECT ${by} AS id, token_id FROM outputs
       WHERE ${by} >= CAST($start AS bigint) AND ${by} < CAST($end AS bigint) AND ${index} IS NOT NULL
       ORDER BY ${by}, ${index} LIMIT ${SEARCHED_OUTPUTS}) searched
     WHERE ${IS_HELD} LIMIT 1`,
  );
const CREATED_BY = searched("transaction_id", "output_index");
const SPENT_BY = searched("spent_transaction_id", "spent_input_index");

/** Returns the id of the only transaction of a block that moved a token; undefined if a short search does not find it. */
export function* moverOf(db: Reader, height: number, token: number): Steps<number | undefined> {
  const block = { start: firstId(height), end: firstId(height + 1), token };
  for (const query of [CREATED_BY, SPENT_BY]) {
    const found = yield* first<{ id: number }>(db, query(block));
    if (found) return found.id;
  }
  return undefined;
}

/** Sums up single transactions. */
function* sumsOf(db: Reader, ids: readonly number[]): Steps<Map<number, TransactionSums>> {
  const found = new Map<number, TransactionSums>();
  for (const id of ids) for (const sums of yield* sumsBetween(db, id, id + 1)) found.set(...sums);
  return found;
}

/** A page of a block's transactions, in order; null if it is not canonical. Throws as `refuseBelowHorizon` does. */
export const blockTransactions: Query<
  BlockTransactionsQuery,
  { rows: BlockTransaction[]; total: number } | null
> = {
  effort: "snapshot",
  *read(db, { blockHash, asset, offset, limit, assets, ...rest }) {
    exhaustive(rest);
    const block = yield* first<{ height: number; total: number }>(db, PLACE({ hash: toBytes(blockHash) }));
    if (!block) return null;
    const start = firstId(block.height);
    const end = start + block.total;
    const token = asset === undefined ? undefined : yield* tokenIdOf(db, asset);
    if (token === null) return { rows: [], total: 0 };
    const holding = token === undefined ? null : yield* holdersOf(db, start, end, token);
    const found = holding
      ? yield* sumsOf(db, holding.slice(offset, offset + limit))
      : yield* sumsBetween(db, start + offset, Math.min(start + offset + limit, end));
    const hashes = yield* transactionHashes(db, found.keys());
    const parties = yield* partiesOf(db, [...found.keys()]);
    const listed = [];
    for (const [id, sums] of found) {
      const moved = token ? [[token, sums.moved.get(token)!] as const] : yield* movedFirst(db, sums, assets);
      const more = sums.moved.size - moved.length;
      listed.push({
        hash: hashes.get(id)!,
        index: indexOf(id),
        inputs: sums.in,
        outputs: sums.out,
        isWhole: sums.isWhole,
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
    yield* refuseBelowHorizon(db, block.height - 1);
    return { rows, total: holding?.length ?? block.total };
  },
};

function add(sums: Map<number, Amounts>, tokenId: number, side: "in" | "out", amount: bigint): void {
  const sum = sums.get(tokenId) ?? { in: 0n, out: 0n };
  sum[side] += amount;
  sums.set(tokenId, sum);
}

/** Outputs of transactions, spent or not, and what became of them. */
import type { Address, OutPoint } from "#lib/contract/ledger.ts";
import { tip } from "#lib/store/common-queries.ts";
import {
  type OutputColumns,
  outputColumns,
  ownersOf,
  transactionHashes,
  transactionIds,
} from "#lib/store/outputs.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Dialect, statementWith } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import type { UtxoRow } from "../address-utxos/read.ts";
import { factsAt } from "../output-kinds.ts";
import { tokensById } from "../tokens.ts";
import { indexedTransaction, refuseMissing } from "../transaction/read.ts";
import type { Rows, Window } from "../walk.ts";
import { walkRange } from "../walk-state.ts";

/** `height` is negative if the output's block is not indexed. Then an indexed block spends it. */
export interface OutputRow extends UtxoRow {
  /** Rows of a page with the same address share this object. */
  owner: Address;
  spent: { transactionHash: string; height: number; timestamp: number } | null;
  /** Nobody can ever spend it. */
  isUnspendable: boolean;
}

/** What an output refers to. The spender is null if there is none. */
interface References {
  key: string;
  address: string;
  hash: string;
  spender: string | null;
  time: number | null;
}
type Columns = OutputColumns & References;

const page = (by: string, index: string, more: (sql: Dialect) => string) =>
  statementWith(["id", "from", "limit"])(
    (sql) => `SELECT ${outputColumns(sql)}${more(sql)} FROM outputs o
     WHERE o.${by} = $id AND o.${index} >= CAST($from AS bigint) ORDER BY o.${index} LIMIT CAST($limit AS bigint)`,
  );
const pages = (more: (sql: Dialect) => string) => ({
  inputs: page("spent_transaction_id", "spent_input_index", more),
  outputs: page("transaction_id", "output_index", more),
});
type Side = keyof ReturnType<typeof pages>;

/** With Citus, what an output refers to is on other machines. */
const ALONE = pages(() => "");
const WITH_REFERENCES = pages((sql) => {
  const { own, column } = sql.owner;
  const ofOwner = `FROM addresses WHERE ${own} = o.${column}`;
  const hashOf = (id: string) => `(SELECT ${sql.hex("hash")} FROM transactions WHERE id = o.${id})`;
  return `, (SELECT ${sql.hex("key")} ${ofOwner}) AS key, (SELECT text ${ofOwner}) AS address,
    ${hashOf("transaction_id")} AS hash, ${hashOf("spent_transaction_id")} AS spender,
    (SELECT timestamp FROM blocks WHERE height = o.spent_transaction_id >> 20) AS time`;
});

/** Looks up what the outputs refer to. */
function* withReferences(db: Reader, rows: OutputColumns[]): Steps<Columns[]> {
  if (rows.length === 0) return [];
  const owners = yield* ownersOf(db, rows);
  const spenders = rows.flatMap(({ spent_transaction_id: id }) => id ?? []);
  const ids = rows.map(({ transaction_id }) => transaction_id);
  const hashes = yield* transactionHashes(db, [...ids, ...spenders]);
  const facts = yield* factsAt(db, [...new Set(spenders.map(heightOf))]);
  const times = new Map(facts.map(({ height, timestamp }) => [height, timestamp]));
  return rows.map((row) => {
    const { key, text: address } = owners.get(row.owner)!;
    const { transaction_id, spent_transaction_id: spender } = row;
    const by =
      spender === null ? null : { spender: hashes.get(spender)!, time: times.get(heightOf(spender))! };
    return {
      ...row,
      key,
      address,
      hash: hashes.get(transaction_id)!,
      ...(by ?? { spender: null, time: null }),
    };
  });
}

/** A page of what a transaction spends or creates, from an index on. Outputs are spent if an id below `end` spends them. */
export function* outputsFrom(
  db: Reader,
  side: Side,
  { end, ...page }: { id: number; from: number; limit: number; end: number },
): Steps<OutputRow[]> {
  const isFar = db.engine === "postgres" && db.distributed;
  const columns = isFar
    ? yield* withReferences(db, yield* all<OutputColumns>(db, ALONE[side](page)))
    : yield* all<Columns>(db, WITH_REFERENCES[side](page));
  const tokenIds = columns.map(({ token_id }) => token_id);
  const tokens = yield* tokensById(db, tokenIds);
  const owners = new Map<OutputColumns["owner"], Address>();
  return columns.map((row): OutputRow => {
    const { owner, key, address: text, spender, spent_transaction_id: by, spent_input_index: input } = row;
    if (!owners.has(owner)) owners.set(owner, { key, text });
    const isSpent = by !== null && input !== null && by < end;
    return {
      token: tokens.get(row.token_id)!,
      height: heightOf(row.transaction_id),
      transactionHash: row.hash,
      outputIndex: row.output_index,
      amount: row.amount ?? row.capacity,
      capacity: row.capacity,
      owner: owners.get(owner)!,
      isUnspendable: by === row.transaction_id && input === null,
      spent: isSpent ? { transactionHash: spender!, height: heightOf(by), timestamp: row.time! } : null,
    };
  });
}

interface ListQuery extends Window<number> {
  hash: string;
  side: Side;
}

/**
 * A page of what a transaction spends or creates. Its place is the index of the next row. Throws as `walkRange` and
 * `indexedTransaction` do.
 */
export const outputsOfTransaction: Query<ListQuery, Rows<OutputRow, number>> = {
  effort: "snapshot",
  *read(db, { hash, side, after: from = 0, limit, state }) {
    const { asOf } = yield* walkRange(db, {}, state);
    const id = yield* indexedTransaction(db, hash);
    const end = firstId(asOf.height + 1);
    const found = yield* outputsFrom(db, side, { id, from, limit: limit + 1, end });
    const rows = found.slice(0, limit);
    const last = rows.length === 0 ? null : from + rows.length;
    return { tip: yield* tip(db), asOf, rows, hasNext: found.length > limit, last };
  },
};

/** One output as of the tip. Throws NOT_FOUND as `refuseMissing` does if no indexed block creates or spends it. */
export const outputAt: Query<OutPoint, Omit<Rows<OutputRow>, "last">> = {
  effort: "snapshot",
  *read(db, { transactionHash, outputIndex: from }) {
    const { asOf } = yield* walkRange(db, {}, undefined);
    const id = (yield* transactionIds(db, [transactionHash])).get(transactionHash);
    if (id === undefined) return yield* refuseMissing(db);
    const end = firstId(asOf.height + 1);
    const rows = yield* outputsFrom(db, "outputs", { id, from, limit: 1, end });
    if (rows[0]?.outputIndex !== from) return yield* refuseMissing(db, id);
    return { tip: yield* tip(db), asOf, rows, hasNext: false };
  },
};

/** Outputs of transactions, spent or not, and what became of them. */
import type { AddressText } from "#lib/contract/ledger.ts";
import { ownersOf, transactionHashes } from "#lib/store/outputs.ts";
import { type Query, type Reader, tuples } from "#lib/store/query.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Dialect, statementWith } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import type { UtxoRow } from "../address-utxos/read.ts";
import { isUnspendable } from "../history.ts";
import { factsAt } from "../output-kinds.ts";
import { tokensById } from "../tokens.ts";
import { indexedTransaction } from "../transaction/read.ts";
import type { Rows, Window } from "../walk.ts";
import { tipDuring, walkRange } from "../walk-state.ts";

/** `height` is negative if the output's block is not indexed. Then an indexed block spends it. */
export interface OutputRow extends UtxoRow {
  owner: AddressText;
  /** Rows with the same spender share this object. */
  spent: { transactionHash: string; height: number; timestamp: number } | null;
  /** Nobody can ever spend it. */
  isUnspendable: boolean;
}

type Side = "inputs" | "outputs";
type Place = [createdBy: number, index: number, spentBy: number | null, input: number | null];
type Held = [tokenId: number, amount: string | null, capacity: string];
/** The hash is that of the transaction at the other end of the output, from the one that has it on this side. */
type Columns = [...Place, ...Held, address: number | string, hash: string | null, time: number | null];

/** Selects outputs from an index on, with what the function gives for the last three columns. */
const pages = (last: (sql: Dialect, otherEnd: string) => string) => {
  const page = (by: string, index: string, otherEnd: string) =>
    statementWith(["id", "from", "limit"])(
      (
        sql,
      ) => `SELECT o.transaction_id, o.output_index, o.spent_transaction_id, o.spent_input_index, o.token_id,
         CAST(o.amount AS TEXT) AS amount, CAST(o.capacity AS TEXT) AS capacity, ${last(sql, `o.${otherEnd}`)}
       FROM outputs o WHERE o.${by} = $id AND o.${index} >= CAST($from AS bigint)
       ORDER BY o.${index} LIMIT CAST($limit AS bigint)`,
    );
  return {
    inputs: page("spent_transaction_id", "spent_input_index", "transaction_id"),
    outputs: page("transaction_id", "output_index", "spent_transaction_id"),
  };
};
const PAGES = pages(
  (sql, otherEnd) => `(SELECT text FROM addresses WHERE ${sql.owner.own} = o.${sql.owner.column}) AS address,
    (SELECT ${sql.hex("hash")} FROM transactions WHERE id = ${otherEnd}) AS hash,
    (SELECT timestamp FROM blocks WHERE height = o.spent_transaction_id >> 20) AS time`,
);
/** With Citus, addresses and transactions are on other machines. */
const FAR_PAGES = pages((sql) => `o.${sql.owner.column} AS address, NULL AS hash, NULL AS time`);

/** Looks up what `FAR_PAGES` lacks. */
function* completed(db: Reader, side: Side, rows: Columns[]): Steps<Columns[]> {
  if (rows.length === 0) return rows;
  const owners = rows.map(([, , , , , , , owner]) => ({ owner }));
  const addresses = yield* ownersOf(db, owners);
  const others = rows.map(([createdBy, , spentBy]) => (side === "inputs" ? createdBy : spentBy));
  const known = others.filter((id) => id !== null);
  const hashes = yield* transactionHashes(db, known);
  const heights = rows.map(([, , spentBy]) => (spentBy === null ? -1 : heightOf(spentBy)));
  const facts = yield* factsAt(db, [...new Set(heights)]);
  const times = new Map(facts.map(({ height, timestamp }) => [height, timestamp]));
  return rows.map(([...row], i): Columns => {
    const other = others[i] ?? null;
    row[7] = addresses.get(row[7])!.text;
    row[8] = other === null ? null : hashes.get(other)!;
    row[9] = times.get(heights[i]!) ?? null;
    return row;
  });
}

interface PageQuery {
  id: number;
  hash: string;
  /** The first index. */
  from: number;
  limit: number;
  /** Outputs are spent if a transaction with an id below this one spends them. */
  end: number;
}

/** A page of what a transaction spends or creates. */
export function* outputsFrom(
  db: Reader,
  side: Side,
  { end, hash: own, ...page }: PageQuery,
): Steps<OutputRow[]> {
  const isFar = db.engine === "postgres" && db.distributed;
  const read = yield* tuples<Columns>(db, (isFar ? FAR_PAGES : PAGES)[side](page));
  const rows = isFar ? yield* completed(db, side, read) : read;
  const tokenIds = rows.map(([, , , , tokenId]) => tokenId);
  const tokens = yield* tokensById(db, tokenIds);
  const spenders = new Map<number, NonNullable<OutputRow["spent"]>>();
  return rows.map(
    ([createdBy, outputIndex, by, input, tokenId, amount, capacity, address, hash, time]): OutputRow => {
      const isSpent = by !== null && input !== null && by < end;
      if (isSpent && !spenders.has(by)) {
        const transactionHash = side === "inputs" ? own : hash!;
        spenders.set(by, { transactionHash, height: heightOf(by), timestamp: time! });
      }
      return {
        token: tokens.get(tokenId)!,
        height: heightOf(createdBy),
        transactionHash: side === "inputs" ? hash! : own,
        outputIndex,
        amount: amount ?? capacity,
        capacity,
        owner: { text: String(address) },
        isUnspendable: isUnspendable({ spentBy: by, transactionId: createdBy }),
        isSpent,
        spent: isSpent ? spenders.get(by)! : null,
      };
    },
  );
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
    const found = yield* outputsFrom(db, side, { id, hash, from, limit: limit + 1, end });
    const rows = found.slice(0, limit);
    const last = rows.length === 0 ? null : from + rows.length;
    return { tip: yield* tipDuring(db, asOf, state), asOf, rows, hasNext: found.length > limit, last };
  },
};

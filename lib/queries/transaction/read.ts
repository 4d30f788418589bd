import { chain } from "#lib/chains/chain.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { HORIZON_SQL, tip, toHorizon } from "#lib/store/common-queries.ts";
import { type OutputColumns, outputColumns, ownersOf } from "#lib/store/outputs.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import { type BlockHeader, type IndexTip, NATIVE_TOKEN_ID, type TokenRow } from "#lib/store/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { type AssetAmounts, movedFirst, sumsBetween } from "../block-transactions.ts";
import { blockAt, refuseBelowHorizon, refuseNotKept } from "../named-block.ts";
import { factsAt } from "../output-kinds.ts";
import { PIECE } from "../pieces.ts";
import { tokensById } from "../tokens.ts";

export interface TransactionPage {
  tip: IndexTip | null;
  hash: string;
  block: BlockHeader;
  /** Its place in the block. */
  index: number;
  /** Null if it is unknown. */
  fee: bigint | null;
  inputs: number;
  outputs: number;
  /** Whether all outputs that it spends are indexed. */
  isWhole: boolean;
  moved: AssetAmounts[];
  /** Number of assets beyond those in `moved`. */
  more: number;
}

/** Throws NOT_FOUND about a transaction that is not indexed, or an output of it; with the reason if it may not be kept. */
export function* refuseMissing(db: Reader, id = 0): Steps<never> {
  yield* refuseBelowHorizon(db, Math.max(heightOf(id), 0) - 1);
  throw new ApiError("NOT_FOUND");
}

const TRANSACTION = statementWith(["hash"])(
  (sql) =>
    `SELECT x.id, (${HORIZON_SQL}) AS horizon FROM transactions x WHERE ${sql.ofTransaction("x", "$hash")}`,
);

/** The id of an indexed transaction. Throws NOT_FOUND if there is none, or if what it spent and created is not kept. */
export function* indexedTransaction(db: Reader, hash: string): Steps<number> {
  const stored = TRANSACTION({ hash: toBytes(hash) });
  const row = yield* first<{ id: number; horizon: string | null }>(db, stored);
  if (!row || row.id < 0) return yield* refuseMissing(db);
  refuseNotKept(heightOf(row.id) - 1, toHorizon(row.horizon));
  return row.id;
}

/** A transaction, and at most `assets` of those that it moves. Throws as `indexedTransaction` does. */
export const transactionOf: Query<{ hash: string; assets: number }, TransactionPage> = {
  effort: "snapshot",
  *read(db, { hash, assets }) {
    const id = yield* indexedTransaction(db, hash);
    const block = (yield* blockAt(db, heightOf(id)))!;
    const sums = (yield* sumsBetween(db, id, id + 1)).get(id)!;
    const listed = yield* movedFirst(db, sums, assets);
    const ids = listed.map(([tokenId]) => tokenId);
    const tokens: ReadonlyMap<number, TokenRow> = yield* tokensById(db, ids);
    const native = sums.moved.get(NATIVE_TOKEN_ID) ?? { in: 0n, out: 0n };
    let fee: bigint | null = null;
    if (indexOf(id) === 0) fee = 0n;
    // A transaction that spends nothing, but is not the reward, takes amounts from outside the ledger.
    else if (sums.isWhole && sums.in > 0) {
      const interest = yield* interestPaid(db, id, sums.in);
      if (interest !== null) fee = native.in + interest - native.out;
    }
    const newest = yield* tip(db);
    yield* refuseBelowHorizon(db, block.height - 1);
    return {
      tip: newest,
      hash,
      block,
      index: indexOf(id),
      fee: fee === null || fee < 0n ? null : fee,
      inputs: sums.in,
      outputs: sums.out,
      isWhole: sums.isWhole,
      moved: listed.map(([tokenId, amounts]) => ({ token: tokens.get(tokenId)!, ...amounts })),
      more: sums.moved.size - listed.length,
    };
  },
};

const PAID_INPUTS = statementWith(["id", "from", "to", "kind"])(
  (sql) => `SELECT ${outputColumns(sql)} FROM outputs o
   WHERE o.spent_transaction_id = $id AND o.spent_input_index >= $from AND o.spent_input_index < $to
     AND o.kind LIKE $kind`,
);

/** What the chain pays on top of a transaction's inputs; null if it is unknown. */
function* interestPaid(db: Reader, id: number, inputs: number): Steps<bigint | null> {
  if (chain.paidWhenSpent === null) return 0n;
  const kind = `${chain.paidWhenSpent}@%`;
  let paid = 0n;
  for (let from = 0; from < inputs; from += PIECE) {
    if (from > 0) yield* done(db.pause());
    const rows: OutputColumns[] = yield* all(db, PAID_INPUTS({ id, from, to: from + PIECE, kind }));
    if (rows.length === 0) continue;
    const owners = yield* ownersOf(db, rows);
    const asOf = heightOf(id);
    const spent = rows.map(({ owner, transaction_id, kind, capacity }) => ({
      states: chain.outputStates(owners.get(owner)!),
      output: { kind, capacity, height: heightOf(transaction_id) },
    }));
    const heights = new Set(spent.flatMap(({ states, output }) => states.heightsFor(output, asOf)));
    const facts = new Map((yield* factsAt(db, [...heights])).map((block) => [block.height, block]));
    for (const { states, output } of spent) {
      const { compensation } = states.stateOf(output, asOf, (height) => facts.get(height));
      if (compensation === "") return null;
      paid += BigInt(compensation);
    }
  }
  return paid;
}

import { blockHashAt, horizon } from "#lib/store/common-queries.ts";
import type { Question } from "#lib/store/question.ts";
import { first, statement, toBytes } from "#lib/store/statement.ts";
import type { Tip } from "#lib/store/store.ts";
import { firstId } from "#lib/store/transaction-id.ts";

/** The tip at which an address was read. */
export interface Visit extends Tip {
  addressKey: string;
}

/** What transactions did to an address since. */
export interface SinceVisit {
  /** The chain left the block of the visit, and with it what was seen. */
  isReplaced: boolean;
  /** What is counted is not all: there are more transactions, or some are not kept. */
  isMore: boolean;
  /** At most `MOST_TRANSACTIONS`, the first ones: then the others are of these alone. */
  transactions: number;
  created: number;
  spent: number;
}

/** Transactions that are counted, at most. */
export const MOST_TRANSACTIONS = 1_000;

const SINCE = statement(
  "touches-since",
  (sql) => `SELECT count(*) AS transactions, CAST(coalesce(sum(created), 0) AS bigint) AS created,
     CAST(coalesce(sum(spent), 0) AS bigint) AS spent
   FROM (SELECT created, spent FROM touches WHERE ${sql.ofAddress("$1")} AND transaction_id >= CAST($2 AS bigint)
     ORDER BY transaction_id LIMIT ${MOST_TRANSACTIONS}) since`,
);

/** In the order of the visits. */
export const sinceVisits: Question<Visit[], SinceVisit[]> = {
  effort: "snapshot",
  *read(db, visits) {
    const found: SinceVisit[] = [];
    const kept = yield* horizon(db);
    for (const { addressKey, height, hash } of visits) {
      type Row = Omit<SinceVisit, "isReplaced" | "isMore">;
      const row = (yield* first<Row>(db, SINCE, toBytes(addressKey), firstId(height + 1)))!;
      const isMore = row.transactions === MOST_TRANSACTIONS || height < kept;
      found.push({ ...row, isMore, isReplaced: (yield* blockHashAt(db, height)) !== hash });
    }
    return found;
  },
};

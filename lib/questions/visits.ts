import { blockHashAt, horizon } from "#lib/store/common-queries.ts";
import type { Question } from "#lib/store/question.ts";
import { all, first, statement, toBytes } from "#lib/store/statement.ts";
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

export const MOST_TRANSACTIONS = 1_000;

const SINCE = statement(
  (sql) => `SELECT transaction_id AS id FROM touches
     WHERE ${sql.ofAddress("$1")} AND transaction_id >= CAST($2 AS bigint)
     ORDER BY transaction_id LIMIT ${MOST_TRANSACTIONS}`,
);
/** Outputs of the address that these transactions create, and that they spend. */
const COUNTS = statement((sql) => {
  const count = (by: string) => `(SELECT count(*) FROM outputs
    WHERE ${sql.isIn(by, "$2", "bigint")} AND ${sql.ofAddress("$1")} AND transaction_id >= 0)`;
  return `SELECT ${count("transaction_id")} AS created, ${count("spent_transaction_id")} AS spent`;
});

/** In the order of the visits. */
export const sinceVisits: Question<Visit[], SinceVisit[]> = {
  effort: "snapshot",
  *read(db, visits) {
    const found: SinceVisit[] = [];
    const kept = yield* horizon(db);
    for (const { addressKey, height, hash } of visits) {
      const key = toBytes(addressKey);
      const ids = (yield* all<{ id: number }>(db, SINCE, key, firstId(height + 1))).map(({ id }) => id);
      type Counts = Pick<SinceVisit, "created" | "spent">;
      const counts = (yield* first<Counts>(db, COUNTS, key, JSON.stringify(ids)))!;
      const isMore = ids.length === MOST_TRANSACTIONS || height < kept;
      const isReplaced = (yield* blockHashAt(db, height)) !== hash;
      found.push({ transactions: ids.length, ...counts, isMore, isReplaced });
    }
    return found;
  },
};

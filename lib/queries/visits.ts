import { blockHashAt, horizon, tip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { Tip } from "#lib/store/rows.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { forMoves, movedBy, touchedBy } from "./history.ts";
import { refuseIfReplaced, stateAt } from "./named-block.ts";

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

/** In the order of the visits. */
export const sinceVisits: Query<Visit[], SinceVisit[]> = {
  effort: "snapshot",
  *read(db, visits) {
    const found: SinceVisit[] = [];
    const kept = yield* horizon(db);
    const newest = yield* tip(db);
    const state = newest && (yield* stateAt(db, newest));
    for (const { addressKey, height, hash } of visits) {
      const from = firstId(height + 1);
      const ids = yield* touchedBy(db, { addressKey, from, to: Number.MAX_SAFE_INTEGER }, MOST_TRANSACTIONS);
      const counts = { created: 0, spent: 0 };
      const touches = { addressKey, from, to: (ids.at(-1) ?? from) + 1 };
      yield* forMoves(db, touches, movedBy, ({ created, spent }) => {
        counts.created += created.length;
        counts.spent += spent.length;
        return true;
      });
      const isMore = ids.length === MOST_TRANSACTIONS || height < kept;
      const isReplaced = (yield* blockHashAt(db, height)) !== hash;
      found.push({ transactions: ids.length, ...counts, isMore, isReplaced });
    }
    if (state) yield* refuseIfReplaced(db, state);
    return found;
  },
};

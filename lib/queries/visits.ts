import { blockHashAt, horizon } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { Tip } from "#lib/store/rows.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { forkBelow } from "./chain-progress.ts";
import { forMoves, movedBy, touchedBy } from "./history.ts";
import { refuseIfChanged, stateNow } from "./named-block.ts";

/** An address, and the tip at which it was last read. */
export interface Visit extends Tip {
  addressKey: string;
}

/** Numbers of transactions of an address since a visit, and of outputs that they created and spent. */
export interface SinceVisit {
  /** Whether the block of the visit was replaced. */
  isReplaced: boolean;
  /** Whether transactions are not counted: they are too many or not kept, or the block of the visit is unknown. */
  isMore: boolean;
  transactions: number;
  created: number;
  spent: number;
}

/** Maximum number of transactions to count for a visit. */
export const MAX_VISIT_TRANSACTIONS = 1_000;

/** Counts changes since each visit, or since the fork below its block if that was replaced, in the order of the visits. */
export const sinceVisits: Query<Visit[], SinceVisit[]> = {
  effort: "snapshot",
  *read(db, visits) {
    const found: SinceVisit[] = [];
    const horizonHeight = yield* horizon(db);
    const state = yield* stateNow(db);
    for (const { addressKey, height, hash } of visits) {
      const present = yield* blockHashAt(db, height);
      const fork = present === hash ? height : yield* forkBelow(db, { height, hash });
      const since = fork ?? height;
      const from = firstId(since + 1);
      const ids = yield* touchedBy(
        db,
        { addressKey, from, to: Number.MAX_SAFE_INTEGER },
        MAX_VISIT_TRANSACTIONS,
      );
      const counts = { created: 0, spent: 0 };
      const touches = { addressKeys: [addressKey], from, to: (ids.at(-1) ?? from) + 1 };
      yield* forMoves(db, touches, movedBy, ({ created, spent }) => {
        counts.created += created.length;
        counts.spent += spent.length;
        return true;
      });
      const isMore = ids.length === MAX_VISIT_TRANSACTIONS || fork === null || since < horizonHeight;
      // A block that this index does not have yet is not replaced.
      const isReplaced = present !== hash && (present !== null || fork !== null);
      found.push({ transactions: ids.length, ...counts, isMore, isReplaced });
    }
    if (state) yield* refuseIfChanged(db, state);
    return found;
  },
};

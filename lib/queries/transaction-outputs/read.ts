/** Lists what a transaction spends or creates. */
import type { Query, Reader } from "#lib/store/query.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import {
  type Found,
  type ListedOutput,
  outputsFrom,
  outputsInOne,
  type PageQuery,
  type Side,
} from "../listed-outputs.ts";
import { indexedTransaction } from "../transaction/read.ts";
import type { Rows, Window } from "../walk.ts";
import { tipDuring, type WalkState, walkStateAt } from "../walk-state.ts";

interface ListQuery extends Window<number> {
  hash: string;
  side: Side;
}

/** A page of one side. Its place is the index of the next row. Throws as `walkRange` and `indexedTransaction` do. */
export const outputsOfTransaction: Query<ListQuery, Rows<ListedOutput, number>> = {
  effort: "look-up",
  *read(db, { hash, side, after: from = 0, limit, state }) {
    const page = { hash, from, limit: limit + 1 };
    const found = (yield* outputsInOne(db, side, page, state)) ?? (yield* inSeveral(db, side, page, state));
    const rows = found.rows.slice(0, limit);
    const last = rows.length === 0 ? null : from + rows.length;
    return { ...found, rows, hasNext: found.rows.length > limit, last };
  },
};

function* inSeveral(db: Reader, side: Side, page: PageQuery, state?: WalkState): Steps<Found> {
  db.inOneState();
  const asOf = yield* walkStateAt(db, state);
  const id = yield* indexedTransaction(db, page.hash);
  const rows = yield* outputsFrom(db, side, { id, ...page }, firstId(asOf.height + 1));
  return { tip: yield* tipDuring(db, asOf, state), asOf, rows };
}

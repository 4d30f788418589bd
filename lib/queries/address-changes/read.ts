import type { z } from "zod";
import { tip } from "#lib/store/common-queries.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { outputTest } from "../address-utxos/filters.ts";
import { toRows, type UtxoRow } from "../address-utxos/read.ts";
import { type ChangeAt, changedBy, forMoves, type OwnedOutput } from "../history.ts";
import { refuseIfReplaced } from "../named-block.ts";
import type { Rows, Window } from "../walk.ts";
import { walkRange } from "../walk-state.ts";
import type { contract } from "./contract.ts";

/** The place of a change. */
export interface ChangePlace extends ChangeAt {
  /** Changes that were read beyond the place while one answer is written, up to `end`. */
  ahead?: { changes: readonly Change[]; end: ChangeAt } | undefined;
}

interface ChangeQuery
  extends Window<ChangePlace>,
    Omit<z.output<typeof contract.query>, "pageSize" | "cursor" | "include" | "value"> {
  addressKey: string;
}

export interface ChangeRow extends UtxoRow {
  change: "created" | "spent";
  changeHeight: number;
  changeTransaction: string;
}

type Change = OwnedOutput & ChangeAt;

/** Transactions that are looked up first: few, since each may have changed hundreds of outputs. */
const FIRST = 8;
/** Changes that are kept for the next piece of an answer, at most: otherwise they are read again. */
const MOST_AHEAD = 5_000;

const inOrder = (a: ChangeAt, b: ChangeAt) =>
  a.by - b.by || Number(a.created) - Number(b.created) || a.index - b.index;

/** Throws as `walkRange` does. */
export const changesOfAddress: Query<ChangeQuery, Rows<ChangeRow, ChangePlace>> = {
  effort: "snapshot",
  *read(db, { addressKey, token, from, to, after, limit, state, ...rest }) {
    exhaustive(rest);
    const range = yield* walkRange(db, { from, to }, state);
    const page = { tip: yield* tip(db), asOf: range.asOf };

    const known = after?.ahead;
    /** Changes up to this one were read. */
    const given: ChangeAt | undefined = known?.end ?? after;
    const first = given?.by ?? firstId(range.after + 1);

    const passes = yield* outputTest(db, { token });
    const read: Change[] = [...(known?.changes ?? [])];
    const end = firstId(range.to.height + 1);
    let readTo: ChangeAt = given ?? { by: first, created: false, index: -1 };
    if (read.length <= limit) {
      readTo = { by: end, created: false, index: -1 };
      const touches = { addressKey, from: Math.max(first, 0), to: end, enough: FIRST, after: given };
      yield* forMoves(db, touches, changedBy, ({ created, spent }, piece) => {
        const found = [
          ...created.map((output): Change => {
            return { ...output, by: output.transactionId, created: true, index: output.outputIndex };
          }),
          ...spent.map((output): Change => {
            return { ...output, by: output.spentBy!, created: false, index: output.spentInput! };
          }),
        ].filter((change) => passes(change) && (!given || inOrder(given, change) < 0));
        for (const change of found.sort(inOrder)) read.push(change);
        if (read.length <= limit) return true;
        readTo = piece.end;
        return false;
      });
    }

    const hasNext = read.length > limit;
    const changes = read.slice(0, limit);
    const outputs = yield* toRows(db, changes);
    const ids = changes.map((change) => change.by);
    const by = yield* transactionHashes(db, ids);
    const rows = changes.map(
      (change, at): ChangeRow => ({
        ...outputs[at]!,
        change: change.created ? "created" : "spent",
        changeHeight: heightOf(change.by),
        changeTransaction: by.get(change.by)!,
      }),
    );
    const tail = changes.at(-1);
    const last = tail && {
      by: tail.by,
      created: tail.created,
      index: tail.index,
      ahead: read.length - limit > MOST_AHEAD ? undefined : { changes: read.slice(limit), end: readTo },
    };
    yield* refuseIfReplaced(db, range.to, heightOf(Math.max(first, 0)) - 1);
    return { ...page, rows, hasNext, last: last ?? null };
  },
};

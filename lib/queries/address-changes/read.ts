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

/** The place of a change, after which a page begins. */
export interface ChangePlace extends ChangeAt {
  /** While a response is streamed: changes after the place, up to `end`, that have been read. */
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

/** Transactions of the first look-up: few, because each may have changed hundreds of outputs. */
const FIRST = 8;
/** The most changes to keep in memory for the next piece of a response. More than this are read again. */
const MOST_AHEAD = 5_000;

const inOrder = (a: ChangeAt, b: ChangeAt) =>
  a.by - b.by || Number(a.created) - Number(b.created) || a.index - b.index;

const created = (output: OwnedOutput): Change => {
  return { ...output, by: output.transactionId, created: true, index: output.outputIndex };
};
const spent = (output: OwnedOutput): Change => {
  return { ...output, by: output.spentBy!, created: false, index: output.spentInput! };
};

/** Throws as `walkRange` does. */
export const changesOfAddress: Query<ChangeQuery, Rows<ChangeRow, ChangePlace>> = {
  effort: "snapshot",
  *read(db, { addressKey, token, from, to, after, limit, state, ...rest }) {
    exhaustive(rest);
    const range = yield* walkRange(db, { from, to }, state);
    const newest = yield* tip(db);
    const passes = yield* outputTest(db, { token });

    const start: ChangeAt | undefined = after?.ahead?.end ?? after;
    const first = start?.by ?? firstId(range.after + 1);
    const end = firstId(range.to.height + 1);
    const read: Change[] = [...(after?.ahead?.changes ?? [])];
    let readTo: ChangeAt = start ?? { by: end, created: false, index: -1 };
    if (read.length <= limit) {
      readTo = { by: end, created: false, index: -1 };
      const touches = { addressKey, from: first, to: end, enough: FIRST, after: start };
      yield* forMoves(db, touches, changedBy, (moved, piece) => {
        const found = [...moved.created.map(created), ...moved.spent.map(spent)].filter(
          (change) => passes(change) && (!start || inOrder(start, change) < 0),
        );
        read.push(...found.sort(inOrder));
        if (read.length <= limit) return true;
        readTo = piece.end;
        return false;
      });
    }

    const changes = read.slice(0, limit);
    const outputs = yield* toRows(db, changes);
    const hashes = yield* transactionHashes(
      db,
      changes.map(({ by }) => by),
    );
    yield* refuseIfReplaced(db, range.to, heightOf(first) - 1);
    const left = read.slice(limit);
    const ahead = left.length > MOST_AHEAD ? undefined : { changes: left, end: readTo };
    const tail = changes.at(-1);
    return {
      tip: newest,
      asOf: range.asOf,
      rows: changes.map((change, i) => ({
        ...outputs[i]!,
        change: change.created ? "created" : "spent",
        changeHeight: heightOf(change.by),
        changeTransaction: hashes.get(change.by)!,
      })),
      hasNext: left.length > 0,
      last: tail ? { by: tail.by, created: tail.created, index: tail.index, ahead } : null,
    };
  },
};

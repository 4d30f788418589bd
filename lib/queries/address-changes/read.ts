import type { z } from "zod";
import { tip } from "#lib/store/common-queries.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import { toHex } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { outputTest } from "../address-utxos/filters.ts";
import { toRows, type UtxoRow } from "../address-utxos/read.ts";
import {
  type ChangeAt,
  type ChangedOutput,
  changedBy,
  forMoves,
  isSpentIn,
  isUnspendable,
} from "../history.ts";
import { refuseIfChanged } from "../named-block.ts";
import type { Rows, Window } from "../walk.ts";
import { type Ahead, unlessReverted, walkRange } from "../walk-state.ts";
import type { contract } from "./contract.ts";

/** The place of a change, after which a page begins. */
export interface ChangePlace extends ChangeAt {
  /** While a response is streamed: changes after the place, up to `end`, that have been read. */
  ahead?: (Ahead & { changes: readonly Change[]; end: ChangeAt }) | undefined;
}

interface ChangeQuery
  extends Window<ChangePlace>,
    Partial<Omit<z.output<typeof contract.query>, "pageSize" | "cursor" | "include" | "value">> {
  addressKeys: readonly string[];
}

export interface ChangeRow extends UtxoRow {
  /** The key of the address. */
  owner: string;
  change: "created" | "spent";
  changeHeight: number;
  changeTransaction: string;
}

type Change = ChangedOutput & ChangeAt;

/** Transactions of the first look-up: few, because each may have changed hundreds of outputs. */
const FIRST = 8;
/** Later look-ups read this many times the estimated need. */
const MARGIN = 1.25;

const oldestFirst = (a: ChangeAt, b: ChangeAt) =>
  a.by - b.by || Number(a.created) - Number(b.created) || a.index - b.index;

const created = (output: ChangedOutput): Change => {
  return { ...output, by: output.transactionId, created: true, index: output.outputIndex };
};
const spent = (output: ChangedOutput): Change => {
  return { ...output, by: output.spentBy!, created: false, index: output.spentInput! };
};

/** The changes of all these addresses, as of one state and in one order. Throws as `walkRange` does. */
export const changesOfAddresses: Query<ChangeQuery, Rows<ChangeRow, ChangePlace>> = {
  effort: "snapshot",
  *read(db, { addressKeys, token, from, to, order, after, limit, state, ...rest }) {
    exhaustive(rest);
    const range = yield* walkRange(db, { from, to }, state);
    const newest = yield* tip(db);
    const passes = yield* outputTest(db, { token });
    const isAsc = order === undefined;
    const inOrder = isAsc ? oldestFirst : (a: ChangeAt, b: ChangeAt) => oldestFirst(b, a);

    const given = unlessReverted(after?.ahead, range);
    const start: ChangeAt | undefined = given?.end ?? after;
    const ids = { from: firstId(range.after + 1), to: firstId(range.to.height + 1) };
    const whole: ChangeAt = isAsc
      ? { by: ids.to, created: false, index: -1 }
      : { by: ids.from - 1, created: true, index: Number.MAX_SAFE_INTEGER };
    if (start && isAsc) ids.from = start.by;
    else if (start) ids.to = start.by + 1;
    const read: Change[] = [...(given?.changes ?? [])];
    let readTo = start ?? whole;
    if (read.length <= limit) {
      readTo = whole;
      const ahead = read.length;
      // With few changes at the end of a dense list, the estimate alone would lead to ever more look-ups.
      const next = (used: number) =>
        Math.max(
          2 * used,
          Math.ceil((MARGIN * used * (limit + 1 - read.length)) / (read.length - ahead || 1)),
        );
      const touches = { addressKeys, ...ids, order, enough: FIRST, next, after: start };
      yield* forMoves(db, touches, changedBy, (moved, piece) => {
        const found = [...moved.created.map(created), ...moved.spent.map(spent)].filter(
          (change) => passes(change) && !isUnspendable(change) && (!start || inOrder(start, change) < 0),
        );
        read.push(...found.sort(inOrder));
        if (read.length <= limit) return true;
        readTo = piece.end;
        return false;
      });
    }

    const changes = read.slice(0, limit);
    const transactionIds = changes.flatMap(({ by, transactionId }) => [by, transactionId]);
    const hashes = yield* transactionHashes(db, transactionIds);
    const hashed = changes.map((one) => ({ ...one, transactionHash: hashes.get(one.transactionId)! }));
    const outputs = yield* toRows(db, hashed);
    yield* refuseIfChanged(db, range.to, heightOf(ids.from) - 1);
    const left = read.slice(limit);
    const { reverts } = range;
    const ahead = { changes: left, end: readTo, reverts, size: left.length };
    const tail = changes.at(-1);
    return {
      tip: newest,
      asOf: range.asOf,
      rows: changes.map((change, i) => ({
        ...outputs[i]!,
        isSpent: isSpentIn(change, 0, firstId(range.to.height + 1)),
        owner: toHex(change.owner),
        change: change.created ? "created" : "spent",
        changeHeight: heightOf(change.by),
        changeTransaction: hashes.get(change.by)!,
      })),
      hasNext: left.length > 0,
      last: tail ? { by: tail.by, created: tail.created, index: tail.index, ahead } : null,
    };
  },
};

import type { z } from "zod";
import { exhaustive } from "#lib/contract/exhaustive.ts";
import { blockHashAt, tip } from "#lib/store/common-queries.ts";
import { transactionHashes } from "#lib/store/outputs.ts";
import type { Question } from "#lib/store/question.ts";
import type { Position } from "#lib/store/store.ts";
import { firstId, heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { boundOf, placeNow } from "../address-utxos/position.ts";
import { toRows, type UtxoRow } from "../address-utxos/read.ts";
import { type ChangeAt, changedBy, forMoves, type OwnedOutput } from "../history.ts";
import { rangeBetween, refuseIfReplaced } from "../named-block.ts";
import { isOfToken } from "../tokens.ts";
import type { Rows, Window } from "../walk.ts";
import type { contract } from "./contract.ts";

/** The place of a change: `outputIndex` is the place among the outputs of its transaction, or among the inputs. */
export interface ChangePlace extends Position {
  created: boolean;
  /** What was read beyond the place, while one answer is written: up to `end`. */
  ahead?: { changes: readonly Change[]; end: ChangeAt } | undefined;
}

interface ChangeQuery
  extends Window<ChangePlace>,
    Omit<z.output<typeof contract.query>, "pageSize" | "cursor"> {
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

/** Throws NOT_FOUND and BAD_REQUEST as `rangeBetween` does, and PositionAheadError as `utxosOfAddress` does. */
export const changesOfAddress: Question<ChangeQuery, Rows<ChangeRow, ChangePlace>> = {
  effort: "snapshot",
  *read(db, { addressKey, token, from, to, after, limit, ...rest }) {
    exhaustive(rest);
    const range = yield* rangeBetween(db, { from, to });
    const newest = yield* tip(db);
    const page = { tip: newest, asOf: { height: range.to.height, hash: range.to.hash } };

    let first = firstId(range.after + 1);
    /** Changes up to this one were read. */
    let given: ChangeAt | undefined;
    const { given: resumed, isSame } = yield* placeNow(db, after);
    const known = isSame ? after?.ahead : undefined;
    if (known) {
      given = known.end;
      first = given.by;
    } else if (after && resumed) {
      // Otherwise everything up to a fork was given.
      const isPlace = resumed.id === boundOf(after).id;
      if (isPlace) given = { by: resumed.id, created: after.created, index: after.outputIndex };
      first = Math.max(first, isPlace ? resumed.id : resumed.id + 1);
    }

    const isListed = yield* isOfToken(db, token);
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
        ].filter((change) => isListed(change.tokenId) && (!given || inOrder(given, change) < 0));
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
    const last = tail &&
      newest && {
        height: heightOf(tail.by),
        transactionIndex: indexOf(tail.by),
        outputIndex: tail.index,
        created: tail.created,
        blockHash: (yield* blockHashAt(db, heightOf(tail.by))) ?? "",
        readAt: { height: newest.height, hash: newest.hash },
        ahead: read.length - limit > MOST_AHEAD ? undefined : { changes: read.slice(limit), end: readTo },
      };
    yield* refuseIfReplaced(db, range.to, heightOf(Math.max(first, 0)) - 1);
    return { ...page, rows, hasNext, last: last ?? null };
  },
};

/** What an address held of each token, after any block. */
import { tip } from "#lib/store/common-queries.ts";
import type { Reader } from "#lib/store/question.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, statement, toBytes } from "#lib/store/statement.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { forTouches, outputsCreatedBy } from "./history.ts";

/** The sums of an address's outputs of one token. */
export interface Held {
  tokenId: number;
  outputCount: number;
  /** In the token's smallest unit; of the native asset, the capacity of the outputs without a token. */
  amount: bigint;
  capacity: bigint;
}

const HELD = statement(
  "held",
  (sql) => `SELECT token_id AS "tokenId", output_count AS "outputCount",
     CAST(amount AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
   FROM holdings WHERE ${sql.ofAddress("$1")} AND output_count > 0`,
);
type HeldRow = Pick<Held, "tokenId" | "outputCount"> & { amount: string; capacity: string };

/**
 * By token, what transactions with ids below `end` left. It may give way: then it holds only if the chain still has the block
 * below `end`.
 */
export function* heldBefore(db: Reader, addressKey: string, end: number): Steps<Map<number, Held>> {
  const held = new Map<number, Held>();
  const newest = yield* tip(db);
  if (newest && end === firstId(newest.height + 1)) {
    const rows = yield* all<HeldRow>(db, HELD, toBytes(addressKey));
    // Where each statement sees a state of its own, they may be of another tip.
    if ((yield* tip(db))?.hash === newest.hash) {
      for (const { amount, capacity, ...row } of rows)
        held.set(row.tokenId, { ...row, amount: BigInt(amount), capacity: BigInt(capacity) });
      return held;
    }
  }
  const touches = { addressKey, from: 0, to: end, order: "asc", aliveAt: end } as const;
  yield* forTouches(db, touches, function* (ids) {
    for (const { tokenId, spentBy, amount, capacity } of yield* outputsCreatedBy(db, addressKey, ids)) {
      if (spentBy !== null && spentBy < end) continue;
      const sums = held.get(tokenId) ?? { tokenId, outputCount: 0, amount: 0n, capacity: 0n };
      sums.outputCount += 1;
      sums.amount += BigInt(amount);
      sums.capacity += BigInt(capacity);
      held.set(tokenId, sums);
    }
    return true;
  });
  return held;
}

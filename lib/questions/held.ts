/** What an address held of each token, after any block. */

import { tip } from "#lib/store/common-queries.ts";
import type { Reader } from "#lib/store/question.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, statement, toBytes } from "#lib/store/statement.ts";
import type { Tip } from "#lib/store/store.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import { forTouches, isSpentIn, outputsCreatedBy } from "./history.ts";
import { refuseIfReplaced } from "./named-block.ts";

/** The sums of an address's outputs of one token. */
export interface Held {
  tokenId: number;
  outputCount: number;
  /** In the token's smallest unit; of the native asset, the capacity of the outputs without a token. */
  amount: bigint;
  capacity: bigint;
}

const HELD = statement(
  (sql) => `SELECT token_id AS "tokenId", output_count AS "outputCount",
     CAST(amount AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
   FROM holdings WHERE ${sql.ofAddress("$1")} AND output_count > 0`,
);
const HELD_STILL = statement(
  (sql) => `SELECT token_id AS "tokenId", CAST(count(*) AS integer) AS "outputCount",
     ${sql.sum("coalesce(amount, capacity)")} AS amount, ${sql.sum("capacity")} AS capacity
   FROM live_outputs WHERE ${sql.ofAddress("$1")} AND transaction_id < CAST($2 AS bigint) GROUP BY token_id`,
);
type HeldRow = Pick<Held, "tokenId" | "outputCount"> & { amount: string; capacity: string };

/** By token, what transactions with ids below `end` left. It may give way. Throws as `refuseIfReplaced` does. */
export function* heldBefore(db: Reader, addressKey: string, end: number): Steps<Map<number, Held>> {
  const held = new Map<number, Held>();
  const add = ({ tokenId, outputCount, amount, capacity }: HeldRow) => {
    const sums = held.get(tokenId) ?? { tokenId, outputCount: 0, amount: 0n, capacity: 0n };
    sums.outputCount += outputCount;
    sums.amount += BigInt(amount);
    sums.capacity += BigInt(capacity);
    held.set(tokenId, sums);
  };
  const key = toBytes(addressKey);
  let newest: Tip | null;
  let rows: HeldRow[];
  // Where each statement sees a state of its own, they may be of another tip.
  do {
    newest = yield* tip(db);
    if (!newest) return held;
    rows =
      end === firstId(newest.height + 1)
        ? yield* all<HeldRow>(db, HELD, key)
        : yield* all<HeldRow>(db, HELD_STILL, key, end);
  } while ((yield* tip(db))?.hash !== newest.hash);
  for (const row of rows) add(row);

  const newestEnd = firstId(newest.height + 1);
  const touches = { addressKey, from: 0, to: end, spentFrom: end };
  if (end < newestEnd) {
    yield* forTouches(db, touches, function* (ids) {
      for (const output of yield* outputsCreatedBy(db, addressKey, ids)) {
        // What is spent above was live when the others were read.
        if (isSpentIn(output, end, newestEnd)) add({ ...output, outputCount: 1 });
      }
      return true;
    });
    yield* refuseIfReplaced(db, newest, heightOf(end) - 1);
  }
  return held;
}

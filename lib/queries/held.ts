/** Sums what addresses held after any block, by token. */

import type { Reader } from "#lib/store/query.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, type Dialect, first, statementWith, toBytes } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import type { Bound } from "./address-utxos/position.ts";
import { createdBy, forMoves, isSpentIn, type OwnedOutput } from "./history.ts";
import { isSame, refuseIfReplaced, type State, stateNow } from "./named-block.ts";
import { outputCount } from "./output-ages.ts";
import { PIECE } from "./pieces.ts";

/** The sums of an address's outputs of one token. */
export interface Held {
  tokenId: number;
  outputCount: number;
  /** In the token's smallest unit. For the native asset, the capacity of the outputs without a token. */
  amount: bigint;
  capacity: bigint;
}

const HELD = statementWith(["address", "after", "limit"])(
  (sql) => `SELECT token_id AS "tokenId", output_count AS "outputCount",
     CAST(amount AS TEXT) AS amount, CAST(capacity AS TEXT) AS capacity
   FROM holdings WHERE ${sql.ofAddress("$address")} AND token_id > $after AND output_count > 0
   ORDER BY token_id LIMIT CAST($limit AS bigint)`,
);
/** Live outputs that SQLite sums at once, which takes about 5 ms. PostgreSQL sums all of them. */
const SUMMED = 10_000;
/** Selects from a place up to an id. With CASTs around the place, SQLite would not search by both of its columns. */
const live = (sql: Dialect, columns: string) => `SELECT ${columns} FROM live_outputs
  WHERE ${sql.ofAddress("$address")} AND (transaction_id, output_index) >= ($id, $index) AND transaction_id < CAST($end AS bigint)
  ORDER BY transaction_id, output_index`;
const inLive = statementWith(["address", "id", "index", "end"]);
const heldStill = (limit: string) =>
  inLive(
    (sql) => `SELECT token_id AS "tokenId", CAST(count(*) AS integer) AS "outputCount",
       ${sql.sum("coalesce(amount, capacity)")} AS amount, ${sql.sum("capacity")} AS capacity
     FROM (${live(sql, "token_id, amount, capacity")} ${limit}) live GROUP BY token_id`,
  );
const HELD_STILL = heldStill("");
const SOME_HELD_STILL = heldStill(`LIMIT ${SUMMED}`);
/** Selects the place of the output after those. */
const NEXT_LIVE = inLive(
  (sql) => `${live(sql, `transaction_id AS id, output_index AS "index"`)} LIMIT 1 OFFSET ${SUMMED}`,
);
type HeldRow = Pick<Held, "tokenId" | "outputCount"> & { amount: string; capacity: string };

function add(held: Map<number, Held>, { tokenId, outputCount, amount, capacity }: HeldRow): void {
  const sums = held.get(tokenId) ?? { tokenId, outputCount: 0, amount: 0n, capacity: 0n };
  sums.outputCount += outputCount;
  sums.amount += BigInt(amount);
  sums.capacity += BigInt(capacity);
  held.set(tokenId, sums);
}

/**
 * Returns, by token, what the addresses held after the transactions with ids below `end`. It may yield to other requests.
 * Throws as `refuseIfReplaced` does.
 */
export function* heldBefore(
  db: Reader,
  addressKeys: readonly string[],
  end: number,
): Steps<Map<number, Held>> {
  const state = yield* stateNow(db);
  if (!state || end <= 0) return new Map();
  const held = end === firstId(state.height + 1) ? yield* heldAt(db, addressKeys, state) : null;
  if (held) return held;
  // PostgreSQL reads everything in one snapshot.
  return yield* heldBelow(db, addressKeys, end, db.engine === "postgres" ? state : null);
}

/** Holdings as of the tip, or null if blocks come or go before all are read. */
function* heldAt(db: Reader, addressKeys: readonly string[], state: State): Steps<Map<number, Held> | null> {
  const held = new Map<number, Held>();
  let left = PIECE;
  for (const key of addressKeys) {
    for (let after = -1; ; ) {
      const rows = yield* all<HeldRow>(db, HELD({ address: toBytes(key), after, limit: PIECE }));
      if (db.engine === "sqlite" && !isSame(yield* stateNow(db), state)) return null;
      for (const row of rows) add(held, row);
      left -= rows.length;
      if (left <= 0) {
        yield* done(db.pause());
        left = PIECE;
      }
      if (rows.length < PIECE) break;
      after = rows.at(-1)!.tokenId;
    }
  }
  return held;
}

/** `known`: the state that every statement sees, if it is one. */
function* heldBelow(
  db: Reader,
  addressKeys: readonly string[],
  end: number,
  known: State | null,
): Steps<Map<number, Held>> {
  const held = new Map<number, Held>();
  const states = new Set<State>();
  for (const key of addressKeys) {
    if (states.size > 0) yield* done(db.pause());
    for (const { state } of yield* addBelow(db, held, key, end, known)) states.add(state);
  }
  for (const state of states) yield* refuseIfReplaced(db, state, heightOf(end) - 1);
  return held;
}

/** Where a read of live outputs began, and the state that it saw from there on. */
type ReadFrom = Bound & { state: State };

/** Adds the address's outputs that are live still, and those that were spent since. */
function* addBelow(
  db: Reader,
  held: Map<number, Held>,
  addressKey: string,
  end: number,
  known: State | null,
): Steps<ReadFrom[]> {
  const address = toBytes(addressKey);
  const read: ReadFrom[] = [];
  const isWhole = db.engine === "postgres" || (yield* outputCount.read(db, addressKey)) <= SUMMED;
  let place: Bound | undefined = { id: 0, index: 0 };
  while (place) {
    const { id, index }: Bound = place;
    // After a pause, each statement may see another state.
    const state: State = known ?? (yield* stateNow(db))!;
    const values: Bound & { address: Uint8Array; end: number } = { address, id, index, end };
    const rows: HeldRow[] = yield* all<HeldRow>(db, (isWhole ? HELD_STILL : SOME_HELD_STILL)(values));
    const next: Bound | undefined = isWhole ? undefined : yield* first<Bound>(db, NEXT_LIVE(values));
    if (!known && !isSame(yield* stateNow(db), state)) continue;
    for (const row of rows) add(held, row);
    const last = read.at(-1);
    if (!last || !isSame(last.state, state)) read.push({ id, index, state });
    place = next;
    if (place) yield* done(db.pause());
  }

  // An output that was spent above this state was still live when live outputs were read.
  const readAt = ({ transactionId, outputIndex }: OwnedOutput) =>
    read.findLast(({ id, index }) => id < transactionId || (id === transactionId && index <= outputIndex))!
      .state;
  if (end < firstId(read.at(-1)!.state.height + 1)) {
    const touches = { addressKeys: [addressKey], from: 0, to: end, spentFrom: end };
    yield* forMoves(db, touches, createdBy, (created) => {
      for (const output of created) {
        const newestEnd = firstId(readAt(output).height + 1);
        if (isSpentIn(output, end, newestEnd)) add(held, { ...output, outputCount: 1 });
      }
      return true;
    });
  }
  return read;
}

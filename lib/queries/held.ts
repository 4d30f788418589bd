/** Sums what addresses held after any block, by token. */

import type { Reader } from "#lib/store/query.ts";
import { NATIVE_TOKEN_ID } from "#lib/store/rows.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, type Dialect, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import { firstId, heightOf } from "#lib/store/transaction-id.ts";
import type { Bound } from "./address-utxos/position.ts";
import { createdBy, forMoves, isSpentIn, type OwnedOutput, ofAddresses } from "./history.ts";
import { isSame, refuseIfChanged, type State, stateNow } from "./named-block.ts";
import { PIECE } from "./pieces.ts";

/** The sums of an address's outputs of one token. */
export interface HeldSum {
  tokenId: number;
  outputCount: number;
  /** In the token's smallest unit. For the native asset, the capacity of the outputs without a token. */
  amount: bigint;
  capacity: bigint;
}

/** Live outputs that SQLite sums at once, which takes about 5 ms. PostgreSQL sums all of them. */
const SUMMED = 20_000;
/** Selects from a place up to an id. With CASTs around the place, SQLite would not search by both of its columns. */
const live = (sql: Dialect, columns: string) => `SELECT ${columns} FROM live_outputs
  WHERE ${sql.ofAddress("$address")} AND (transaction_id, output_index) >= ($id, $index) AND transaction_id < CAST($end AS bigint)
  ORDER BY transaction_id, output_index`;
const inLive = statementWith(["address", "id", "index", "end"]);
const ofSome = statementWith(["address?", "addresses?", "end?", "after?", "limit?"]);
/** An expression in SQL that sums up a column as text. */
type Sum = (column: string) => string;
const heldIn = (sum: Sum, token: string, amount: string, rows: string) => `SELECT ${token} AS "tokenId",
   CAST(count(*) AS integer) AS "outputCount", ${amount} AS amount, ${sum("capacity")} AS capacity FROM ${rows}`;
/** Statements that read what addresses hold now, and sum up their live outputs below an id and from it on. */
const sumsOf = (owners: (sql: Dialect) => string, isOne: boolean, sumIn: (sql: Dialect) => Sum) => {
  // SQLite sorts what it groups, so the native asset is summed up by itself.
  const side = (compared: string) =>
    ofSome((sql) => {
      const sum = sumIn(sql);
      const rows = `live_outputs WHERE ${owners(sql)} AND transaction_id ${compared} CAST($end AS bigint)`;
      // The sign keeps SQLite from an index that has no amounts.
      const [native, others] = ["=", "<>"].map((sign) => `${rows} AND +token_id ${sign} ${NATIVE_TOKEN_ID}`);
      return `${heldIn(sum, `${NATIVE_TOKEN_ID}`, "NULL", native!)} HAVING count(*) > 0
        UNION ALL ${heldIn(sum, "token_id", sum("amount"), others!)} GROUP BY token_id`;
    });
  const now = ofSome((sql) => {
    const [count, total, group] = isOne
      ? ["output_count", (column: string) => `CAST(${column} AS TEXT)`, ""]
      : ["CAST(sum(output_count) AS integer)", sumIn(sql), "GROUP BY token_id"];
    return `SELECT token_id AS "tokenId", ${count} AS "outputCount", ${total("amount")} AS amount, ${total("capacity")} AS capacity
     FROM holdings WHERE ${owners(sql)} AND token_id > $after AND output_count > 0
     ${group} ORDER BY token_id LIMIT CAST($limit AS bigint)`;
  });
  return { now, below: side("<"), above: side(">=") };
};
const statementsOf = (sumIn: (sql: Dialect) => Sum) => ({
  ofOne: sumsOf((sql) => sql.ofAddress("$address"), true, sumIn),
  ofSeveral: sumsOf(ofAddresses, false, sumIn),
  someHeldStill: inLive((sql) => {
    const sum = sumIn(sql);
    const some = `(${live(sql, "token_id, amount, capacity")} LIMIT ${SUMMED}) live`;
    return `${heldIn(sum, "token_id", sum("coalesce(amount, capacity)"), some)} GROUP BY token_id`;
  }),
});
const ANY = statementsOf((sql) => sql.sum);
/** SQLite's own sums take two thirds of the time, and end at 64 bits. */
const SMALL = statementsOf(() => (column) => `CAST(sum(${column}) AS TEXT)`);
/** @param areSmall whether all sums are below 2^63 */
const statementsFor = (addressKeys: readonly string[], areSmall: boolean) => {
  const { ofOne, ofSeveral, someHeldStill } = areSmall ? SMALL : ANY;
  return {
    of: addressKeys.length === 1 ? ofOne : ofSeveral,
    someHeldStill,
    owners: { address: toBytes(addressKeys[0]!), addresses: JSON.stringify(addressKeys) },
  };
};
/** Selects the place of the first output that has not been summed up. */
const NEXT_LIVE = inLive(
  (sql) => `${live(sql, `transaction_id AS id, output_index AS "index"`)} LIMIT 1 OFFSET ${SUMMED}`,
);
/** Without an amount, it is the capacity. */
interface HeldRow extends Pick<HeldSum, "tokenId" | "outputCount"> {
  amount: string | bigint | null;
  capacity: string | bigint;
}

function add(held: Map<number, HeldSum>, rows: Iterable<HeldRow>, sign = 1): void {
  for (const { tokenId, outputCount, amount, capacity } of rows) {
    const sums = held.get(tokenId) ?? { tokenId, outputCount: 0, amount: 0n, capacity: 0n };
    sums.outputCount += sign * outputCount;
    sums.amount += BigInt(sign) * BigInt(amount ?? capacity);
    sums.capacity += BigInt(sign) * BigInt(capacity);
    held.set(tokenId, sums);
  }
}

/**
 * Returns, by token, what the addresses held after the transactions with ids below `end`. It may yield to other requests.
 * Throws as `refuseIfChanged` does.
 */
export function* heldBefore(
  db: Reader,
  addressKeys: readonly string[],
  end: number,
): Steps<Map<number, HeldSum>> {
  const newest = yield* stateNow(db);
  if (!newest || end <= 0) return new Map();
  const isAtTip = end === firstId(newest.height + 1);
  // PostgreSQL reads everything in one snapshot.
  const known = db.engine === "postgres" ? newest : null;
  const held = new Map<number, HeldSum>();
  const states = new Set<State>();
  let sinceWait = 0;
  for (const { keys, isCurrent, work, size } of yield* together(db, addressKeys, end, isAtTip)) {
    if (sinceWait > 0 && sinceWait + work > SUMMED) {
      yield* done(db.pause());
      sinceWait = 0;
    }
    sinceWait += work;
    const areSmall = size < MAX_SMALL;
    const now = isCurrent ? yield* heldNow(db, keys, newest, areSmall) : null;
    if (now) {
      add(held, now);
      if (!isAtTip) states.add(newest);
      continue;
    }
    // Blocks came or went meanwhile, and each of these may have many outputs.
    const groups = isCurrent ? keys.map((key) => [key]) : [keys];
    const isWhole = db.engine === "postgres" || (!isCurrent && work <= SUMMED);
    for (const group of groups) {
      const options = { known, smallAt: areSmall ? newest : null, isWhole };
      for (const { state } of yield* addBelow(db, held, group, end, options)) states.add(state);
    }
  }
  for (const state of states) yield* refuseIfChanged(db, state, heightOf(end) - 1);
  for (const [tokenId, { outputCount }] of held) if (outputCount === 0) held.delete(tokenId);
  return held;
}

/** Holdings of addresses as of the newest state, or null if blocks come or go before all are read. */
function* heldNow(
  db: Reader,
  keys: readonly string[],
  state: State,
  areSmall: boolean,
): Steps<HeldRow[] | null> {
  const { of, owners } = statementsFor(keys, areSmall);
  const held: HeldRow[] = [];
  for (let after = -1; ; ) {
    // Later blocks may make the sums larger.
    if (areSmall && !isSame(yield* stateNow(db), state)) return null;
    const rows = yield* all<HeldRow>(db, of.now({ ...owners, after, limit: PIECE }));
    if (db.engine === "sqlite" && !isSame(yield* stateNow(db), state)) return null;
    held.push(...rows);
    if (rows.length < PIECE) return held;
    after = rows.at(-1)!.tokenId;
    yield* done(db.pause());
  }
}

/** Addresses that are read at once. */
interface Group {
  keys: string[];
  /** No transaction has touched them since, so they hold now what they held then. */
  isCurrent: boolean;
  /** Counted in outputs. */
  work: number;
  /** On SQLite about the sum of all numbers that they hold now, so what they hold of older outputs is less. */
  size: number;
}

/**
 * For each address the last transaction that touched it, the work of reading what it holds now, and what it held before, and
 * on SQLite about the sum of all numbers that it holds.
 */
const READ_FOR = statementWith(["addresses"])((sql) => {
  const ofOne = `WHERE ${sql.owner.column} = a.${sql.owner.primaryKey}`;
  return `SELECT a.key, (SELECT max(transaction_id) FROM touches ${ofOne}) AS latest,
       (SELECT 4 * count(*) FROM holdings ${ofOne}) AS now,
       CAST((SELECT coalesce(sum(output_count + 4), 0) FROM holdings ${ofOne})
         + 64 * (SELECT count(*) FROM touch_runs ${ofOne}) AS bigint) AS before,
       ${sql.engine === "sqlite" ? `(SELECT total(amount + capacity) FROM holdings ${ofOne})` : "NULL"} AS size
     FROM addresses a WHERE ${sql.isIn("a.key", "$addresses", "bytea")} ORDER BY before`;
});
interface ReadFor {
  key: Bytes;
  latest: number | null;
  now: number;
  before: number;
  size: number | null;
}
/** Far enough below 2^63 for the rounding of floating-point sums. */
const MAX_SMALL = 2 ** 62;

/** The addresses in groups. One with many outputs is alone. */
function* together(
  db: Reader,
  addressKeys: readonly string[],
  end: number,
  isAtTip: boolean,
): Steps<Group[]> {
  if (addressKeys.length === 1 && (isAtTip || db.engine === "postgres")) {
    return [{ keys: [...addressKeys], isCurrent: isAtTip, work: 0, size: Number.POSITIVE_INFINITY }];
  }
  const groups: Group[] = [];
  const readFor = READ_FOR({ addresses: JSON.stringify(addressKeys) });
  for (const { key, latest, now, before, size: known } of yield* all<ReadFor>(db, readFor)) {
    const isCurrent = latest === null || latest < end;
    const work = isCurrent ? now : before;
    const size = known ?? Number.POSITIVE_INFINITY;
    const last = groups.findLast((group) => group.isCurrent === isCurrent);
    if (last && last.work + work <= SUMMED) {
      last.keys.push(toHex(key));
      last.work += work;
      last.size += size;
    } else groups.push({ keys: [toHex(key)], isCurrent, work, size });
  }
  return groups;
}

/** Where a read of live outputs began, and the state that it saw from there on. */
type ReadFrom = Bound & { state: State };

/** Adds the addresses' outputs that are live still, and those that were spent since. */
function* addBelow(
  db: Reader,
  held: Map<number, HeldSum>,
  addressKeys: readonly string[],
  end: number,
  // `smallAt`: a state as of which all sums are below 2^63, if any.
  { known, smallAt, isWhole }: { known: State | null; smallAt: State | null; isWhole: boolean },
): Steps<ReadFrom[]> {
  const limits = { end, after: -1, limit: Number.MAX_SAFE_INTEGER };
  const read: ReadFrom[] = [];
  let place: Bound | undefined = { id: 0, index: 0 };
  while (place) {
    const { id, index }: Bound = place;
    // After a pause, each statement may see another state.
    const state: State = known ?? (yield* stateNow(db))!;
    const { of, someHeldStill, owners } = statementsFor(addressKeys, isSame(smallAt, state));
    const values: Bound & typeof owners & typeof limits = { ...owners, ...limits, id, index };
    // Most addresses have fewer outputs above such an id than below it.
    const isLate = isWhole && 2 * heightOf(end) > state.height;
    const below = isWhole ? of.below : someHeldStill;
    const rows: HeldRow[] = yield* all<HeldRow>(db, (isLate ? of.now : below)(values));
    const above: HeldRow[] = isLate ? yield* all<HeldRow>(db, of.above(values)) : [];
    const next: Bound | undefined = isWhole ? undefined : yield* first<Bound>(db, NEXT_LIVE(values));
    if (!known && !isSame(yield* stateNow(db), state)) continue;
    add(held, rows);
    add(held, above, -1);
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
    const touches = { addressKeys, from: 0, to: end, spentFrom: end };
    yield* forMoves(db, touches, createdBy, (created) => {
      for (const output of created) {
        const newestEnd = firstId(readAt(output).height + 1);
        if (isSpentIn(output, end, newestEnd)) add(held, [{ ...output, outputCount: 1 }]);
      }
      return true;
    });
  }
  return read;
}

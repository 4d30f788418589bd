/** Runs of touches, which a list as of a block skips as a whole if all their outputs were spent by then. */
import { deleteFrom, forRows, insertInto, table, update } from "#lib/store/row-statement.ts";
import {
  all,
  type Bytes,
  type Dialect,
  run,
  type Statement,
  statementWith,
  toBytes,
  toHex,
} from "#lib/store/statement.ts";
import { heightOf, indexOf } from "#lib/store/transaction-id.ts";
import type { Steps } from "./steps.ts";
import type { Touch } from "./touches.ts";
import type { Writer } from "./writer.ts";

/** The touches of an address from a landmark up to the next one. Most addresses have no landmark, so no run. */
export interface Run {
  addressKey: string;
  firstId: number;
  /** The highest `lastSpent` of its touches. */
  lastSpent: number;
}

/** One transaction in 512 is a landmark, spread so that no regular pattern of payments meets all or none. */
const RUN_LENGTH = 512;
const [OF_HEIGHT, OF_INDEX, SPREAD] = [648_055, 612_211, 2 ** 20];

/** Whether a touch of this transaction begins a run. */
export const isLandmark = (id: number): boolean =>
  (heightOf(id) * OF_HEIGHT + indexOf(id) * OF_INDEX) % SPREAD < SPREAD / RUN_LENGTH;
export const isLandmarkIn = (column: string): string =>
  `((${column} >> 20) * ${OF_HEIGHT} + (${column} & 1048575) * ${OF_INDEX}) % ${SPREAD} < ${SPREAD / RUN_LENGTH}`;

const TOUCH_RUNS = table("touch_runs", { addressKey: "owner", firstId: "bigint" }, { lastSpent: "bigint" });
const INSERT_RUNS = insertInto(TOUCH_RUNS, () => "NOTHING");
const SET_RUNS = update(TOUCH_RUNS, "lastSpent");
const DELETE_ENDED = deleteFrom(
  TOUCH_RUNS,
  ({ column }) => `AND NOT EXISTS (SELECT 1 FROM touches t
    WHERE t.${column.addressKey} = touch_runs.${column.addressKey} AND t.transaction_id = touch_runs.first_id)`,
);
/** An address, its index in a list, and the highest touch whose run is wanted. */
interface Owner {
  place: number;
  addressKey: string;
  highest: number;
}
type StoredRun = Pick<Owner, "place"> & Omit<Run, "addressKey">;
const RUNS_OF = forRows(
  { place: "integer", addressKey: "owner", highest: "bigint" },
  ({ each, from, matches }) => `SELECT ${each.place} AS place,
      r.first_id AS "firstId", r.last_spent AS "lastSpent"
    FROM touch_runs r ${from(", ")} WHERE ${matches("r", "addressKey")} AND r.first_id <= ${each.highest}`,
);

/** SQL of the right `last_spent` of a row of `touch_runs`. `owner`: the column that names the address. */
export const lastSpentOfRun = (owner: string): string => `(SELECT coalesce(max(t.last_spent), 0)
  FROM touches t WHERE t.${owner} = touch_runs.${owner} AND t.transaction_id >= touch_runs.first_id
    AND t.transaction_id < coalesce((SELECT min(n.first_id) FROM touch_runs n
      WHERE n.${owner} = touch_runs.${owner} AND n.first_id > touch_runs.first_id), ${Number.MAX_SAFE_INTEGER}))`;
const actualRuns = (which: (sql: Dialect) => string) => (sql: Dialect) =>
  `SELECT ${sql.ownerKey("touch_runs")} AS key, first_id AS "firstId",
       ${lastSpentOfRun(sql.owner.column)} AS "lastSpent"
     FROM touch_runs WHERE ${which(sql)}`;
/** Computes the run that begins there and the one before, which share their touches. */
const ACTUAL_AT = statementWith(["address", "id"])(
  actualRuns(
    (sql) =>
      `${sql.ofAddress("$address")} AND first_id <= CAST($id AS bigint) ORDER BY first_id DESC LIMIT 2`,
  ),
);
const ACTUAL_SPENT_FROM = statementWith(["id"])(actualRuns(() => "last_spent >= $id"));
const DELETE_FROM = statementWith(["id"])("DELETE FROM touch_runs WHERE first_id >= $id");

/** The runs that begin with one of the touches, before `restate` sets `lastSpent`. */
const runsFrom = (touches: Touch[]): Run[] =>
  touches
    .filter(({ transactionId }) => isLandmark(transactionId))
    .map(({ addressKey, transactionId }) => ({ addressKey, firstId: transactionId, lastSpent: 0 }));

/** Updates runs after touches were added or changed. */
export function* saveRuns(tables: Writer, touches: Touch[]): Steps<void> {
  const begun = runsFrom(touches);
  yield* tables.save(INSERT_RUNS, begun);
  yield* restateAt(tables, begun);

  const highest = new Map<string, number>();
  const ended = touches.filter(({ lastSpent }) => lastSpent > 0);
  for (const { addressKey, transactionId } of ended) {
    highest.set(addressKey, Math.max(transactionId, highest.get(addressKey) ?? transactionId));
  }
  const owners = [...highest].map(([addressKey, highest], place) => ({ place, addressKey, highest }));
  const runs = Map.groupBy(
    yield* tables.allOf<StoredRun, Owner>(RUNS_OF, owners),
    ({ place }) => owners[place]!.addressKey,
  );
  const within = ended.filter(({ addressKey }) => runs.has(addressKey));
  const raised: Run[] = [];
  for (const [addressKey, touches] of Map.groupBy(within, ({ addressKey }) => addressKey)) {
    touches.sort((a, b) => b.transactionId - a.transactionId);
    let next = 0;
    for (const run of runs.get(addressKey)!.sort((a, b) => b.firstId - a.firstId)) {
      let { lastSpent } = run;
      for (; next < touches.length && touches[next]!.transactionId >= run.firstId; next++) {
        lastSpent = Math.max(lastSpent, touches[next]!.lastSpent);
      }
      if (lastSpent > run.lastSpent) raised.push({ addressKey, firstId: run.firstId, lastSpent });
      if (next === touches.length) break;
    }
  }
  yield* tables.save(SET_RUNS, raised);
}

/** Sets `last_spent` of runs to what a query computes from their touches. */
function* restate(tables: Writer, query: Statement): Steps<void> {
  const rows = yield* all<Omit<Run, "addressKey"> & { key: Bytes }>(tables.db, query);
  const runs = rows.map(({ key, ...run }) => ({ ...run, addressKey: toHex(key) }));
  yield* tables.save(SET_RUNS, runs);
}

/** Restates the runs that begin or began there, and the ones before them. */
function* restateAt(tables: Writer, runs: Run[]): Steps<void> {
  for (const { addressKey, firstId } of runs) {
    yield* restate(tables, ACTUAL_AT({ address: toBytes(addressKey), id: firstId }));
  }
}

/** Updates runs after touches were deleted: the rest of a run that began with one joins the run before it. */
export function* endRuns(tables: Writer, touches: Touch[]): Steps<void> {
  const begun = runsFrom(touches);
  yield* tables.save(DELETE_ENDED, begun);
  yield* restateAt(tables, begun);
}

/** Reverts the runs of transactions from the id `first` on, after their touches. */
export function* removeFromRuns(tables: Writer, first: number): Steps<void> {
  yield* run(tables.db, DELETE_FROM({ id: first }));
  yield* restate(tables, ACTUAL_SPENT_FROM({ id: first }));
}

/** Runs of touches: what a list as of a block skips, however many outputs an address had and spent. */
import { forRows } from "#lib/store/row-statement.ts";
import { type Dialect, run, statement, toBytes } from "#lib/store/statement.ts";
import { heightOf, indexOf } from "#lib/store/transaction-id.ts";
import type { Steps } from "./steps.ts";
import type { Tables } from "./tables.ts";
import type { Touch } from "./touches.ts";

/**
 * The touches of an address from a landmark up to the next one. Those before its first landmark are in no run, so most
 * addresses have none.
 */
export interface Run {
  addressKey: string;
  firstId: number;
  /** The highest `lastSpent` of its touches. */
  lastSpent: number;
}

/** One transaction in so many is a landmark, in no pattern that an address might follow. */
const RUN_LENGTH = 512;
const [OF_HEIGHT, OF_INDEX, SPREAD] = [648_055, 612_211, 2 ** 20];

/** Whether a touch by this transaction begins a run. */
export const isLandmark = (id: number): boolean =>
  (heightOf(id) * OF_HEIGHT + indexOf(id) * OF_INDEX) % SPREAD < SPREAD / RUN_LENGTH;
export const isLandmarkIn = (column: string): string =>
  `((${column} >> 20) * ${OF_HEIGHT} + (${column} & 1048575) * ${OF_INDEX}) % ${SPREAD} < ${SPREAD / RUN_LENGTH}`;

const INSERT_RUNS = forRows<Run>(
  "insert-touch-runs",
  { addressKey: "owner", firstId: "bigint", lastSpent: "bigint" },
  ({ column, names, values }) => `INSERT INTO touch_runs (${names}) ${values}
    ON CONFLICT (${column.addressKey}, first_id) DO NOTHING`,
);
const RAISE_RUNS = forRows<Run>(
  "raise-touch-runs",
  { addressKey: "owner", firstId: "bigint", lastSpent: "bigint" },
  ({ sql, column, each, from, andShards }) => `UPDATE touch_runs
    SET last_spent = ${sql.greatest("touch_runs.last_spent", each.lastSpent)} ${from("FROM")}
    WHERE touch_runs.${column.addressKey} = ${each.addressKey} AND touch_runs.first_id = ${each.firstId}
      ${andShards("touch_runs", "addressKey")}`,
);
/** An address, by its place among others, and the highest of its touches that are looked for. */
interface Owner {
  place: number;
  addressKey: string;
  highest: number;
}
const RUNS_OF = forRows<Owner>(
  "touch-runs-of",
  { place: "integer", addressKey: "owner", highest: "bigint" },
  ({ column, each, from, andShards }) => `SELECT ${each.place} AS place, r.first_id AS "firstId"
    FROM touch_runs r ${from(", ")}
    WHERE r.${column.addressKey} = ${each.addressKey} AND r.first_id <= ${each.highest} ${andShards("r", "addressKey")}`,
);

/** What a row of `touch_runs` must say, by touches and where the next run begins. `owner`: the column that names the address. */
export const lastSpentOfRun = (
  owner: string,
): string => `(SELECT coalesce(max(t.last_spent), 0) FROM touches t
  WHERE t.${owner} = touch_runs.${owner} AND t.transaction_id >= touch_runs.first_id
    AND t.transaction_id < coalesce((SELECT min(n.first_id) FROM touch_runs n
      WHERE n.${owner} = touch_runs.${owner} AND n.first_id > touch_runs.first_id), ${Number.MAX_SAFE_INTEGER}))`;
const restateRuns = (name: string, condition: (sql: Dialect) => string) =>
  statement(
    name,
    (sql) => `UPDATE touch_runs SET last_spent = ${lastSpentOfRun(sql.owner.column)} WHERE ${condition(sql)}`,
  );
/** The run that begins there, and the one before, from which it took its touches. */
const RESTATE_AT = restateRuns(
  "restate-touch-runs-at",
  (sql) => `${sql.ofAddress("$1")} AND first_id <= CAST($2 AS bigint) AND first_id >= coalesce(
    (SELECT max(b.first_id) FROM touch_runs b WHERE b.${sql.ofAddress("$1")} AND b.first_id < CAST($2 AS bigint)), 0)`,
);
const RESTATE_SPENT_FROM = restateRuns("restate-touch-runs", () => "last_spent >= $1");
const DELETE_FROM = statement("delete-touch-runs", "DELETE FROM touch_runs WHERE first_id >= $1");

/** Follows touches that were added or changed. */
export function* saveRuns(tables: Tables, touches: Touch[]): Steps<void> {
  const isNew = ({ created, spent }: Touch) => created + spent > 0;
  const begun = touches.filter((touch) => isNew(touch) && isLandmark(touch.transactionId));
  yield* tables.save(
    INSERT_RUNS,
    begun.map(({ addressKey, transactionId }) => ({ addressKey, firstId: transactionId, lastSpent: 0 })),
  );
  for (const { addressKey, transactionId } of begun) {
    yield* run(tables.db, RESTATE_AT, toBytes(addressKey), transactionId);
  }

  const ended = new Map<string, Touch[]>();
  for (const touch of touches) {
    if (touch.lastSpent === 0) continue;
    const others = ended.get(touch.addressKey);
    if (others) others.push(touch);
    else ended.set(touch.addressKey, [touch]);
  }
  const owners = [...ended].map(([addressKey, touches], place) => {
    return { place, addressKey, highest: Math.max(...touches.map(({ transactionId }) => transactionId)) };
  });
  const runs = new Map<number, number[]>();
  for (const { place, firstId } of yield* tables.allOf<{ place: number; firstId: number }, Owner>(
    RUNS_OF,
    owners,
  )) {
    const others = runs.get(place);
    if (others) others.push(firstId);
    else runs.set(place, [firstId]);
  }
  const raised: Run[] = [];
  for (const [place, firstIds] of runs) {
    const { addressKey } = owners[place]!;
    firstIds.sort((a, b) => b - a);
    const touches = ended.get(addressKey)!.sort((a, b) => b.transactionId - a.transactionId);
    let next = 0;
    for (const firstId of firstIds) {
      let lastSpent = 0;
      for (; next < touches.length && touches[next]!.transactionId >= firstId; next++) {
        lastSpent = Math.max(lastSpent, touches[next]!.lastSpent);
      }
      if (lastSpent > 0) raised.push({ addressKey, firstId, lastSpent });
      if (next === touches.length) break;
    }
  }
  yield* tables.save(RAISE_RUNS, raised);
}

/** Takes back what transactions from the id `first` on did, once touches are as they were before. */
export function* removeFromRuns(tables: Tables, first: number): Steps<void> {
  yield* run(tables.db, DELETE_FROM, first);
  yield* run(tables.db, RESTATE_SPENT_FROM, first);
}

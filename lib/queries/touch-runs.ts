/** Reads the runs of an address's touches, so that a list as of a block skips those that are spent: see rules/runs.ts. */
import type { Reader } from "#lib/store/query.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith, toBytes } from "#lib/store/statement.ts";

export type Order = "asc" | "desc";

/** Maximum number of runs to read at once. */
const RUNS_AT_ONCE = 10;
/** Selects runs of touches, from the run `holder` that contains `$low`, together with `holder` and the lowest run of all. */
const runsStatement = (order: Order) =>
  statementWith(["address", "spentFrom", "low", "high", "limit"])((sql) => {
    const holder = `(SELECT max(first_id) FROM touch_runs WHERE ${sql.ofAddress("$address")} AND first_id <= CAST($low AS bigint))`;
    return `SELECT bounds.holder, bounds.lowest, run.first_id AS "from", run.next AS "to"
     FROM (SELECT ${holder} AS holder,
       (SELECT min(first_id) FROM touch_runs WHERE ${sql.ofAddress("$address")}) AS lowest) bounds
     LEFT JOIN (
       SELECT first_id, (SELECT min(n.first_id) FROM touch_runs n
         WHERE n.${sql.owner.column} = r.${sql.owner.column} AND n.first_id > r.first_id) AS next
       FROM touch_runs r WHERE ${sql.ofAddress("$address")} AND last_spent >= CAST($spentFrom AS bigint)
         AND first_id >= coalesce(${holder}, CAST($low AS bigint)) AND first_id < CAST($high AS bigint)
       ORDER BY first_id ${order} LIMIT CAST($limit AS bigint)
     ) run ON true ORDER BY run.first_id ${order}`;
  });
const RUNS = { asc: runsStatement("asc"), desc: runsStatement("desc") };

interface RunRow {
  holder: number | null;
  lowest: number | null;
  from: number | null;
  to: number | null;
}

/** A range of ids: neighbouring runs, or the part before the first run. */
interface Run {
  from: number;
  to: number;
}

/** Selects touches of addresses, with ids of transactions of at least `from` and below `to`. */
export interface TouchRange extends Run {
  addressKeys: readonly string[];
  /** Ascending if it is missing. */
  order?: Order | undefined;
}

/** Passes those runs in the range to `use` in which an output is spent by `spentFrom` or a higher id. */
export function* forRuns(
  db: Reader,
  { addressKeys: [addressKey], from, to, order = "asc" }: TouchRange,
  spentFrom: number,
  use: (run: Run) => Steps<boolean>,
): Steps<void> {
  const address = toBytes(addressKey!);
  let [low, high] = [from, to];
  for (let isFirst = true; ; isFirst = false) {
    const runsBetween = RUNS[order]({ address, spentFrom, low, high, limit: RUNS_AT_ONCE });
    const rows = yield* all<RunRow>(db, runsBetween);
    const { holder, lowest } = rows[0]!;
    const before = holder === null ? [{ from, to: Math.min(lowest ?? to, to) }] : [];
    const runs: Run[] = order === "asc" && isFirst ? before : [];
    const some = rows.flatMap((row) => (row.from === null ? [] : [{ from: row.from, to: row.to }]));
    for (const run of some) runs.push({ from: Math.max(run.from, from), to: Math.min(run.to ?? to, to) });
    const isLast = some.length < RUNS_AT_ONCE;
    if (isLast && order === "desc") runs.push(...before);
    for (const [at, run] of joined(runs).entries()) {
      if (at > 0) yield* done(db.pause());
      if (!(yield* use(run))) return;
    }
    if (isLast) return;
    yield* done(db.pause());
    const last = some.at(-1)!;
    if (order === "desc") high = last.from;
    else if (last.to === null) return;
    else low = last.to;
  }
}

/** Joins neighbouring runs. */
function joined(runs: Run[]): Run[] {
  const parts: Run[] = [];
  for (const run of runs) {
    const part = parts.at(-1);
    if (part?.to === run.from) part.to = run.to;
    else if (part?.from === run.to) part.from = run.from;
    else parts.push({ ...run });
  }
  return parts;
}

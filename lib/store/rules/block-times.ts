/**
 * Stores the setback: how far the time of a block is before that of a lower one, at most. It can be hours. It bounds the search for
 * a block by time: see `heightAtSql`. It is never lowered: after blocks are reverted, the search only takes longer than it must.
 */
import type { Block } from "#lib/contract/ledger.ts";
import { SETBACK, SETBACK_SQL, saveState } from "#lib/store/common-queries.ts";
import { first, run, statementWith } from "#lib/store/statement.ts";
import { rangesOf } from "./gaps.ts";
import type { Steps } from "./steps.ts";
import type { Writer } from "./writer.ts";

/** The latest time below heights that are to be filled, and the earliest above. The setback keeps both searches short. */
const AROUND = statementWith(["from", "to"])(
  `SELECT setback,
     (SELECT timestamp FROM blocks WHERE height + 0 < $from AND timestamp <= setback +
        (SELECT timestamp FROM blocks WHERE height < $from ORDER BY height DESC LIMIT 1)
      ORDER BY timestamp DESC LIMIT 1) AS latest,
     (SELECT timestamp FROM blocks WHERE height + 0 > $to AND timestamp >=
        (SELECT timestamp FROM blocks WHERE height > $to ORDER BY height LIMIT 1) - setback
      ORDER BY timestamp LIMIT 1) AS earliest
   FROM (SELECT ${SETBACK_SQL} AS setback) noted`,
);
interface Around {
  setback: number;
  latest: number | null;
  earliest: number | null;
}
const SAVE_SETBACK = saveState(SETBACK);

/** Call it before the blocks are stored, at heights that hold none yet. */
export function* noteSetback(
  { db }: Writer,
  blocks: readonly Pick<Block, "height" | "timestamp">[],
): Steps<void> {
  const times = new Map(blocks.map(({ height, timestamp }) => [height, timestamp]));
  let latest = Number.NEGATIVE_INFINITY;
  let noted = 0;
  let found = 0;
  for (const { from, to } of rangesOf([...times.keys()])) {
    const around = (yield* first<Around>(db, AROUND({ from, to })))!;
    noted = around.setback;
    latest = Math.max(latest, around.latest ?? latest);
    for (let height = from; height <= to; height++) {
      const time = times.get(height)!;
      found = Math.max(found, latest - time);
      latest = Math.max(latest, time);
    }
    found = Math.max(found, latest - (around.earliest ?? latest));
  }
  if (found > noted) yield* run(db, SAVE_SETBACK({ value: String(found) }));
}

import type { Reader } from "#lib/store/query.ts";
import { done, type Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import { READ_AT_ONCE } from "./changes-in-pieces.ts";

const VOLUMES = statementWith(["lowest", "highest", "from", "to"])(
  (sql) => `SELECT b.height, ${sql.sum("c.amount_usd")} AS "volumeUsd"
   FROM blocks b JOIN asset_changes c ON ${sql.changeOf("b")}
   WHERE b.height >= $lowest AND b.height <= $highest AND c.ordinal >= $from AND c.ordinal < $to GROUP BY b.height`,
);
type Volume = { height: number; volumeUsd: string };

/**
 * The value that blocks moved, by height, in units of 10^-8 US dollars, without blocks that moved nothing. `blocks` must be all
 * those between two heights, the newest first.
 */
export function* volumesOf(
  db: Reader,
  blocks: readonly { height: number; assetCount: number }[],
): Steps<Map<number, string>> {
  const volumes = new Map<number, string>();
  for (let at = 0, end = 0; at < blocks.length; at = end) {
    let changes = blocks[end++]!.assetCount;
    while (end < blocks.length && changes + blocks[end]!.assetCount <= READ_AT_ONCE) {
      changes += blocks[end++]!.assetCount;
    }
    const heights = { lowest: blocks[end - 1]!.height, highest: blocks[at]!.height };
    // Only a piece of a single block is longer.
    for (let from = 0; from < changes; from += READ_AT_ONCE) {
      if (at + from > 0) yield* done(db.pause());
      const piece = VOLUMES({ ...heights, from, to: from + READ_AT_ONCE });
      for (const { height, volumeUsd } of yield* all<Volume>(db, piece)) {
        volumes.set(height, String(BigInt(volumes.get(height) ?? 0) + BigInt(volumeUsd)));
      }
    }
  }
  return volumes;
}

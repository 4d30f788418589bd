import { tip as readTip } from "#lib/store/common-queries.ts";
import { tokenIds } from "#lib/store/outputs.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { IndexTip, TokenRow } from "#lib/store/rows.ts";
import { GROUP_SIZES, piecesOf } from "#lib/store/rules/change-sums.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, first, statement, statementWith } from "#lib/store/statement.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { blockAtTime } from "./chain.ts";
import { blockAsOf, refuseFilled } from "./named-block.ts";
import { assetChangesOfRange } from "./range-asset-changes/read.ts";
import { tokensById } from "./tokens.ts";

/** Values are in units of 10^-8 US dollars, exact decimal digits. */
export interface MovedMost {
  tip: IndexTip;
  /** The period begins above this height; -1: with the first block. */
  after: number;
  /** Whether all blocks of the period are indexed. */
  isWhole: boolean;
  /** Assets with a price, the most valuable first. */
  rows: {
    asset: TokenRow;
    volumeUsd: string;
    /** The volumes of the period's parts. */
    points: string[];
    /** Value in the period of the same length before; null if blocks of that one are missing. */
    before: string | null;
  }[];
}

interface MovedMostQuery {
  /** Milliseconds before the tip's time. */
  period: number;
  limit: number;
}

const PARTS = 24;
/** A part may begin up to an eighth of its length too early, so that it consists of whole groups. */
const ROUNDED = 8;

const LOWEST = statement("SELECT min(height) AS height FROM blocks");
const GAP_WITHIN = statementWith(["after", "to"])(
  "SELECT 1 AS found FROM gaps WHERE last_height > $after AND first_height <= $to LIMIT 1",
);
const BLOCK_VOLUMES = statementWith(["tokens", "at"])(
  (sql) => `SELECT token_id AS "tokenId", height AS at, CAST(amount_usd AS TEXT) AS volume FROM asset_changes
   WHERE ${sql.isIn("token_id", "$tokens", "integer")} AND ${sql.isIn("height", "$at", "bigint")}`,
);
const GROUP_VOLUMES = statementWith(["tokens", "at", "size"])(
  (sql) => `SELECT token_id AS "tokenId", first_height AS at, CAST(amount_usd AS TEXT) AS volume
   FROM change_sums
   WHERE ${sql.isIn("token_id", "$tokens", "integer")} AND ${sql.isIn("first_height", "$at", "bigint")} AND size = $size`,
);

/** The assets that moved most by value in the latest blocks. Null while the database is empty. */
export const movedMost: Query<MovedMostQuery, MovedMost | null> = {
  effort: "snapshot",
  *read(db, { period, limit, ...rest }) {
    exhaustive(rest);
    const tip = yield* readTip(db);
    if (!tip) return null;
    const block = yield* blockAsOf(db);
    const { timestamp } = block;
    const lowest = (yield* first<{ height: number }>(db, LOWEST))!.height;
    const start = yield* lastHeightAt(db, timestamp - period);
    const startBefore = start === null ? null : yield* lastHeightAt(db, timestamp - 2 * period);
    const after = start ?? -1;
    const { rows } = yield* assetChangesOfRange.read(db, {
      from: start === null ? undefined : { height: start },
      assetName: "",
      tags: [],
      volumeOrder: "desc",
      offset: 0,
      limit,
    });
    const priced = rows.filter(({ amountUsd }) => amountUsd !== "0");
    const ids = priced.map(({ asset }) => asset.id);
    const numbers = yield* tokenIds(db, ids);
    const tokens = yield* tokensById(db, numbers.values());
    const ends = partsOf(Math.max(after, lowest - 1), tip.height);
    const hasBefore = startBefore !== null && !(yield* isMissing(db, startBefore, after));
    const heights = [hasBefore ? startBefore : ends[0]!, ...ends];
    const [before, ...points] = yield* volumesBetween(db, [...numbers.values()], heights);
    const isWhole = start !== null && !(yield* isMissing(db, start, tip.height));
    yield* refuseFilled(db, block);
    return {
      tip,
      after,
      isWhole,
      rows: priced.map(({ asset, amountUsd }) => {
        const number = numbers.get(asset.id)!;
        const volumeIn = (part: ReadonlyMap<number, bigint>) => (part.get(number) ?? 0n).toString();
        return {
          asset: tokens.get(number)!,
          volumeUsd: amountUsd,
          points: points.map(volumeIn),
          before: hasBefore ? volumeIn(before!) : null,
        };
      }),
    };
  },
};

function* lastHeightAt(db: Reader, time: number): Steps<number | null> {
  return (yield* blockAtTime.read(db, time))?.height ?? null;
}

/** Whether a block above `after` and up to `to` is not indexed. */
function* isMissing(db: Reader, after: number, to: number): Steps<boolean> {
  return (yield* first(db, GAP_WITHIN({ after, to }))) !== undefined;
}

/** Splits a range into at most PARTS parts of about the same length. Returns the heights between them, and both ends. */
export function partsOf(after: number, to: number): number[] {
  const length = (to - after) / PARTS;
  const size = GROUP_SIZES.findLast((each) => each * ROUNDED <= length) ?? 1;
  const inner = Array.from({ length: PARTS - 1 }, (_, i) => {
    const first = Math.round(after + 1 + length * (i + 1));
    return first - (first % size) - 1;
  });
  return [after, ...new Set(inner.filter((end) => end > after && end < to)), to];
}

/** The value that each asset moved, in each range between two of the heights. */
function* volumesBetween(db: Reader, assets: number[], heights: number[]) {
  const parts = heights.slice(1).map(() => new Map<number, bigint>());
  const pieces = parts.flatMap((part, i) =>
    piecesOf(heights[i]!, heights[i + 1]!).map((piece) => ({ ...piece, part })),
  );
  const tokens = JSON.stringify(assets);
  for (const [size, sameSize] of Map.groupBy(pieces, (piece) => piece.size)) {
    const partAt = new Map<number, Map<number, bigint>>();
    for (const { from, to, part } of sameSize) {
      for (let at = from; at <= to; at += size) partAt.set(at, part);
    }
    if (partAt.size === 0) continue;
    type Row = { tokenId: number; at: number; volume: string };
    const at = JSON.stringify([...partAt.keys()]);
    const query = size === 1 ? BLOCK_VOLUMES({ tokens, at }) : GROUP_VOLUMES({ tokens, at, size });
    for (const row of yield* all<Row>(db, query)) {
      const part = partAt.get(row.at)!;
      part.set(row.tokenId, (part.get(row.tokenId) ?? 0n) + BigInt(row.volume));
    }
  }
  return parts;
}

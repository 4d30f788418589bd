import { tip as readTip } from "#lib/store/common-queries.ts";
import { tokenIds } from "#lib/store/outputs.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { IndexTip, TokenRow } from "#lib/store/rows.ts";
import { GROUP_SIZES, piecesOf } from "#lib/store/rules/change-sums.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, first, statement, statementWith } from "#lib/store/statement.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { blockAtTime } from "./chain.ts";
import { blockAsOf, refuseOther } from "./named-block.ts";
import { assetChangesOfRange } from "./range-asset-changes/read.ts";
import { tokensById } from "./tokens.ts";

/** Values are in units of 10^-8 US dollars, exact decimal digits. */
export interface MovedMost {
  tip: IndexTip;
  /** The blocks above this height up to the tip; -1: all that are indexed. */
  after: number;
  /** No block of the period before the tip is missing. */
  isWhole: boolean;
  /** Heights of the last blocks of the parts of the period for which a row has points. */
  parts: number[];
  /** The most valuable first; only assets with a price. */
  rows: {
    asset: TokenRow;
    volumeUsd: string;
    points: string[];
    /** In the period of the same length before; null if blocks of that one are missing. */
    before: string | null;
  }[];
}

interface MovedMostQuery {
  /** Milliseconds before the tip's time. */
  period: number;
  limit: number;
}

const PARTS = 24;
/** A part may begin this share of its length too early, so that it consists of whole groups. */
const ROUNDED = 8;

const LOWEST = statement("SELECT min(height) AS height FROM blocks");
const GAP_WITHIN = statementWith(["after", "to"])(
  "SELECT 1 AS found FROM gaps WHERE last_height > $after AND first_height <= $to LIMIT 1",
);
const OF_BLOCKS = statementWith(["tokens", "at"])(
  (sql) => `SELECT token_id AS "tokenId", height AS at, CAST(amount_usd AS TEXT) AS volume FROM asset_changes
   WHERE ${sql.isIn("token_id", "$tokens", "integer")} AND ${sql.isIn("height", "$at", "bigint")}`,
);
const OF_GROUPS = statementWith(["tokens", "at", "size"])(
  (sql) => `SELECT token_id AS "tokenId", first_height AS at, CAST(amount_usd AS TEXT) AS volume
   FROM change_sums
   WHERE ${sql.isIn("token_id", "$tokens", "integer")} AND ${sql.isIn("first_height", "$at", "bigint")} AND size = $size`,
);

/**
 * The assets of which the last blocks moved most. The period begins above the block of the latest
 * time that is not in it. Null while the database is empty.
 */
export const movedMost: Query<MovedMostQuery, MovedMost | null> = {
  effort: "snapshot",
  *read(db, { period, limit, ...rest }) {
    exhaustive(rest);
    const tip = yield* readTip(db);
    if (!tip) return null;
    const block = yield* blockAsOf(db);
    const { timestamp } = block;
    const lowest = (yield* first<{ height: number }>(db, LOWEST))!.height;
    const begins = yield* lastHeightAt(db, timestamp - period);
    const beganBefore = begins === null ? null : yield* lastHeightAt(db, timestamp - 2 * period);
    const after = begins ?? -1;
    const { rows } = yield* assetChangesOfRange.read(db, {
      from: begins === null ? undefined : { height: begins },
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
    const hasBefore = beganBefore !== null && !(yield* isMissing(db, beganBefore, after));
    const [before, ...points] = yield* volumesBetween(
      db,
      [...numbers.values()],
      [hasBefore ? beganBefore : ends[0]!, ...ends],
    );
    const isWhole = begins !== null && !(yield* isMissing(db, begins, tip.height));
    yield* refuseOther(db, block);
    return {
      tip,
      after,
      isWhole,
      parts: ends.slice(1),
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

/** Whether a block above one height up to another is not indexed. */
function* isMissing(db: Reader, after: number, to: number): Steps<boolean> {
  return (yield* first(db, GAP_WITHIN({ after, to }))) !== undefined;
}

/** The heights between which the parts of a range lie, ascending: parts of about the same number of blocks, at most `PARTS`. */
export function partsOf(after: number, to: number): number[] {
  const length = (to - after) / PARTS;
  const size = GROUP_SIZES.findLast((each) => each * ROUNDED <= length) ?? 1;
  const inner = Array.from({ length: PARTS - 1 }, (_, i) => {
    const first = Math.round(after + 1 + length * (i + 1));
    return first - (first % size) - 1;
  });
  return [after, ...new Set(inner.filter((end) => end > after && end < to)), to];
}

/** Of each range between two of the heights, what each asset moved. */
function* volumesBetween(db: Reader, assets: number[], heights: number[]) {
  const parts = heights.slice(1).map(() => new Map<number, bigint>());
  /** By size: which part a block or a group belongs to, by its first height. */
  const places = new Map<number, Map<number, Map<number, bigint>>>();
  for (const [i, part] of parts.entries()) {
    for (const { size, from, to } of piecesOf(heights[i]!, heights[i + 1]!)) {
      const ofSize = places.get(size) ?? new Map<number, Map<number, bigint>>();
      places.set(size, ofSize);
      for (let at = from; at <= to; at += size) ofSize.set(at, part);
    }
  }
  const tokens = JSON.stringify(assets);
  for (const [size, ofSize] of places) {
    if (ofSize.size === 0) continue;
    type Row = { tokenId: number; at: number; volume: string };
    const at = JSON.stringify([...ofSize.keys()]);
    const query = size === 1 ? OF_BLOCKS({ tokens, at }) : OF_GROUPS({ tokens, at, size });
    const rows = yield* all<Row>(db, query);
    for (const row of rows) {
      const part = ofSize.get(row.at)!;
      part.set(row.tokenId, (part.get(row.tokenId) ?? 0n) + BigInt(row.volume));
    }
  }
  return parts;
}

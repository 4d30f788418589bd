import { tokenIds } from "#lib/store/outputs.ts";
import type { Question } from "#lib/store/question.ts";
import type { IndexTip } from "#lib/store/store.ts";
import type { AssetChangeRow } from "./block-asset-changes/read.ts";
import type { BlockOverview, NamedAsset } from "./block-overview.ts";
import { assetChangesOfRange } from "./range-asset-changes/read.ts";
import { tokensById } from "./tokens.ts";

/** What a range of blocks moved, as the page of a range sums it up. */
export interface RangeOverview
  extends Pick<BlockOverview, "assetCount" | "unpricedCount" | "volumeUsd" | "tags"> {
  /** The most valuable first. */
  largest: AssetChangeRow[];
  /** What the assets are called, as far as they are summed. */
  names: NamedAsset[];
  /** More assets moved than are summed: those with least volume are left out of tags and names. */
  isCut: boolean;
  coverage: IndexTip["coverage"];
}

interface RangeOverviewQuery {
  /** Heights: the block before the range, and its last one. */
  from: number;
  to: number;
  /** How many of the most valuable changes are wanted. */
  largest: number;
}

/** Assets that are summed, the most valuable first: all that have a price are among them. */
const SUMMED = 10_000;

/** Throws NOT_FOUND if `to` is above the tip. */
export const rangeOverview: Question<RangeOverviewQuery, RangeOverview> = {
  effort: "snapshot",
  *read(db, { from, to, largest }) {
    const { rows, total, tip } = yield* assetChangesOfRange.read(db, {
      from: { height: from },
      to: { height: to },
      assetName: "",
      tags: [],
      volumeOrder: "desc",
      offset: 0,
      limit: SUMMED,
    });
    const tags = new Map<string, { count: number; volumeUsd: bigint }>();
    let [volumeUsd, priced] = [0n, 0];
    for (const { tags: own, amountUsd } of rows) {
      const volume = BigInt(amountUsd);
      volumeUsd += volume;
      if (volume > 0n) priced += 1;
      for (const tag of own) {
        const before = tags.get(tag) ?? { count: 0, volumeUsd: 0n };
        tags.set(tag, { count: before.count + 1, volumeUsd: before.volumeUsd + volume });
      }
    }
    const ids = yield* tokenIds(
      db,
      rows.map(({ asset }) => asset.id),
    );
    const tokens = yield* tokensById(db, [...ids.values()]);
    return {
      assetCount: total,
      unpricedCount: total - priced,
      volumeUsd: String(volumeUsd),
      tags: [...tags]
        .map(([tag, { count, volumeUsd: volume }]) => ({ tag, count, volumeUsd: String(volume) }))
        .sort((one, other) => other.count - one.count || (one.tag < other.tag ? -1 : 1)),
      largest: rows.slice(0, largest),
      names: [...tokens.values()].map(({ id, name, symbol, decimals, public: isPublic }) => ({
        id,
        name,
        symbol,
        decimals,
        public: isPublic,
      })),
      isCut: total > rows.length,
      coverage: tip?.coverage,
    };
  },
};

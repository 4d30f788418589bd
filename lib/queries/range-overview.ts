import type { BlockRange } from "#lib/contract/block-reference.ts";
import type { Query } from "#lib/store/query.ts";
import type { BlockHeader, IndexTip } from "#lib/store/rows.ts";
import { first, statementWith } from "#lib/store/statement.ts";
import type { AssetChangeQuery } from "./block-asset-changes/read.ts";
import { type BlockFigures, type BlockOverview, type NamedAsset, sumsByTag } from "./block-overview.ts";
import type { RangeChangeRow } from "./change-rows.ts";
import { rangeBetween, refuseFilled } from "./named-block.ts";
import { assetChangesOfRange } from "./range-asset-changes/read.ts";
import { tokensByAssetId } from "./tokens.ts";

type Filters = Pick<AssetChangeQuery, "search" | "tags">;

/** A range's page apart from its list of changes, for the assets that match. Values are in units of 10^-8 US dollars. */
export interface RangeOverview
  extends Omit<BlockFigures, "transactionCount">,
    Pick<BlockOverview, "pricedCount"> {
  tip: IndexTip | null;
  /** The range begins above this height; -1: with the first block. */
  after: number;
  to: BlockHeader;
  /** Number of indexed blocks in the range. */
  blockCount: number;
  /** Whether the figures lack assets of low value, which were not read. */
  isCut: boolean;
  /** The most valuable changes. */
  largest: RangeChangeRow[];
  tags: BlockOverview["tags"];
  /** All assets that were read. */
  names: NamedAsset[];
}

/** Maximum number of assets to read, the most valuable first. */
const MAX_ASSETS = 5_000;

const BLOCKS = statementWith(["after", "to"])(
  "SELECT count(*) AS count FROM blocks WHERE height > $after AND height <= $to",
);

/** Throws as `rangeBetween` does. */
export const rangeOverview: Query<BlockRange & Filters & { largest: number }, RangeOverview> = {
  effort: "snapshot",
  *read(db, { from, to, largest, ...filters }) {
    const range = yield* rangeBetween(db, { from, to });
    const { rows, total, tip } = yield* assetChangesOfRange.read(db, {
      ...filters,
      from,
      to,
      assetName: "",
      volumeOrder: "desc",
      offset: 0,
      limit: MAX_ASSETS,
    });
    const pricedCount = rows.filter(({ amountUsd }) => amountUsd !== "0").length;
    const worthless = rows.filter(({ amount }) => amount === "0").length;
    const assetIds = rows.map(({ asset }) => asset.id);
    const tokens = yield* tokensByAssetId.read(db, assetIds);
    const { after } = range;
    const { hash, height, timestamp } = range.to;
    const blockCount = (yield* first<{ count: number }>(db, BLOCKS({ after, to: height })))!.count;
    yield* refuseFilled(db, range.to);
    return {
      tip,
      after,
      to: { hash, height, timestamp },
      blockCount,
      // Changes without a value come last.
      isCut: pricedCount === rows.length && total > rows.length,
      assetCount: total,
      pricedCount,
      unpricedCount: total - pricedCount - worthless,
      volumeUsd: String(rows.reduce((sum, { amountUsd }) => sum + BigInt(amountUsd), 0n)),
      largest: rows.slice(0, largest),
      tags: sumsByTag(
        rows.flatMap(({ asset, amountUsd }) =>
          asset.tags.map((tag) => ({ tag, count: 1, volumeUsd: amountUsd })),
        ),
      ),
      names: assetIds.map((id) => tokens.get(id)!),
    };
  },
};

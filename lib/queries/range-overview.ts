import type { BlockRange } from "#lib/contract/block-reference.ts";
import { tokenIds } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import { first, statementWith } from "#lib/store/statement.ts";
import type { AssetChangeQuery } from "./block-asset-changes/read.ts";
import type { BlockFigures, BlockOverview, NamedAsset } from "./block-overview.ts";
import { rangeBetween, refuseOther } from "./named-block.ts";
import { inPieces } from "./pieces.ts";
import { assetChangesOfRange, type RangeChangeRow } from "./range-asset-changes/read.ts";
import { tokensById } from "./tokens.ts";

type Filters = Pick<AssetChangeQuery, "search" | "tags">;

/** What a range of blocks moved, as far as `filters` leave it. Values are in units of 10^-8 US dollars. */
export interface RangeOverview
  extends Omit<BlockFigures, "transactionCount">,
    Pick<BlockOverview, "pricedCount"> {
  tip: IndexTip | null;
  /** The heights above this one, up to `to`; -1: from the first block on. */
  after: number;
  to: { height: number; hash: string; timestamp: number };
  /** Blocks of the range that are indexed. */
  blockCount: number;
  /** Some have so low a value that they were not read: the other figures are without them. */
  isCut: boolean;
  /** The most valuable ones. */
  largest: RangeChangeRow[];
  tags: BlockOverview["tags"];
  /** Of the assets that were read. */
  names: NamedAsset[];
}

/** Assets that are read, at most: the most valuable ones. */
const MOST_ASSETS = 5_000;

const BLOCKS = statementWith(["after", "to"])(
  "SELECT count(*) AS count FROM blocks WHERE height > $after AND height <= $to",
);

/** Throws what `rangeBetween` does. */
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
      limit: MOST_ASSETS,
    });
    const pricedCount = rows.filter(({ amountUsd }) => amountUsd !== "0").length;
    const worthless = rows.filter(({ amount }) => amount === "0").length;
    const assetIds = rows.map(({ asset }) => asset.id);
    const ids = new Map(
      yield* inPieces(db, assetIds, function* (piece) {
        return [...(yield* tokenIds(db, piece))];
      }),
    );
    const tokens = yield* tokensById(db, ids.values());
    const { after } = range;
    const { hash, height, timestamp } = range.to;
    const blockCount = (yield* first<{ count: number }>(db, BLOCKS({ after, to: height })))!.count;
    yield* refuseOther(db, range.to);
    return {
      tip,
      after,
      to: { hash, height, timestamp },
      blockCount,
      // Those without a value come last.
      isCut: pricedCount === rows.length && total > rows.length,
      assetCount: total,
      pricedCount,
      unpricedCount: total - pricedCount - worthless,
      volumeUsd: String(volumeOf(rows)),
      largest: rows.slice(0, largest),
      tags: tagsOf(rows),
      names: assetIds.map((id) => tokens.get(ids.get(id)!)!),
    };
  },
};

const volumeOf = (rows: readonly RangeChangeRow[]): bigint =>
  rows.reduce((sum, { amountUsd }) => sum + BigInt(amountUsd), 0n);

function tagsOf(rows: readonly RangeChangeRow[]): RangeOverview["tags"] {
  const tagged = rows.flatMap((row) => row.tags.map((tag) => ({ tag, row })));
  return [...Map.groupBy(tagged, ({ tag }) => tag)]
    .map(([tag, of]) => ({
      tag,
      count: of.length,
      volumeUsd: String(volumeOf(of.map(({ row }) => row))),
    }))
    .sort((one, other) => other.count - one.count || (one.tag < other.tag ? -1 : 1));
}

import { type MaybeTip, TIP_SQL, tipIn } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import { first, statement } from "#lib/store/statement.ts";

/** The extent of the data, cheap to read from a database of any size. */
export interface Coverage {
  tip: IndexTip | null;
  lowestHeight: number | null;
  tokens: number;
  pricedAssets: number;
  /** Whether the operator's registry has entries. */
  listsAssets: boolean;
}

const COVERAGE = statement(
  // Counts priced assets with one step in the index for each asset instead of each price.
  `WITH RECURSIVE priced (asset_id) AS (
     SELECT min(asset_id) FROM prices
     UNION ALL
     SELECT (SELECT min(asset_id) FROM prices WHERE prices.asset_id > priced.asset_id)
     FROM priced WHERE priced.asset_id IS NOT NULL
   )
   SELECT tip.height, tip.hash, tip.gaps, (SELECT min(height) FROM blocks) AS "lowestHeight",
          (SELECT count(*) FROM tokens) AS tokens, (SELECT count(asset_id) FROM priced) AS "pricedAssets",
          EXISTS (SELECT 1 FROM registry) AS "listsAssets"
   FROM (VALUES (1)) always
   LEFT JOIN (${TIP_SQL}) tip ON true`,
);

export const dataCoverage: Query<void, Coverage> = {
  effort: "look-up",
  *read(db) {
    type Row = MaybeTip & Omit<Coverage, "listsAssets"> & { listsAssets: boolean | number };
    const row = (yield* first<Row>(db, COVERAGE))!;
    const { lowestHeight, tokens, pricedAssets, listsAssets } = row;
    return { tip: tipIn(row), lowestHeight, tokens, pricedAssets, listsAssets: Boolean(listsAssets) };
  },
};

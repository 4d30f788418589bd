import { type MaybeTip, TIP_SQL, tipIn } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { IndexTip } from "#lib/store/rows.ts";
import { first, statement } from "#lib/store/statement.ts";

/** How much the data covers: cheap to ask for, however much there is. */
export interface Coverage {
  tip: IndexTip | null;
  lowestHeight: number | null;
  tokens: number;
  pricedAssets: number;
  /** The operator's registry has entries. */
  listsAssets: boolean;
}

const COVERAGE = statement(
  // Of the prices, one step of the index for each asset, not one for each price.
  `WITH RECURSIVE priced (asset_id) AS (
     SELECT min(asset_id) FROM prices
     UNION ALL
     SELECT (SELECT min(asset_id) FROM prices WHERE prices.asset_id > priced.asset_id)
     FROM priced WHERE priced.asset_id IS NOT NULL
   )
   SELECT tip.height, tip.hash, tip.gaps, (SELECT min(height) FROM blocks) AS lowest,
          (SELECT count(*) FROM tokens) AS tokens, (SELECT count(asset_id) FROM priced) AS priced,
          (SELECT count(*) FROM (SELECT 1 FROM registry LIMIT 1) listed) AS listed
   FROM (VALUES (1)) always
   LEFT JOIN (${TIP_SQL}) tip ON true`,
);

export const dataCoverage: Query<void, Coverage> = {
  effort: "look-up",
  *read(db) {
    const row = (yield* first<
      MaybeTip & { lowest: number | null; tokens: number; priced: number; listed: number }
    >(db, COVERAGE))!;
    return {
      tip: tipIn(row),
      lowestHeight: row.lowest,
      tokens: row.tokens,
      pricedAssets: row.priced,
      listsAssets: row.listed > 0,
    };
  },
};

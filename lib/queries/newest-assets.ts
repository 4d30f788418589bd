import type { Query } from "#lib/store/query.ts";
import { all, statement } from "#lib/store/statement.ts";
import { type AssetDetails, detailsOf } from "./assets/read.ts";

/** A new asset, or the newest member of a collection. */
export interface NewestAsset extends AssetDetails {
  /** Number of the collection's new members; 1 for a single asset. */
  members: number;
}

/** Number of assets to look at, since most of them may belong to one collection. */
const LOOKED_AT = 2_000;

const NEWEST = statement(
  (sql) => `SELECT id, ${sql.engine === "sqlite" ? "fungible" : "fungible::integer AS fungible"}, standard,
     parent_id AS "parentId" FROM tokens WHERE first_height IS NOT NULL ORDER BY id DESC LIMIT ${LOOKED_AT}`,
);

/** The newest assets, at most the given number; a collection counts as one. */
export const newestAssets: Query<number, NewestAsset[]> = {
  effort: "snapshot",
  *read(db, limit) {
    type Row = { id: number; fungible: number; standard: string; parentId: string };
    const rows = yield* all<Row>(db, NEWEST);
    const kinds = Map.groupBy(rows, ({ id, fungible, standard, parentId }) =>
      fungible ? String(id) : `${standard} ${parentId}`,
    );
    const newest = [...kinds.values()].slice(0, limit);
    const ids = newest.map(([asset]) => asset!.id);
    const details = yield* detailsOf(db, ids);
    return details.map((asset, i) => ({ ...asset, members: newest[i]!.length }));
  },
};

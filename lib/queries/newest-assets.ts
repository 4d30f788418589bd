import type { Query } from "#lib/store/query.ts";
import { all, statement } from "#lib/store/statement.ts";
import { type AssetDetails, detailsOf } from "./assets/read.ts";

/** An asset, or the newest member of a collection with how many of its members are new. */
export interface NewestAsset extends AssetDetails {
  members: number;
}

/** How many assets are looked at: a collection may be most of them. */
const LOOKED_AT = 2_000;

const NEWEST = statement(
  (sql) => `SELECT id, ${sql.engine === "sqlite" ? "fungible" : "fungible::integer AS fungible"}, standard,
     parent_id AS "parentId" FROM tokens WHERE first_height IS NOT NULL ORDER BY id DESC LIMIT ${LOOKED_AT}`,
);

/** The assets that were found last, at most so many; what is not fungible comes once for its collection. */
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

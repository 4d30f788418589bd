/** Rows of asset changes. Each asset is read once and cached until the data changes. */
import { LAST_WRITE_SQL } from "#lib/store/common-queries.ts";
import type { PostgresReader, SqliteReader } from "#lib/store/query.ts";
import type { AssetRow, TaggedAsset } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, statementWith } from "#lib/store/statement.ts";
import type { AssetChangeRow } from "./change-selection.ts";
import { toTags } from "./tokens.ts";

const ASSET_COLUMNS = "id AS number, asset_id AS id, name, icon, symbol, decimals, standard, tags";
type AssetColumns = AssetRow & { number: number; tags: string[] | string };

const ASSETS = statementWith(["ids"])(
  (sql) => `SELECT ${ASSET_COLUMNS} FROM tokens WHERE ${sql.isIn("id", "$ids", "integer")}`,
);

const toAsset = ({ number: _, tags, ...asset }: AssetColumns): TaggedAsset => ({
  ...asset,
  tags: toTags(tags),
});

/** SQLite: reads the assets with these numbers, and returns all that were read in this state of the data. */
export function* assetsByNumber(
  db: SqliteReader,
  numbers: readonly number[],
): Steps<ReadonlyMap<number, TaggedAsset>> {
  const { assets } = db.cache;
  const missing = numbers.filter((number) => !assets.has(number));
  if (missing.length > 0) {
    const rows = yield* all<AssetColumns>(db, ASSETS({ ids: JSON.stringify(missing) }));
    for (const row of rows) assets.set(row.number, toAsset(row));
  }
  return assets;
}

/** The values of a statement with `PAGE_COLUMNS`. */
export const PAGE_VALUES = ["known?", "write?"] as const;

/**
 * PostgreSQL: the changes of a page as one text, a line each, which costs the server and us a fraction of rows; and the assets
 * that are not cached. `rows` are in the order of the page and have the columns `more`, too.
 */
export const pageOfChanges = (rows: string, ...more: string[]): string =>
  `(SELECT string_agg(concat_ws(' ', ${["token_id", "amount", "amount_usd", ...more]}), E'\\n') AS changes,
      array_agg(token_id) AS token_ids FROM (${rows}) listed) page`;
export const PAGE_COLUMNS = `page.changes, ${LAST_WRITE_SQL} AS write,
  (SELECT json_agg(asset) FROM (
     SELECT ${ASSET_COLUMNS} FROM tokens WHERE id = ANY (page.token_ids)
       AND NOT (id = ANY ($known::integer[]) AND ${LAST_WRITE_SQL} IS NOT DISTINCT FROM $write)
   ) asset) AS assets`;
export interface PageColumns {
  changes: string | null;
  write: string | null;
  assets: AssetColumns[] | null;
}

/** Assets that a statement names as cached. */
const MAX_KNOWN = 1_000;

/** The values of a page's statement, and how its rows are read. */
export function changesPage(db: PostgresReader) {
  // Other pages may change it while this one waits.
  const cached = { ...db.assetCache };
  return {
    values: { known: `{${[...cached.assets.keys()].join()}}`, write: cached.write },
    /** @param toRow takes a change, and its columns `more` as text */
    rows<Row>(
      { changes, write, assets: read }: PageColumns,
      toRow: (change: AssetChangeRow, more: string[]) => Row,
    ): Row[] {
      const assets = new Map(write === cached.write ? cached.assets : []);
      for (const row of read ?? []) assets.set(row.number, toAsset(row));
      if (write !== null && assets.size <= MAX_KNOWN) Object.assign(db.assetCache, { write, assets });
      return (changes?.split("\n") ?? []).map((line) => {
        const [number, amount = "", amountUsd = "", ...more] = line.split(" ");
        return toRow({ amount, amountUsd, asset: assets.get(Number(number))! }, more);
      });
    },
  };
}

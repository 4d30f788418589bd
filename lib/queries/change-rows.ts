/** Rows of asset changes. Each asset is read once and cached until the data changes. */
import type { PostgresReader, SqliteReader } from "#lib/store/query.ts";
import type { AssetRow, TaggedAsset } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Dialect, statementWith } from "#lib/store/statement.ts";
import type { AssetChangeRow } from "./change-selection.ts";
import { fillCache, toTags } from "./tokens.ts";
import { asOfWrite, readThrough, type UncachedTokens, uncachedTokens } from "./write-cache.ts";

const ASSET_COLUMNS = `t.id AS number, t.asset_id AS id, t.name, t.icon, t.symbol, t.decimals, t.standard, t.tags`;
type AssetColumns = AssetRow & { number: number; tags: string[] | string };

const assetsSql = (sql: Dialect) =>
  `SELECT ${ASSET_COLUMNS} FROM tokens t WHERE ${sql.isIn("t.id", "$ids", "integer")}`;
const ASSETS = statementWith(["ids"])(assetsSql);
const ASSETS_OF_WRITE = asOfWrite(assetsSql);

const toEntry = ({ number, tags, ...asset }: AssetColumns): [number, TaggedAsset] => [
  number,
  { ...asset, tags: toTags(tags) },
];

/** SQLite: assets by the numbers of their tokens: those with these numbers, and others that the cache holds. */
export const assetsByNumber = (
  db: SqliteReader,
  numbers: Iterable<number>,
): Steps<ReadonlyMap<number, TaggedAsset>> => fillCache(db, db.cache.assets, numbers, ASSETS, toEntry);

/**
 * PostgreSQL returns the changes of a page as one text with a line for each, which costs a fraction of rows. `rows` are in the
 * order of the page. `more` are their further columns.
 */
export const pageOfChanges = (rows: string, ...more: string[]): string =>
  `(SELECT string_agg(concat_ws(' ', ${["token_id", "amount", "amount_usd", ...more]}), E'\\n') AS changes,
      array_agg(token_id) AS token_ids FROM (${rows}) listed) page`;
export const PAGE_COLUMNS = `page.changes, ${uncachedTokens(ASSET_COLUMNS)}`;
export interface PageColumns extends UncachedTokens<AssetColumns> {
  changes: string | null;
}

/** Returns values for a statement with `PAGE_COLUMNS`, and the function that reads its rows. */
export function changesPage(db: PostgresReader) {
  const { values, complete } = readThrough(db, db.assetCache, ASSETS_OF_WRITE, toEntry);
  return {
    values,
    /** @param toRow takes a change, and its further columns as text */
    *rows<Row>(columns: PageColumns, toRow: (change: AssetChangeRow, more: string[]) => Row): Steps<Row[]> {
      const lines = columns.changes?.split("\n").map((line) => line.split(" ")) ?? [];
      const numbers = lines.map(([number]) => Number(number));
      const assets = yield* complete(columns, numbers);
      return lines.map(([number, amount = "", amountUsd = "", ...more]) =>
        toRow({ amount, amountUsd, asset: assets.get(Number(number))! }, more),
      );
    },
  };
}

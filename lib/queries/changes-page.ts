/** PostgreSQL: reads a page of asset changes. Orders and sums that are read again are cached until the next write. */
import { LAST_WRITE_SQL } from "#lib/store/common-queries.ts";
import type { PostgresReader } from "#lib/store/query.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import {
  ASSET_COLUMNS,
  type AssetColumns,
  assetsSql,
  type ChangeValues,
  type RowMaker,
  toAssetEntry,
} from "./change-rows.ts";
import { changeOrder, type Selected, type Selection } from "./change-selection.ts";
import { asOfWrite, CACHE_VALUES, readThrough, type UncachedTokens, uncachedTokens } from "./write-cache.ts";

/** Rows of an ordered list that are read and cached at once, beside a page. Sorting and summing cost more than reading them. */
const WINDOW = 10_000;

const ASSETS_OF_WRITE = asOfWrite(assetsSql);

/** Condition: the window is not cached as of the last write. */
const IS_UNLISTED = `${LAST_WRITE_SQL} IS DISTINCT FROM $listed`;
/** Values for `PAGE_COLUMNS`, `pageOfChanges` and `pageOfWindow`. */
export const PAGE_VALUES = ["limit", "offset", "listed?", "skip?", "shown?", ...CACHE_VALUES] as const;

const page = (rows: string, columns: string, tokenIds: string): string =>
  `(SELECT string_agg(concat_ws(' ', ${columns}), E'\\n') AS changes, ${tokenIds} AS token_ids FROM (${rows}) listed) page`;
/**
 * PostgreSQL returns the changes of a page as one text with a line for each, which costs a fraction of rows. `rows` are in the
 * order of the page, with these columns.
 */
export const pageOfChanges = (rows: string, columns: string): string =>
  page(rows, columns, "array_agg(token_id)");
/** The same for the window around a page of the table `from`, in the order of the selection. It is empty if it is cached. */
export const pageOfWindow = (from: string, columns: string, selection: Selection): string =>
  page(
    `SELECT ${columns} FROM ${from} WHERE ${IS_UNLISTED} ORDER BY ${changeOrder(selection)}
     LIMIT CAST($limit AS bigint) OFFSET CAST($offset AS bigint)`,
    columns,
    "(array_agg(token_id))[CAST($skip AS integer) + 1 : CAST($skip AS integer) + CAST($shown AS integer)]",
  );
/** The number of rows of the table `matching`; NULL if the window is cached. */
export const WINDOW_TOTAL = `CASE WHEN ${IS_UNLISTED} THEN (SELECT count(*) FROM matching) END`;
export const PAGE_COLUMNS = `page.changes, ${uncachedTokens(ASSET_COLUMNS)}`;
export interface PageColumns extends UncachedTokens<AssetColumns> {
  changes: string | null;
  /** Matching rows before paging. With `WINDOW_TOTAL`, null if the window is cached. */
  total: number | null;
}

/**
 * Returns values for a statement with `PAGE_COLUMNS`, and the function that reads its result. `list` names the blocks of
 * a statement with `pageOfWindow`: the second request for a list reads a window of it, and further ones find it cached.
 */
export function changesPage(db: PostgresReader, { selection, values: selected }: Selected, list?: string) {
  const { values, complete } = readThrough(db, db.assetCache, ASSETS_OF_WRITE, toAssetEntry);
  const { limit, offset, ...filters } = selected;
  const start = offset - (offset % WINDOW);
  const key = list === undefined ? undefined : JSON.stringify([list, selection, filters, limit, start]);
  // Another page may replace it while this one waits.
  const cached = key === undefined ? undefined : db.lists?.get(key);
  const skip = cached ? offset - start : 0;
  const window = cached ? { offset: start, limit: WINDOW + limit } : { offset, limit };
  return {
    values: { ...values, ...window, skip, shown: limit, listed: cached?.write ?? "" },
    *read<Row>(columns: PageColumns, toRow: RowMaker<Row>): Steps<{ rows: Row[]; total: number }> {
      const isCached = cached !== undefined && cached.write !== null && cached.write === columns.write;
      const lines = isCached ? cached.lines : (columns.changes?.split("\n") ?? []);
      const total = columns.total ?? cached!.total;
      if (key !== undefined && !isCached) {
        const found = cached ? { write: columns.write, lines, total } : { write: null, lines: [], total };
        db.lists?.set(key, found);
      }
      const changes = lines.slice(skip, skip + limit).map((line) => line.split(" ") as ChangeValues);
      const numbers = changes.map(([number]) => Number(number));
      const assets = yield* complete(columns, numbers);
      return { rows: changes.map((change, i) => toRow(change, assets.get(numbers[i]!)!)), total };
    },
  };
}

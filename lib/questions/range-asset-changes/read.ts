import type { BlockRange } from "#lib/contract/block-reference.ts";
import { tip } from "#lib/store/common-queries.ts";
import type { Question } from "#lib/store/question.ts";
import { GROUP_SIZES, piecesOf } from "#lib/store/rules/change-sums.ts";
import { all, type Dialect, EXACT_TOTAL } from "#lib/store/statement.ts";
import {
  type AssetChangePage,
  type AssetChangeRow,
  type ChangeColumns,
  type ChangeFilters,
  changeColumns,
  type Selection,
  selectBy,
  statementBy,
  toChangeRow,
  tokenFilter,
} from "../block-asset-changes/read.ts";
import { rangeBetween } from "../named-block.ts";
import { TOKEN_OF_CHANGE } from "../tokens.ts";

export type RangeChangeQuery = ChangeFilters & BlockRange;

export interface RangeChangeRow extends AssetChangeRow {
  /** Blocks of the range that moved the asset, and their transactions that did. */
  blocks: number;
  transactions: number;
}

/** `block`: the last one of the range. */
export type RangeChangePage = Omit<AssetChangePage, "rows"> & { rows: RangeChangeRow[] };

/** The sizes of `piecesOf`, in its order. */
const SIZES = [1, ...GROUP_SIZES].flatMap((size) => (size === GROUP_SIZES.at(-1) ? [size] : [size, size]));

/**
 * The exact sum of a column, in the form of a column. A call of our function is most of what a sum costs, so SQLite itself adds
 * up what is below 2^46: a range has far fewer rows of an asset than the 2^17 that may exceed 64 bits.
 */
function total(sql: Dialect, column: string): string {
  if (sql.engine === "postgres") return `sum(${column})`;
  const small = `sum(${column}) FILTER (WHERE ${column} < 1 << 46)`;
  const large = `group_concat(${column}) FILTER (WHERE ${column} >= 1 << 46)`;
  return `CASE WHEN ${large} IS NULL THEN ${small} ELSE ${EXACT_TOTAL}(0, coalesce(${small}, 0), ${large}) END`;
}

/** Values: both heights of each piece of the range, and those of `tokenFilter`. */
function rangeSql(sql: Dialect, selection: Selection): string {
  const parts = SIZES.map((size, i) => {
    const [from, to] = [`$${2 * i + 1}`, `$${2 * i + 2}`];
    return size === 1
      ? `SELECT c.token_id, c.amount, c.amount_usd, 1 AS blocks, c.transaction_count AS transactions,
           (b.height << 20) + c.ordinal AS ordinal
         FROM blocks b JOIN asset_changes c ON ${sql.changeOf("b")} WHERE b.height >= ${from} AND b.height <= ${to}`
      : `SELECT token_id, amount, amount_usd, blocks, transactions, first_place FROM change_sums
         WHERE size = ${size} AND first_height >= ${from} AND first_height <= ${to}`;
  });
  const { conditions, limit, offset } = tokenFilter(sql, selection, 2 * SIZES.length + 1);
  const isNarrow = conditions.length > 0;
  const { volumeOrder } = selection;
  const order = (of: string) => {
    // What exceeds 64 bits is text in SQLite.
    const volume =
      sql.engine === "sqlite" ? [`length(${of}amount_usd)`, `${of}amount_usd`] : [`${of}amount_usd`];
    const direction = volumeOrder === "asc" ? "ASC" : "DESC";
    return [...(volumeOrder ? volume.map((key) => `${key} ${direction}`) : []), `${of}ordinal`].join(", ");
  };
  const ofChange = sql.engine === "sqlite" ? "JOIN tokens t ON t.id = c.token_id" : TOKEN_OF_CHANGE;
  return `WITH matching AS MATERIALIZED (
      SELECT c.* FROM (
        SELECT token_id, ${total(sql, "amount")} AS amount, ${total(sql, "amount_usd")} AS amount_usd,
               CAST(sum(blocks) AS bigint) AS blocks, CAST(sum(transactions) AS bigint) AS transactions,
               min(ordinal) AS ordinal
        FROM (${parts.join(" UNION ALL ")}) parts GROUP BY token_id
      ) c ${isNarrow ? `${ofChange} WHERE ${conditions.join(" AND ")}` : ""}
    )
    SELECT (SELECT count(*) FROM matching) AS total, page.blocks, page.transactions, ${changeColumns("page", "page")}
    FROM (SELECT 1 AS always) always
    LEFT JOIN (
      SELECT c.ordinal, c.amount, c.amount_usd, c.blocks, c.transactions, t.asset_id, t.name, t.icon, t.symbol,
             t.decimals, t.standard, t.tags
      FROM (
        SELECT * FROM matching
        ORDER BY ${order("")} LIMIT CAST(${limit} AS bigint) OFFSET CAST(${offset} AS bigint)
      ) c ${ofChange}
    ) page ON true
    ORDER BY ${order("page.")}`;
}

const statementFor = statementBy(rangeSql);

type RangeColumns = ChangeColumns & { total: number; blocks: number; transactions: number };

/** What the blocks of a range moved, summed by asset. Throws what `rangeBetween` does. */
export const assetChangesOfRange: Question<RangeChangeQuery, RangeChangePage> = {
  effort: "snapshot",
  *read(db, { from, to, ...filters }) {
    const range = yield* rangeBetween(db, { from, to });
    const { selection, values, window, isNowhere } = selectBy(filters);
    const heights = piecesOf(range.after, range.to.height).flatMap((piece) => [piece.from, piece.to]);
    const rows = yield* all<RangeColumns>(db, statementFor(selection), ...heights, ...values, ...window);
    const found = rows[0]!.amount === null ? [] : rows;
    return {
      tip: yield* tip(db),
      block: range.to,
      rows: found.map((row) => {
        const { blocks, transactions } = row;
        return { ...toChangeRow(row), blocks, transactions };
      }),
      total: isNowhere ? 0 : rows[0]!.total,
    };
  },
};

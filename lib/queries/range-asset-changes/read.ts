import { type BlockRange, heightIn } from "#lib/contract/block-reference.ts";
import { TIP_SQL, type TipColumns, tip, toTip } from "#lib/store/common-queries.ts";
import type { PostgresReader, Query, SqliteReader } from "#lib/store/query.ts";
import { GROUP_SIZES, type Piece, piecesOf, wholeGroups } from "#lib/store/rules/change-sums.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, type Dialect, EXACT_TOTAL, toHex } from "#lib/store/statement.ts";
import type { AssetChangePage, BlockColumns } from "../block-asset-changes/read.ts";
import {
  type AssetChangeRow,
  type ChangeColumns,
  type ChangeFilters,
  changeColumns,
  changeOrder,
  FILTER_VALUES,
  isNarrow,
  type Selected,
  type Selection,
  selectBy,
  statementBy,
  toChangeRow,
  tokenFilter,
} from "../change-selection.ts";
import { changesInPieces, READ_AT_ONCE } from "../changes-in-pieces.ts";
import {
  NAMED_BLOCK_SQL,
  namedBlockValues,
  rangeBetween,
  refuseAbove,
  refuseOther,
  refuseUnknown,
} from "../named-block.ts";
import { TOKEN_OF_CHANGE } from "../tokens.ts";

export type RangeChangeQuery = ChangeFilters & BlockRange;

export interface RangeChangeRow extends AssetChangeRow {
  /** Numbers of blocks and transactions in the range that moved the asset. */
  blocks: number;
  transactions: number;
}

/** `block` is the last one of the range. */
export type RangeChangePage = Omit<AssetChangePage, "rows"> & { rows: RangeChangeRow[] };

/** The sizes of the pieces that `piecesOf` returns, in the same order. */
const SIZES = [1, ...GROUP_SIZES].flatMap((size) => (size === GROUP_SIZES.at(-1) ? [size] : [size, size]));

/**
 * The exact sum of a column. Our own function is slow, so SQLite itself adds up amounts below `$large`. All rows of the range
 * together stay within 64 bits at that limit.
 */
function total(sql: Dialect, column: string): string {
  if (sql.engine === "postgres") return `sum(${column})`;
  const small = `sum(${column}) FILTER (WHERE ${column} < $large)`;
  const large = `group_concat(${column}) FILTER (WHERE ${column} >= $large)`;
  return `CASE WHEN ${large} IS NULL THEN ${small} ELSE ${EXACT_TOTAL}(0, coalesce(${small}, 0), ${large}) END`;
}

/**
 * `$from0`, `$to0` and so on are the heights of each piece of the range. PostgreSQL reads all with this statement, including the
 * range's last block. SQLite stops after `READ_AT_ONCE` rows, and returns in `read` how many rows it summed.
 */
function rangeSql(sql: Dialect, selection: Selection): string {
  const isSqlite = sql.engine === "sqlite";
  const [height, changes] = isSqlite
    ? ["c.height", "asset_changes c"]
    : ["b.height", `blocks b JOIN asset_changes c ON ${sql.changeOf("b")}`];
  const parts = SIZES.map((size, i) => {
    const [from, to] = [`$from${i}`, `$to${i}`];
    return size === 1
      ? `SELECT c.token_id, c.amount, c.amount_usd, 1 AS blocks, c.transaction_count AS transactions,
           (${height} << 20) + c.ordinal AS ordinal
         FROM ${changes} WHERE ${height} >= ${from} AND ${height} <= ${to}`
      : `SELECT token_id, amount, amount_usd, blocks, transactions, first_place FROM change_sums
         WHERE size = ${size} AND first_height >= ${from} AND first_height <= ${to}`;
  });
  const [counted, limited] = isSqlite ? [", count(*) AS parts", `LIMIT ${READ_AT_ONCE + 1}`] : ["", ""];
  const ofChange = isSqlite ? "JOIN tokens t ON t.id = c.token_id" : TOKEN_OF_CHANGE;
  const [materialized, narrowed] = isNarrow(selection)
    ? ["MATERIALIZED", `${ofChange} WHERE ${tokenFilter(sql, selection).join(" AND ")}`]
    : ["NOT MATERIALIZED", ""];
  const [columns, from] = isSqlite
    ? ["(SELECT coalesce(sum(parts), 0) FROM summed) AS read", "(SELECT 1 AS always) always"]
    : [
        "tip.height, tip.hash, tip.gaps, b.height AS block_height, b.hash AS block_hash, b.parent_hash, b.timestamp, b.tip",
        `(${NAMED_BLOCK_SQL}) b CROSS JOIN LATERAL (${TIP_SQL}) tip`,
      ];
  return `WITH summed AS MATERIALIZED (
      SELECT token_id, ${total(sql, "amount")} AS amount, ${total(sql, "amount_usd")} AS amount_usd,
             CAST(sum(blocks) AS bigint) AS blocks, CAST(sum(transactions) AS bigint) AS transactions,
             min(ordinal) AS ordinal ${counted}
      FROM (${parts.join(" UNION ALL ")} ${limited}) parts GROUP BY token_id
    ), matching AS ${materialized} (
      SELECT c.* FROM summed c ${narrowed}
    )
    SELECT ${columns}, (SELECT count(*) FROM matching) AS total, page.blocks, page.transactions, ${changeColumns("page", "page")}
    FROM ${from}
    LEFT JOIN (
      SELECT c.ordinal, c.amount, c.amount_usd, c.blocks, c.transactions, t.asset_id, t.name, t.icon, t.symbol,
             t.decimals, t.standard, t.tags
      FROM (
        SELECT * FROM matching
        ORDER BY ${changeOrder(sql, selection)} LIMIT CAST($limit AS bigint) OFFSET CAST($offset AS bigint)
      ) c ${ofChange}
    ) page ON true
    ORDER BY ${changeOrder(sql, selection, "page.")}`;
}

const HEIGHTS = SIZES.flatMap((_, i) => [`from${i}`, `to${i}`] as const);
const BESIDE = ["large?", "namedHeight?", "namedHash?", "limit", "offset"] as const;
const statementFor = statementBy([...HEIGHTS, ...FILTER_VALUES, ...BESIDE], rangeSql);

type RangeColumns = ChangeColumns & { total: number; blocks: number; transactions: number };
/** Columns of the tip and the range's last block in PostgreSQL. */
type BlocksBeside = TipColumns & BlockColumns & { block_hash: Bytes; tip: number };

function* findInSqlite(
  db: SqliteReader,
  { from, to }: BlockRange,
  selected: Selected,
): Steps<RangeChangePage> {
  const { after, to: last } = yield* rangeBetween(db, { from, to });
  const { gaps: _, ...block } = last;
  const newest = yield* tip(db);
  const pieces = piecesOf(after, block.height === newest?.height ? wholeGroups(block.height) : block.height);
  const most = pieces.reduce((sum, { size, from, to }) => sum + (to + 1 - from) / size, 1);
  const values = { ...heightsOf(pieces), ...selected.values, large: 2 ** 62 / most };
  const rows = yield* all<RangeColumns & { read: number }>(db, statementFor(selected.selection)(values));
  if (rows[0]!.read <= READ_AT_ONCE) return { tip: newest, block, ...pageOf(rows) };
  // Others may store blocks meanwhile, so only groups that end within the range can be read.
  const page = yield* changesInPieces(db, piecesOf(after, block.height), selected);
  yield* refuseOther(db, last);
  return { tip: newest, block, ...page };
}

function pageOf(rows: RangeColumns[]): Pick<RangeChangePage, "rows" | "total"> {
  const found = rows[0]!.amount === null ? [] : rows;
  return {
    rows: found.map((row) => ({
      ...toChangeRow(row),
      blocks: row.blocks,
      transactions: row.transactions,
    })),
    total: rows[0]!.total,
  };
}

function* findInPostgres(
  db: PostgresReader,
  { from, to }: BlockRange,
  { selection, values }: Selected,
): Steps<RangeChangePage> {
  let after = from === undefined ? -1 : heightIn(from);
  let last = to === undefined || to === "tip" ? wholeGroups(MOST_BLOCKS) : heightIn(to);
  if (after === undefined || last === undefined) {
    // A hash has to be looked up first.
    db.inOneState();
    const range = yield* rangeBetween(db, { from, to });
    after = range.after;
    last = range.to.height;
  }
  const heights = heightsOf(piecesOf(after, last));
  const query = statementFor(selection)({ ...heights, ...values, ...namedBlockValues(to ?? "tip") });
  const rows = yield* all<RangeColumns & BlocksBeside>(db, query);
  const row = rows[0];
  refuseUnknown(to ?? "tip", row);
  const block = {
    height: row.block_height,
    hash: toHex(row.block_hash),
    parentHash: toHex(row.parent_hash),
    timestamp: row.timestamp,
  };
  refuseAbove(after, to, block);
  return { tip: toTip(row), block, ...pageOf(rows) };
}

/** A height above that of any block, because a transaction's id has no room for it. */
const MOST_BLOCKS = 2 ** 33;

const heightsOf = (pieces: Piece[]): Record<(typeof HEIGHTS)[number], number> =>
  Object.assign({}, ...pieces.map(({ from, to }, i) => ({ [`from${i}`]: from, [`to${i}`]: to })));

/** Sums what the blocks of a range moved, by asset. Throws as `rangeBetween` does. */
export const assetChangesOfRange: Query<RangeChangeQuery, RangeChangePage> = {
  effort: "scan",
  *read(db, { from, to, ...filters }) {
    const { isNowhere, ...selected } = selectBy(filters);
    const page = yield* db.engine === "sqlite"
      ? findInSqlite(db, { from, to }, selected)
      : findInPostgres(db, { from, to }, selected);
    return isNowhere ? { ...page, total: 0 } : page;
  },
};

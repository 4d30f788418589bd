import { type BlockRange, heightIn } from "#lib/contract/block-reference.ts";
import { TIP_SQL, type TipColumns, tip, toTip } from "#lib/store/common-queries.ts";
import type { PostgresReader, Query, SqliteReader } from "#lib/store/query.ts";
import { GROUP_SIZES, type Piece, piecesOf, wholeGroups } from "#lib/store/rules/change-sums.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { type Bytes, type Dialect, first, toHex } from "#lib/store/statement.ts";
import type { AssetChangePage, BlockColumns } from "../block-asset-changes/read.ts";
import { POSTGRES_COLUMNS, type RangeChangeRow, rangeRow } from "../change-rows.ts";
import {
  type ChangeFilters,
  FILTER_VALUES,
  isNarrow,
  type Selected,
  type Selection,
  selectBy,
  statementBy,
  tokenFilter,
} from "../change-selection.ts";
import { changesInPieces } from "../changes-in-pieces.ts";
import {
  changesPage,
  PAGE_COLUMNS,
  PAGE_VALUES,
  type PageColumns,
  pageOfWindow,
  WINDOW_TOTAL,
} from "../changes-page.ts";
import {
  NAMED_BLOCK_SQL,
  namedBlockValues,
  rangeBetween,
  refuseAbove,
  refuseFilled,
  refuseUnknown,
} from "../named-block.ts";
import { TOKEN_OF_CHANGE } from "../tokens.ts";

export type RangeChangeQuery = ChangeFilters & BlockRange;

/** `block` is the last one of the range. The range begins above the height `after`; -1: with the first block. */
export type RangeChangePage = Omit<AssetChangePage, "rows"> & { rows: RangeChangeRow[]; after: number };

/** The sizes of the pieces that `piecesOf` returns, in the same order. */
const SIZES = [1, ...GROUP_SIZES].flatMap((size) => (size === GROUP_SIZES.at(-1) ? [size] : [size, size]));

/**
 * PostgreSQL reads all in one statement. `$from0`, `$to0` … are the heights of each piece; the named block is the last. The parts
 * are sorted because a hash table of exact sums takes three times as long.
 */
function rangeSql(sql: Dialect, selection: Selection): string {
  const parts = SIZES.map((size, i) => {
    const [from, to] = [`$from${i}`, `$to${i}`];
    return size === 1
      ? `SELECT ${POSTGRES_COLUMNS.change}, (b.height << 20) + c.ordinal AS ordinal
         FROM blocks b JOIN asset_changes c ON ${sql.changeOf("b")} WHERE b.height >= ${from} AND b.height <= ${to}`
      : `SELECT ${POSTGRES_COLUMNS.group}, first_place FROM change_sums
         WHERE size = ${size} AND first_height >= ${from} AND first_height <= ${to}`;
  });
  const matching = isNarrow(selection)
    ? `MATERIALIZED (
      SELECT c.* FROM summed c ${TOKEN_OF_CHANGE} WHERE ${tokenFilter(sql, selection).join(" AND ")}
    )`
    : "NOT MATERIALIZED (SELECT * FROM summed)";
  return `WITH summed AS MATERIALIZED (
      SELECT ${POSTGRES_COLUMNS.sum}, min(ordinal) AS ordinal
      FROM (${parts.join(" UNION ALL ")} ORDER BY token_id) parts GROUP BY token_id
    ), matching AS ${matching}
    SELECT tip.height, tip.hash, tip.gaps, b.height AS block_height, b.hash AS block_hash, b.parent_hash, b.timestamp,
           b.tip, ${WINDOW_TOTAL} AS total, ${PAGE_COLUMNS}
    FROM (${NAMED_BLOCK_SQL}) b CROSS JOIN LATERAL (${TIP_SQL}) tip
    CROSS JOIN ${pageOfWindow("matching", POSTGRES_COLUMNS.group, selection)}`;
}

const HEIGHTS = SIZES.flatMap((_, i) => [`from${i}`, `to${i}`] as const);
const BESIDE = ["namedHeight?", "namedHash?", "namedTime?"] as const;
const statementFor = statementBy([...HEIGHTS, ...FILTER_VALUES, ...BESIDE, ...PAGE_VALUES], rangeSql);

type RangeColumns = TipColumns & BlockColumns & PageColumns & { block_hash: Bytes; tip: number };

function* findInSqlite(
  db: SqliteReader,
  { from, to }: BlockRange,
  selected: Selected,
): Steps<RangeChangePage> {
  const { after, to: last } = yield* rangeBetween(db, { from, to });
  const { gaps: _, ...block } = last;
  const newest = yield* tip(db);
  const pieces = piecesOf(after, block.height);
  const page = yield* changesInPieces(db, pieces, selected, rangeRow);
  yield* refuseFilled(db, last);
  return { tip: newest, block, after, ...page };
}

function* findInPostgres(
  db: PostgresReader,
  { from, to }: BlockRange,
  selected: Selected,
): Steps<RangeChangePage> {
  const { selection, values } = selected;
  let after = from === undefined ? -1 : heightIn(from);
  let last = to === undefined || to === "tip" ? wholeGroups(ABOVE_ALL_BLOCKS) : heightIn(to);
  if (after === undefined || last === undefined) {
    // A hash has to be looked up first.
    db.inOneState();
    const range = yield* rangeBetween(db, { from, to });
    after = range.after;
    last = range.to.height;
  }
  const heights = heightsOf(piecesOf(after, last));
  const page = changesPage(db, selected, `${after}-${last}`);
  const named = namedBlockValues(to ?? "tip");
  const query = statementFor(selection)({ ...heights, ...values, ...named, ...page.values });
  const row = yield* first<RangeColumns>(db, query);
  refuseUnknown(to ?? "tip", row);
  const block = {
    height: row.block_height,
    hash: toHex(row.block_hash),
    parentHash: toHex(row.parent_hash),
    timestamp: row.timestamp,
  };
  refuseAbove(after, to, { height: row.block_height, tip: row.tip });
  return { tip: toTip(row), block, after, ...(yield* page.read(row, rangeRow)) };
}

/** A height above that of any block, because a transaction's id has no room for it. */
const ABOVE_ALL_BLOCKS = 2 ** 33;

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

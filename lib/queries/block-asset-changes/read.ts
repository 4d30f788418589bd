import { TIP_SQL, type TipColumns, tip, toTip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { ChainBlock, IndexTip } from "#lib/store/rows.ts";
import { all, type Bytes, type Dialect, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import {
  type AssetChangeRow,
  type ChangeColumns,
  type ChangeFilters,
  changeColumns,
  changeOrder,
  FILTER_VALUES,
  isNarrow,
  type Selection,
  selectBy,
  statementBy,
  toChangeRow,
  tokenFilter,
} from "../change-selection.ts";
import { changesInPieces, READ_AT_ONCE } from "../changes-in-pieces.ts";
import { TOKEN_OF_CHANGE } from "../tokens.ts";

export interface AssetChangeQuery extends ChangeFilters {
  blockHash: string;
}

export interface AssetChangePage {
  tip: IndexTip | null;
  block: ChainBlock;
  rows: AssetChangeRow[];
  /** Matching rows before paging. */
  total: number;
}

/** `$block` is the block's height for SQLite, its hash for PostgreSQL. */
const whereOf = (sql: Dialect, selection: Selection): string => {
  const ofBlock = sql.engine === "sqlite" ? "c.height = $block" : sql.ofBlock("$block");
  return [ofBlock, ...tokenFilter(sql, selection)].join(" AND ");
};

/** SQLite reads block, total and page with separate statements, which cost little. */
const sqliteFrom = (where: string) =>
  `FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE ${where}`;

const sqlitePage = (sql: Dialect, selection: Selection) =>
  `SELECT ${changeColumns("c", "t")} ${sqliteFrom(whereOf(sql, selection))}
   ORDER BY ${changeOrder(sql, selection, "c.")} LIMIT $limit OFFSET $offset`;

/** PostgreSQL returns a row for each change of the page, or one row without a change if the page is empty. */
function postgresPage(sql: Dialect, selection: Selection): string {
  const where = whereOf(sql, selection);
  // With a filter, the changes are read once for total and page. Without one, the block has the total.
  const [matching, changes, total] = isNarrow(selection)
    ? [
        `WITH matching AS MATERIALIZED (
           SELECT c.ordinal, c.amount, c.amount_usd, c.token_id FROM asset_changes c ${TOKEN_OF_CHANGE} WHERE ${where}
         )`,
        "matching",
        "(SELECT count(*) FROM matching)",
      ]
    : ["", `asset_changes WHERE ${where}`, "b.change_count"];
  return `${matching}
    SELECT tip.height, tip.hash, tip.gaps, b.height AS block_height, b.parent_hash, b.timestamp,
           ${total} AS total, ${changeColumns("page", "page")}
    FROM blocks b
    CROSS JOIN LATERAL (${TIP_SQL}) tip
    LEFT JOIN LATERAL (
      SELECT c.ordinal, c.amount, c.amount_usd, t.asset_id, t.name, t.icon, t.symbol, t.decimals, t.standard, t.tags
      FROM (
        SELECT * FROM ${changes}
        ORDER BY ${changeOrder(sql, selection)} LIMIT CAST($limit AS bigint) OFFSET CAST($offset AS bigint)
      ) c ${TOKEN_OF_CHANGE}
    ) page ON true
    WHERE b.hash = $block
    ORDER BY ${changeOrder(sql, selection, "page.")}`;
}

export const pageFor = statementBy(["block", ...FILTER_VALUES, "limit", "offset"], (sql, selection) =>
  sql.engine === "sqlite" ? sqlitePage(sql, selection) : postgresPage(sql, selection),
);
/** SQLite counts with a statement of its own if there is a filter. */
const totalFor = statementBy(
  ["block", ...FILTER_VALUES],
  (sql, selection) => `SELECT count(*) AS total ${sqliteFrom(whereOf(sql, selection))}`,
);

export type BlockColumns = { block_height: number; parent_hash: Bytes; timestamp: number; total: number };

const BLOCK = statementWith(["hash"])(
  "SELECT height AS block_height, parent_hash, timestamp, change_count AS total FROM blocks WHERE hash = $hash",
);

/** Reads a page of a block's changes; null if no canonical block has this hash. */
export const assetChangesOfBlock: Query<AssetChangeQuery, AssetChangePage | null> = {
  // A filter or an order may read all changes of the block.
  effort: ({ assetName, search, tags, volumeOrder }) =>
    assetName !== "" || search || tags.length > 0 || volumeOrder ? "scan" : "look-up",

  *read(db, { blockHash, ...filters }) {
    const { isNowhere, ...selected } = selectBy(filters);
    const { selection, values } = selected;
    const hash = toBytes(blockHash);
    const pageOf = (tip: IndexTip | null, block: BlockColumns, rows: AssetChangeRow[]): AssetChangePage => {
      const { block_height: height, parent_hash, timestamp, total } = block;
      const named = { height, hash: blockHash, parentHash: toHex(parent_hash), timestamp };
      return { tip, block: named, rows, total: isNowhere ? 0 : total };
    };

    if (db.engine === "postgres") {
      const query = pageFor(selection)({ ...values, block: hash });
      const rows = yield* all<TipColumns & BlockColumns & ChangeColumns>(db, query);
      const [block] = rows;
      return block ? pageOf(toTip(block), block, block.amount === null ? [] : rows.map(toChangeRow)) : null;
    }
    const block = yield* first<BlockColumns>(db, BLOCK({ hash }));
    if (!block) return null;
    const newest = yield* tip(db);
    const height = block.block_height;
    if ((isNarrow(selection) || selection.volumeOrder) && block.total > READ_AT_ONCE) {
      const { rows, total } = yield* changesInPieces(db, [{ size: 1, from: height, to: height }], selected);
      if (!(yield* first(db, BLOCK({ hash })))) return null;
      const changes = rows.map(({ blocks: _, transactions: __, ...change }) => change);
      return pageOf(newest, { ...block, total }, changes);
    }
    const given = { ...values, block: height };
    if (isNarrow(selection)) {
      block.total = (yield* first<{ total: number }>(db, totalFor(selection)(given)))!.total;
    }
    const rows = yield* all<ChangeColumns>(db, pageFor(selection)(given));
    return pageOf(newest, block, rows.map(toChangeRow));
  },
};

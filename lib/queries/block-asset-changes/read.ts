import { TIP_SQL, type TipColumns, tip, toTip } from "#lib/store/common-queries.ts";
import type { Query, Reader } from "#lib/store/query.ts";
import type { ChainBlock, IndexTip } from "#lib/store/rows.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import { all, type Bytes, type Dialect, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import {
  type AssetChangeRow,
  type ChangeColumns,
  type ChangeFilters,
  changeColumns,
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

/** SQLite asks for the block, the total and the page one after another: each costs little. */
const sqliteFrom = (where: string) =>
  `FROM asset_changes c JOIN tokens t ON t.id = c.token_id WHERE ${where}`;

function sqlitePage(sql: Dialect, selection: Selection): string {
  const direction = selection.volumeOrder === "asc" ? "ASC" : "DESC";
  // What exceeds 64 bits is stored as text.
  const order = selection.volumeOrder ? `length(c.amount_usd) ${direction}, c.amount_usd ${direction}, ` : "";
  return `SELECT ${changeColumns("c", "t")} ${sqliteFrom(whereOf(sql, selection))} ORDER BY ${order}c.ordinal
    LIMIT $limit OFFSET $offset`;
}

/** PostgreSQL answers with a row for each change of the page, or one without a change where the page is empty. */
function postgresPage(sql: Dialect, selection: Selection): string {
  const where = whereOf(sql, selection);
  const { volumeOrder } = selection;
  const order = (of: string) =>
    volumeOrder ? `${of}amount_usd ${volumeOrder === "asc" ? "ASC" : "DESC"}, ${of}ordinal` : `${of}ordinal`;
  // Read once, for the total and for the page. Without a filter the block knows its total, and a page reads only itself.
  const matching = isNarrow(selection)
    ? `WITH matching AS MATERIALIZED (
         SELECT c.ordinal, c.amount, c.amount_usd, c.token_id FROM asset_changes c ${TOKEN_OF_CHANGE} WHERE ${where}
       )`
    : "";
  return `${matching}
    SELECT tip.height, tip.hash, tip.gaps, b.height AS block_height, b.parent_hash, b.timestamp,
           ${isNarrow(selection) ? "(SELECT count(*) FROM matching)" : "b.change_count"} AS total, ${changeColumns("page", "page")}
    FROM blocks b
    CROSS JOIN LATERAL (${TIP_SQL}) tip
    LEFT JOIN LATERAL (
      SELECT c.ordinal, c.amount, c.amount_usd, t.asset_id, t.name, t.icon, t.symbol, t.decimals, t.standard, t.tags
      FROM (
        SELECT * FROM ${isNarrow(selection) ? "matching" : `asset_changes WHERE ${where}`}
        ORDER BY ${order("")} LIMIT CAST($limit AS bigint) OFFSET CAST($offset AS bigint)
      ) c ${TOKEN_OF_CHANGE}
    ) page ON true
    WHERE b.hash = $block
    ORDER BY ${order("page.")}`;
}

export const pageFor = statementBy(["block", ...FILTER_VALUES, "limit", "offset"], (sql, selection) =>
  sql.engine === "sqlite" ? sqlitePage(sql, selection) : postgresPage(sql, selection),
);
/** Only SQLite counts apart, and only with a filter. */
const totalFor = statementBy(
  ["block", ...FILTER_VALUES],
  (sql, selection) => `SELECT count(*) AS total ${sqliteFrom(whereOf(sql, selection))}`,
);

export type BlockColumns = { block_height: number; parent_hash: Bytes; timestamp: number; total: number };

interface Found {
  tip: IndexTip | null;
  block: BlockColumns;
  rows: AssetChangeRow[];
}

const BLOCK = statementWith(["hash"])(
  "SELECT height AS block_height, parent_hash, timestamp, change_count AS total FROM blocks WHERE hash = $hash",
);

function* find(db: Reader, hash: Uint8Array, selected: Selected): Steps<Found | null> {
  const { selection, values } = selected;
  const page = pageFor(selection);
  if (db.engine === "postgres") {
    const listed = page({ ...values, block: hash });
    const rows = yield* all<TipColumns & BlockColumns & ChangeColumns>(db, listed);
    const block = rows[0];
    return block
      ? { tip: toTip(block), block, rows: block.amount === null ? [] : rows.map(toChangeRow) }
      : null;
  }
  const block = yield* first<BlockColumns>(db, BLOCK({ hash }));
  if (!block) return null;
  const height = block.block_height;
  if ((isNarrow(selection) || selection.volumeOrder) && block.total > READ_AT_ONCE) {
    const newest = yield* tip(db);
    const { rows, total } = yield* changesInPieces(db, [{ size: 1, from: height, to: height }], selected);
    if (!(yield* first(db, BLOCK({ hash })))) return null;
    const changes = rows.map(({ blocks: _, transactions: __, ...change }) => change);
    return { tip: newest, block: { ...block, total }, rows: changes };
  }
  const given = { ...values, block: height };
  if (isNarrow(selection)) {
    block.total = (yield* first<{ total: number }>(db, totalFor(selection)(given)))!.total;
  }
  const rows = yield* all<ChangeColumns>(db, page(given));
  return { tip: yield* tip(db), block, rows: rows.map(toChangeRow) };
}

/** Null if no canonical block has this hash. */
export const assetChangesOfBlock: Query<AssetChangeQuery, AssetChangePage | null> = {
  // A filter or an order may read all changes of the block.
  effort: ({ assetName, search, tags, volumeOrder }) =>
    assetName !== "" || search || tags.length > 0 || volumeOrder ? "scan" : "look-up",

  *read(db, { blockHash, ...filters }) {
    const { isNowhere, ...selected } = selectBy(filters);
    const found = yield* find(db, toBytes(blockHash), selected);
    if (!found) return null;
    const { block_height: height, parent_hash, timestamp, total } = found.block;
    return {
      tip: found.tip,
      block: { height, hash: blockHash, parentHash: toHex(parent_hash), timestamp },
      rows: found.rows,
      total: isNowhere ? 0 : total,
    };
  },
};

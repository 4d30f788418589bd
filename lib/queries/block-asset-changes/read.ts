import { TIP_SQL, type TipColumns, tip, toTip } from "#lib/store/common-queries.ts";
import type { Query } from "#lib/store/query.ts";
import type { ChainBlock, IndexTip } from "#lib/store/rows.ts";
import { type Bytes, first, statementWith, toBytes, toHex } from "#lib/store/statement.ts";
import {
  type AssetChangeRow,
  blockRow,
  type ChangeValues,
  POSTGRES_COLUMNS,
  rowsOf,
  SQLITE_COLUMNS,
} from "../change-rows.ts";
import {
  type ChangeFilters,
  FILTER_VALUES,
  isNarrow,
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
  pageOfChanges,
  pageOfWindow,
  WINDOW_TOTAL,
} from "../changes-page.ts";
import { TOKEN_OF_CHANGE } from "../tokens.ts";

/** Whether all changes of the block have to be read, for a filter or an order. */
const isList = (selection: Selection) => isNarrow(selection) || selection.volumeOrder !== undefined;

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

const SQLITE_PAGE = statementWith(["height", "limit", "offset"])(
  `SELECT ${SQLITE_COLUMNS.block} FROM asset_changes
   WHERE height = $height AND ordinal >= $offset ORDER BY ordinal LIMIT CAST($limit AS bigint)`,
);

export const postgresPage = statementBy(["hash", ...FILTER_VALUES, ...PAGE_VALUES], (sql, selection) => {
  const where = sql.ofBlock("$hash");
  // With a filter, the changes are read once for total and page. Without one, the block has the total.
  const [matching, changes, total] = isNarrow(selection)
    ? [
        `WITH matching AS MATERIALIZED (
           SELECT ordinal, ${POSTGRES_COLUMNS.block} FROM asset_changes c ${TOKEN_OF_CHANGE}
           WHERE ${[where, ...tokenFilter(sql, selection)].join(" AND ")}
         )`,
        "matching",
        WINDOW_TOTAL,
      ]
    : ["", `(SELECT * FROM asset_changes WHERE ${where}) changes`, "b.change_count"];
  // In order of first appearance, a change's ordinal is its place.
  const page = isList(selection)
    ? pageOfWindow(changes, POSTGRES_COLUMNS.block, selection)
    : pageOfChanges(
        `SELECT ${POSTGRES_COLUMNS.block} FROM asset_changes WHERE ${where}
         AND ordinal >= CAST($offset AS bigint) ORDER BY ordinal LIMIT CAST($limit AS bigint)`,
        POSTGRES_COLUMNS.block,
      );
  return `${matching}
      SELECT tip.height, tip.hash, tip.gaps, b.height AS block_height, b.parent_hash, b.timestamp,
             ${total} AS total, ${PAGE_COLUMNS}
      FROM blocks b
      CROSS JOIN LATERAL (${TIP_SQL}) tip
      CROSS JOIN LATERAL ${page}
      WHERE b.hash = $hash`;
});

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
      const page = changesPage(db, selected, isList(selection) ? blockHash : undefined);
      const query = postgresPage(selection)({ ...values, ...page.values, hash });
      const row = yield* first<TipColumns & BlockColumns & PageColumns>(db, query);
      if (!row) return null;
      const { rows, total } = yield* page.read(row, blockRow);
      return pageOf(toTip(row), { ...row, total }, rows);
    }
    const block = yield* first<BlockColumns>(db, BLOCK({ hash }));
    if (!block) return null;
    const newest = yield* tip(db);
    const height = block.block_height;
    if (isList(selection)) {
      const pieces = [{ size: 1, from: height, to: height }];
      const { rows, total } = yield* changesInPieces(db, pieces, selected, blockRow);
      return pageOf(newest, { ...block, total }, rows);
    }
    const { limit, offset } = values;
    const rows = yield* rowsOf(db, db.tuples<ChangeValues>(SQLITE_PAGE({ height, limit, offset })), blockRow);
    return pageOf(newest, block, rows);
  },
};

import { exhaustive } from "#lib/contract/exhaustive.ts";
import { TIP_SQL, type TipColumns, tip, toTip } from "#lib/store/common-queries.ts";
import type { Question, Reader } from "#lib/store/question.ts";
import { foldCase } from "#lib/store/rules/asset-names.ts";
import type { Steps } from "#lib/store/rules/steps.ts";
import {
  all,
  type Bytes,
  type Dialect,
  first,
  type StatementWith,
  statementWith,
  toBytes,
  toHex,
} from "#lib/store/statement.ts";
import type { AssetRow, ChainBlock, IndexTip } from "#lib/store/store.ts";
import { hasNul, matchesSearch, TOKEN_OF_CHANGE, toTags } from "../tokens.ts";

/** Which changes of assets, and their order. */
export interface ChangeFilters {
  /** Case-insensitive literal substring of the asset's name; "" matches all. */
  assetName: string;
  /** What `HoldingQuery.search` finds; `assetName` narrows it further. */
  search?: string;
  /** Any of these; empty matches all. */
  tags: string[];
  /** By value in US dollars, ties in order of first appearance; undefined: order of first appearance. */
  volumeOrder?: "asc" | "desc" | undefined;
  offset: number;
  limit: number;
}

export interface AssetChangeQuery extends ChangeFilters {
  blockHash: string;
}

export interface AssetChangeRow {
  /** Exact decimal digits, smallest unit. */
  amount: string;
  /** Units of 10^-8 US dollars, exact decimal digits. */
  amountUsd: string;
  asset: AssetRow;
  tags: string[];
}

export interface AssetChangePage {
  tip: IndexTip | null;
  block: ChainBlock;
  rows: AssetChangeRow[];
  /** Matching rows before paging. */
  total: number;
}

/** Which filters there are, and the order: this decides the statements. */
export interface Selection {
  name: boolean;
  search: boolean;
  tags: boolean;
  volumeOrder: AssetChangeQuery["volumeOrder"];
}

/** The values that `tokenFilter` may take. */
export const FILTER_VALUES = ["name?", "folded?", "search?", "tags?"] as const;
/** Conditions on a change's token `t`. */
export const tokenFilter = (sql: Dialect, { name, search, tags }: Selection): string[] => [
  ...(name ? [`${sql.position("$name", "t.name_folded")} > 0`] : []),
  ...(search ? [matchesSearch(sql, "$folded", "$search")] : []),
  ...(tags ? [sql.hasAny("t.tags", "$tags")] : []),
];

/** `$block` is the block's height for SQLite, its hash for PostgreSQL. */
const whereOf = (sql: Dialect, selection: Selection): string => {
  const ofBlock = sql.engine === "sqlite" ? "c.height = $block" : sql.ofBlock("$block");
  return [ofBlock, ...tokenFilter(sql, selection)].join(" AND ");
};
const isNarrow = ({ name, search, tags }: Selection): boolean => name || search || tags;

export const changeColumns = (change: string, token: string) =>
  `CAST(${change}.amount AS TEXT) AS amount, CAST(${change}.amount_usd AS TEXT) AS amount_usd,
   ${["asset_id", "name", "icon", "symbol", "decimals", "standard", "tags"].map((column) => `${token}.${column}`)}`;

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

/** A statement for each selection, made once. */
export function statementBy<Name extends string>(
  names: readonly Name[],
  textOf: (sql: Dialect, selection: Selection) => string,
) {
  const made = new Map<string, StatementWith<Name>>();
  return (selection: Selection): StatementWith<Name> => {
    const { name, search, tags, volumeOrder } = selection;
    const filters = [name && "name", search && "search", tags && "tags", volumeOrder];
    const key = filters.filter(Boolean).join("-");
    const found = made.get(key) ?? statementWith(names)((sql) => textOf(sql, selection));
    made.set(key, found);
    return found;
  };
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

export type ChangeColumns = Omit<AssetRow, "id"> & {
  /** Null, like all others, in the row of an empty page. */
  amount: string | null;
  amount_usd: string;
  asset_id: string;
  tags: string[] | string;
};

interface Found {
  tip: IndexTip | null;
  block: BlockColumns;
  rows: ChangeColumns[];
}

const BLOCK = statementWith(["hash"])(
  "SELECT height AS block_height, parent_hash, timestamp, change_count AS total FROM blocks WHERE hash = $hash",
);

type Selected = Pick<ReturnType<typeof selectBy>, "selection" | "values">;

function* find(db: Reader, hash: Uint8Array, { selection, values }: Selected): Steps<Found | null> {
  const page = pageFor(selection);
  if (db.engine === "postgres") {
    const listed = page({ ...values, block: hash });
    const rows = yield* all<TipColumns & BlockColumns & ChangeColumns>(db, listed);
    const block = rows[0];
    return block ? { tip: toTip(block), block, rows: block.amount === null ? [] : rows } : null;
  }
  const block = yield* first<BlockColumns>(db, BLOCK({ hash }));
  if (!block) return null;
  const given = { ...values, block: block.block_height };
  if (isNarrow(selection)) {
    block.total = (yield* first<{ total: number }>(db, totalFor(selection)(given)))!.total;
  }
  const rows = yield* all<ChangeColumns>(db, page(given));
  return { tip: yield* tip(db), block, rows };
}

/** What the filters select by, and the values that a page takes. */
export function selectBy({
  assetName,
  search = "",
  tags,
  volumeOrder,
  offset,
  limit,
  ...rest
}: ChangeFilters) {
  exhaustive(rest);
  // A name or a search with a U+0000 matches nothing, nor do tags if each of them has one.
  const isNowhere = hasNul(assetName) || hasNul(search);
  const name = isNowhere ? "" : foldCase(assetName);
  const sought = isNowhere ? "" : search;
  const values = {
    name,
    folded: foldCase(sought),
    search: sought,
    tags: JSON.stringify(tags.filter((tag) => !hasNul(tag)).map((tag) => tag.toWellFormed())),
    limit: isNowhere ? 0 : limit,
    offset,
  };
  const selection: Selection = {
    name: name !== "",
    search: sought !== "",
    tags: tags.length > 0,
    volumeOrder,
  };
  return { selection, values, isNowhere };
}

/** Null if no canonical block has this hash. */
export const assetChangesOfBlock: Question<AssetChangeQuery, AssetChangePage | null> = {
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
      rows: found.rows.map(toChangeRow),
      total: isNowhere ? 0 : total,
    };
  },
};

export function toChangeRow(row: ChangeColumns): AssetChangeRow {
  const { asset_id: id, name, icon, symbol, decimals, standard, tags } = row;
  return {
    amount: row.amount!,
    amountUsd: row.amount_usd,
    asset: { id, name, icon, symbol, decimals, standard },
    tags: toTags(tags),
  };
}

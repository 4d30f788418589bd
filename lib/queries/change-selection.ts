/** Which changes of assets are wanted, and their rows. */

import type { AssetRow } from "#lib/store/rows.ts";
import { foldCase } from "#lib/store/rules/asset-names.ts";
import { type Dialect, type StatementWith, statementWith } from "#lib/store/statement.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { hasNul, matchesSearch, toTags } from "./tokens.ts";

/** Which changes of assets, and their order. */
export interface ChangeFilters {
  /** Case-insensitive literal substring of the asset's name; "" matches all. */
  assetName: string;
  /** A text as in `HoldingQuery.search`; `assetName` narrows the list further. */
  search?: string;
  /** Any of these; empty matches all. */
  tags: string[];
  /** By value in US dollars, ties in order of first appearance; undefined: order of first appearance. */
  volumeOrder?: "asc" | "desc" | undefined;
  offset: number;
  limit: number;
}

export interface AssetChangeRow {
  /** Exact decimal digits, smallest unit. */
  amount: string;
  /** Units of 10^-8 US dollars, exact decimal digits. */
  amountUsd: string;
  asset: AssetRow;
  tags: string[];
}

/** Which filters there are, and the order: this decides the statements. */
export interface Selection {
  name: boolean;
  search: boolean;
  tags: boolean;
  volumeOrder: ChangeFilters["volumeOrder"];
}

/** The values that `tokenFilter` may take. */
export const FILTER_VALUES = ["name?", "folded?", "search?", "tags?"] as const;
/** Conditions on a change's token `t`. */
export const tokenFilter = (sql: Dialect, { name, search, tags }: Selection): string[] => [
  ...(name ? [`${sql.position("$name", "t.name_folded")} > 0`] : []),
  ...(search ? [matchesSearch(sql, "$folded", "$search")] : []),
  ...(tags ? [sql.hasAny("t.tags", "$tags")] : []),
];
export const isNarrow = ({ name, search, tags }: Selection): boolean => name || search || tags;

export const changeColumns = (change: string, token: string) =>
  `CAST(${change}.amount AS TEXT) AS amount, CAST(${change}.amount_usd AS TEXT) AS amount_usd,
   ${["asset_id", "name", "icon", "symbol", "decimals", "standard", "tags"].map((column) => `${token}.${column}`)}`;

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

export type ChangeColumns = Omit<AssetRow, "id"> & {
  /** Null, like all others, in the row of an empty page. */
  amount: string | null;
  amount_usd: string;
  asset_id: string;
  tags: string[] | string;
};

/** The filters of a selection, and the values that its page takes. */
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
export type Selected = Pick<ReturnType<typeof selectBy>, "selection" | "values">;

export function toChangeRow(row: ChangeColumns): AssetChangeRow {
  const { asset_id: id, name, icon, symbol, decimals, standard, tags } = row;
  return {
    amount: row.amount!,
    amountUsd: row.amount_usd,
    asset: { id, name, icon, symbol, decimals, standard },
    tags: toTags(tags),
  };
}

import { foldCase } from "#lib/store/rules/asset-names.ts";
import { type Dialect, type StatementWith, statementWith } from "#lib/store/statement.ts";
import { exhaustive } from "#lib/util/exhaustive.ts";
import { hasNul, lowerAscii, matchesSearch } from "./tokens.ts";

/** Filters and order of a list of asset changes. */
export interface ChangeFilters {
  /** Case-insensitive literal substring of the asset's name; "" matches all. */
  assetName: string;
  /** A further filter, as in `HoldingQuery.search`. */
  search?: string;
  /** The asset has any of these tags; empty matches all. */
  tags: string[];
  /** Order by value in US dollars, then by first appearance; undefined: by first appearance alone. */
  volumeOrder?: "asc" | "desc" | undefined;
  offset: number;
  limit: number;
}

/** Conditions on a change's token `t`, by filter. */
const FILTERS = {
  name: (sql: Dialect) => `${sql.position("$name", "t.name_folded")} > 0`,
  search: (sql: Dialect) => matchesSearch(sql, "$folded", "$lowered"),
  tags: (sql: Dialect) => sql.hasAny("t.tags", "$tags"),
};
type Filter = keyof typeof FILTERS;
/** Values for the conditions of `tokenFilter`. */
export const FILTER_VALUES = ["name?", "folded?", "lowered?", "tags?"] as const;

/** The filters in use, and the order: they decide the text of the statement. */
export interface Selection {
  filters: Filter[];
  volumeOrder: ChangeFilters["volumeOrder"];
}

/** Conditions on a change's token `t`. */
export const tokenFilter = (sql: Dialect, { filters }: Selection): string[] =>
  filters.map((name) => FILTERS[name](sql));
export const isNarrow = ({ filters }: Selection): boolean => filters.length > 0;

/** PostgreSQL: the keys of ORDER BY. */
export const changeOrder = ({ volumeOrder }: Selection): string =>
  volumeOrder ? `amount_usd ${volumeOrder}, ordinal` : "ordinal";

/** Makes a statement for each selection once. */
export function statementBy<Name extends string>(
  names: readonly Name[],
  textOf: (sql: Dialect, selection: Selection) => string,
) {
  const made = new Map<string, StatementWith<Name>>();
  return (selection: Selection): StatementWith<Name> => {
    const key = JSON.stringify(selection);
    const found = made.get(key) ?? statementWith(names)((sql) => textOf(sql, selection));
    made.set(key, found);
    return found;
  };
}

/** The selection, and values for its statements. `isNowhere`: nothing can match. */
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
  // No stored text has a U+0000.
  const isNowhere = hasNul(assetName) || hasNul(search);
  const name = isNowhere ? "" : foldCase(assetName);
  const sought = isNowhere ? "" : search;
  const values = {
    name,
    folded: foldCase(sought),
    lowered: lowerAscii(sought),
    tags: JSON.stringify(tags.filter((tag) => !hasNul(tag)).map((tag) => tag.toWellFormed())),
    limit: isNowhere ? 0 : limit,
    offset,
  };
  const inUse = { name: name !== "", search: sought !== "", tags: tags.length > 0 };
  const filters = (Object.keys(FILTERS) as Filter[]).filter((each) => inUse[each]);
  const selection: Selection = { filters, volumeOrder };
  return { selection, values, isNowhere };
}
export type Selected = Pick<ReturnType<typeof selectBy>, "selection" | "values">;

/**
 * A list of the API is declared once, beside its page: what the address bar keeps of it, what it asks the
 * operation, and what its file has. The page's state, its requests, its export and the rows that come with
 * the page all read the declaration. A query parameter or an entry's field without a line does not compile.
 */
import { type OperationPath, type Params, type Query, request, urlOf } from "./request.ts";
import type { Fields, ValuesOf } from "./url-state.ts";

type PageOf<Path extends OperationPath> = Awaited<ReturnType<typeof request<Path>>>["data"];
export type EntryOf<Path extends OperationPath> =
  PageOf<Path> extends { result: (infer Entry)[] } ? Entry : never;

/** The head of a CSV column and its value in a row. */
export type CsvColumn<Entry> = readonly [head: string, value: (entry: Entry) => string | number | bigint];

/** Columns by the field that they come from, in the file's order; `[]` leaves a field out. */
export type CsvColumns<Entry> = { readonly [Field in keyof Entry]: readonly CsvColumn<Entry>[] };

export interface List<Path extends OperationPath, Of extends Fields> {
  /** Names exported files and cached answers. */
  name: string;
  path: Path;
  /** What no two entries of the list share. */
  idOf: (entry: EntryOf<Path>) => string;
  /** The view: what the address bar keeps. */
  fields: Of;
  /** What each query parameter is for a view; undefined and `""` are not sent. */
  query: { readonly [Name in keyof Required<Query<Path>>]: (view: ValuesOf<Of>) => Query<Path>[Name] };
  csv: CsvColumns<EntryOf<Path>>;
}

/** The values of a list's fields. */
export type ViewOf<Of> = Of extends List<infer _Path, infer Fields> ? ValuesOf<Fields> : never;

/** Checks a declaration against the operation at its path. */
export function declareList<const Path extends OperationPath, Of extends Fields>(
  list: List<Path, Of>,
): List<Path, Of> {
  return list;
}

/** The query of a view; `paging` replaces the view's own place and size of page. */
function queryOf<Path extends OperationPath, Of extends Fields>(
  { query }: List<Path, Of>,
  view: ValuesOf<Of>,
  paging: Query<Path>,
): Query<Path> {
  const names = Object.keys(query) as (keyof Query<Path>)[];
  const asked = Object.fromEntries(names.map((name) => [name, query[name](view)])) as Query<Path>;
  return { ...asked, ...paging };
}

/** The request of a page of the list, as path and query. */
export function pathOf<Path extends OperationPath, Of extends Fields>(
  list: List<Path, Of>,
  params: Params<Path>,
  view: ValuesOf<Of>,
  paging: Query<Path> = {},
): string {
  return urlOf(list.path, params, queryOf(list, view, paging));
}

/** Asks for a page of the list. Throws as `request` does. */
export function requestPage<Path extends OperationPath, Of extends Fields>(
  list: List<Path, Of>,
  params: Params<Path>,
  view: ValuesOf<Of>,
  paging: Query<Path>,
  signal: AbortSignal,
) {
  return request(list.path, params, queryOf(list, view, paging), signal);
}

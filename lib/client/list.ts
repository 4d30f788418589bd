/** A list is declared once, beside its page. A query parameter or an entry's field without a line does not compile. */
import type { CsvColumn } from "#lib/util/csv.ts";
import { type Fetched, type Params, type Query, type RequestPath, request, urlOf } from "./request.ts";
import type { FieldsOf } from "./url-state.ts";

export const ENDLESS_PAGE = 100;

/** Columns by the field that they come from, in the file's order; `[]` leaves a field out. */
export type CsvColumns<Entry> = { readonly [Field in keyof Entry]: readonly CsvColumn<Entry>[] };

type PageAt<Path extends RequestPath> = Awaited<ReturnType<typeof request<Path>>>["data"];
type EntryAt<Path extends RequestPath> = PageAt<Path> extends { result: (infer Entry)[] } ? Entry : never;

interface Common<Entry, View> {
  /** Names exported files. */
  name: string;
  /** What no two entries of the list share. */
  idOf: (entry: Entry) => string;
  /** The view: what the address bar keeps. */
  fields: FieldsOf<View>;
  csv: CsvColumns<Entry>;
  /** Rows of one request of an export: as many as the server gives at once. */
  exportSize: number;
  /** For a list that can be read backwards: the paging of the entries before the one with this id. */
  before?: (view: View, id: string) => Paging;
}

interface Declaration<Path extends RequestPath, View> extends Common<EntryAt<Path>, View> {
  path: Path;
  /** What each query parameter is for a view; undefined and `""` are not sent. */
  query: {
    readonly [Name in keyof Required<Query<Path>>]: (view: View, params: Params<Path>) => Query<Path>[Name];
  };
  before?: (view: View, id: string) => Paging & Query<Path>;
}

/** A list as hooks and components use it. `Of` names what it is of, such as an address. */
export interface List<Entry, View, Page, Of extends Record<string, string>> extends Common<Entry, View> {
  /** The request of a page, as path and query. `paging` replaces the view's own place and size of page. */
  pathOf(of: Of, view: View, paging?: Paging): string;
  /** Asks for a page. Throws as `request` does. */
  read(of: Of, view: View, paging: Paging, signal: AbortSignal): Promise<Fetched<Page>>;
}

type Paging = Record<string, string | number>;

export type ViewOf<Of> = Of extends { fields: FieldsOf<infer View> } ? View : never;

export function declareList<const Path extends RequestPath, View>(
  declaration: Declaration<Path, View>,
): List<EntryAt<Path>, View, PageAt<Path>, Params<Path>> {
  const { path, query, ...list } = declaration;
  const queryOf = (of: Params<Path>, view: View, paging: Paging = {}): Query<Path> => {
    const names = Object.keys(query) as (keyof Query<Path>)[];
    const asked = Object.fromEntries(names.map((name) => [name, query[name](view, of)])) as Query<Path>;
    return { ...asked, ...paging };
  };
  return {
    ...list,
    pathOf: (of, view, paging) => urlOf(path, of, queryOf(of, view, paging)),
    read: (of, view, paging, signal) => request(path, of, queryOf(of, view, paging), signal),
  };
}

/** Each list is declared once, beside its page. Every field of an entry needs a line to compile. */
import type { CsvColumn } from "#lib/util/csv.ts";
import { type Fetched, type Params, type Query, type RequestPath, request, urlOf } from "./request.ts";
import type { FieldsOf } from "./url-state.ts";

export const ENDLESS_PAGE = 100;

/** CSV columns in order, by the field that they show; `[]` leaves a field out. */
export type CsvColumns<Entry> = { readonly [Field in keyof Entry]-?: readonly CsvColumn<Entry>[] };

type PageAt<Path extends RequestPath> = Awaited<ReturnType<typeof request<Path>>>["data"];
type EntryAt<Path extends RequestPath> = PageAt<Path> extends { result: (infer Entry)[] } ? Entry : never;

interface Common<Entry, View> {
  name: string;
  /** Returns an id that is unique in the list. */
  idOf: (entry: Entry) => string;
  /** Fields of the view, which the address bar keeps. */
  fields: FieldsOf<View>;
  csv: CsvColumns<Entry>;
  /** The server's maximum page size, which exports use. */
  exportSize: number;
  /** Parameters that exports replace. */
  exportQuery?: Paging;
  /** Whether each page is of the tip when it is read. With the parameter `at`, it is as of a block. */
  isLive?: (view: View) => boolean;
  /** Reads backwards: returns the paging of the entries before an id. */
  before?: (view: View, id: string) => Paging;
}

interface Declaration<Path extends RequestPath, View> extends Common<EntryAt<Path>, View> {
  path: Path;
  /** Computes query parameters from the view; undefined and `""` are not sent. */
  query: {
    readonly [Name in keyof Query<Path>]?: (view: View, params: Params<Path>) => Query<Path>[Name];
  };
  before?: (view: View, id: string) => Paging & Query<Path>;
}

/** A list as hooks and components use it. `Of` identifies its subject, such as an address. */
export interface List<Entry, View, Page, Of extends Record<string, string>> extends Common<Entry, View> {
  /** Path and query of a page's request. `paging` overrides the view's paging. */
  pathOf(of: Of, view: View, paging?: Paging): string;
  /** Requests a page. Throws the same errors as `request`. */
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
    const values = Object.fromEntries(names.map((name) => [name, query[name]?.(view, of)])) as Query<Path>;
    return { ...values, ...paging };
  };
  return {
    ...list,
    pathOf: (of, view, paging) => urlOf(path, of, queryOf(of, view, paging)),
    read: (of, view, paging, signal) => request(path, of, queryOf(of, view, paging), signal),
  };
}

import type { Subject } from "#lib/client/export.ts";
import type { CsvColumns } from "#lib/client/list.ts";
import type { CursorList } from "#lib/client/queries.ts";
import { type WalkOptions, walkCursors } from "#lib/client/walks.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";

/** Describes a list to its export. */
export interface Exportable<Entry> {
  list: { name: string; csv: CsvColumns<Entry> };
  /** Describes the rows of a file that does not have those of the page. */
  fileRows?: string;
  subject: Subject;
  /** Path and query of the list's request. */
  query: string;
  loaded: {
    rows: readonly Entry[];
    query: string;
    tip: IndexTip | null;
    /** The rows belong to the previous view. */
    outdated?: boolean;
    /** These are all rows of the list. */
    complete: boolean;
  };
  /** The list follows the tip, so the whole is read as of one block. */
  isLive?: boolean;
  /** The list leaves out rows that the request has. */
  isPart?: boolean;
  /** Number of rows in the whole list; null if unknown. */
  total: number | null;
  walk: (options: WalkOptions<Entry>) => Promise<void>;
  /** Puts rows in the page's order, if the API does not list them in it. */
  arrange?: ((rows: readonly Entry[]) => readonly Entry[]) | undefined;
}

/**
 * Exports every page of a list, following its cursors. If the list `isLive`, the first page resolves the tip to a block, and the
 * cursors stay with it.
 */
export function exportByCursor<Entry, View, Of extends Record<string, string>>(
  list: CursorList<Entry, View, Of>,
  of: Of,
  view: View,
  isLive = false,
): Omit<Exportable<Entry>, "loaded"> {
  const asOf: { at?: string } = isLive ? { at: "tip" } : {};
  return {
    list,
    subject: of,
    query: list.pathOf(of, view),
    isLive,
    total: null,
    walk: (options) =>
      walkCursors({
        ...options,
        idOf: list.idOf,
        read: (cursor) => list.read(of, view, { cursor, pageSize: list.exportSize, ...asOf }, options.signal),
      }),
  };
}

import type { WalkOptions } from "#lib/client/export.ts";
import type { CsvColumns } from "#lib/client/list.ts";
import type { AnswerTip } from "#lib/client/request.ts";

/** A list as its page has it, for a file. */
export interface Exportable<Entry> {
  list: { name: string; csv: CsvColumns<Entry> };
  /** What the list is of, for the file's name. */
  subject: string;
  /** The request behind the list, as path and query. */
  query: string;
  loaded: {
    rows: readonly Entry[];
    /** The request that gave them. */
    query: string;
    tip: AnswerTip | null;
    /** They belong to another filter or page: the list's own rows are not there yet. */
    outdated?: boolean;
  };
  /** Rows of the whole list, as last known; null if unknown. */
  total: number | null;
  walk: (options: WalkOptions<Entry>) => Promise<void>;
}

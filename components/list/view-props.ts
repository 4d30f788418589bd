import type { ReactNode } from "react";
import type { Column } from "#components/table/columns.ts";
import type { Controls } from "./Toolbar.tsx";

/** What the page of a list gives to its view. */
export interface ListViewProps<Entry, View> {
  /** Those to draw; some may be hidden. */
  rows: readonly Entry[];
  caption: string;
  columns: readonly Column<Entry>[];
  facts?: unknown;
  /** The content of an open row. */
  details: (entry: Entry) => ReactNode;
  /** A key pressed while a row has the focus, if the table itself has no use for it. */
  onRowKey?: (key: string, entry: Entry) => void;
  tableClass?: string;
  controls: Controls<View>;
  /** Between the toolbar and the rows. */
  filters?: ReactNode;
  /** Stands for the rows if there are none. */
  empty: ReactNode;
}

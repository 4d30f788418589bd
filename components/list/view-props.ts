import type { ReactNode } from "react";
import type { TableProps } from "#components/table/DataTable.tsx";
import type { Controls } from "./Toolbar.tsx";

/** What the page of a list gives to its view. `rows` are those to draw; some may be hidden. */
export interface ListViewProps<Entry, View>
  extends Pick<TableProps<Entry>, "rows" | "caption" | "columns" | "facts" | "details" | "onRowKey"> {
  tableClass?: string;
  controls: Controls<View>;
  /** Between the toolbar and the rows. */
  filters?: ReactNode;
  /** Stands for the rows if there are none. */
  empty: ReactNode;
}

import {
  functionalUpdate,
  metaHelper,
  type Row,
  type RowData,
  rowExpandingFeature,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import type { Column, ColumnMeta } from "./columns.ts";

// TanStack Table owns the columns, the ids of rows, the order, and which row is open. The CSS tracks, the focus, printing
// and copying are ours.
const features = tableFeatures({
  rowExpandingFeature,
  rowSortingFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});

export type Features = typeof features;
export type TableRow<Entry extends RowData> = Row<Features, Entry>;
export type DataTableState<Entry extends RowData> = ReturnType<typeof useDataTable<Entry>>;

export interface DataTableOptions<Entry extends RowData> {
  columns: readonly Column<Entry>[];
  /** The rows to draw, in order. */
  rows: readonly Entry[];
  idOf: (entry: Entry) => string;
  /** The order that the server gave the rows. */
  sorting?: SortingState;
  onSort?: (sorting: SortingState) => void;
}

const UNSORTED: SortingState = [];

export function useDataTable<Entry extends RowData>(options: DataTableOptions<Entry>) {
  const { columns, rows, idOf, sorting = UNSORTED, onSort } = options;
  return useTable({
    features,
    columns,
    data: rows,
    getRowId: (entry) => idOf(entry),
    getRowCanExpand: () => true,
    // More rows may load while one is open.
    autoResetExpanded: false,
    manualSorting: true,
    state: { sorting },
    onSortingChange: (update) => onSort?.(functionalUpdate(update, sorting)),
  });
}

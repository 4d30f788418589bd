import { functionalUpdate, type RowData, type SortingState, useTable } from "@tanstack/react-table";
import { useMemo } from "react";
import { useView } from "#components/url-state.ts";
import { listField } from "#lib/client/url-state.ts";
import { type Column, features } from "./columns.ts";

export type DataTableState<Entry extends RowData> = ReturnType<typeof useDataTable<Entry>>;

export interface DataTableOptions<Entry extends RowData> {
  columns: readonly Column<Entry>[];
  rows: readonly Entry[];
  idOf: (entry: Entry) => string;
  /** The order of the rows, which the server chose. */
  sorting?: SortingState;
  onSort?: (sorting: SortingState) => void;
}

const UNSORTED: SortingState = [];
const HIDDEN = { hide: listField };

export function useDataTable<Entry extends RowData>(options: DataTableOptions<Entry>) {
  const { columns, rows, idOf, sorting = UNSORTED, onSort } = options;
  const [{ hide }, setView] = useView(HIDDEN);
  const columnVisibility = useMemo(() => {
    const hidden = columns.filter(({ id, enableHiding }) => enableHiding && hide.includes(id ?? ""));
    return Object.fromEntries(hidden.map(({ id }) => [id, false]));
  }, [columns, hide]);
  return useTable({
    features,
    columns,
    data: rows,
    getRowId: (entry) => idOf(entry),
    getRowCanExpand: () => true,
    // More rows may load while one is open.
    autoResetExpanded: false,
    manualSorting: true,
    state: { sorting, columnVisibility },
    onColumnVisibilityChange(update) {
      const shown = functionalUpdate(update, columnVisibility);
      // Hidden columns of the page's other lists stay hidden.
      const others = hide.filter((id) => shown[id] === undefined);
      setView({ hide: [...others, ...Object.keys(shown).filter((id) => !shown[id])] });
    },
    onSortingChange: (update) => onSort?.(functionalUpdate(update, sorting)),
  });
}

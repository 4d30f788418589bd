"use client";

import type { RowData } from "@tanstack/react-table";
import { useId } from "react";
import { Button } from "#components/ui/Button.tsx";
import { AnchoredPopover } from "#components/ui/Popover.tsx";
import type { DataTableState } from "./use-data-table.ts";

/** Shows and hides columns. The choice is in the address bar. */
export function ColumnChooser<Entry extends RowData>({ table }: { table: DataTableState<Entry> }) {
  const id = useId();
  const columns = table.getAllLeafColumns().filter((column) => column.getCanHide());
  const hidden = columns.filter((column) => !column.getIsVisible()).length;
  return (
    <>
      <Button popoverTarget={id}>Columns{hidden > 0 && ` (${hidden} hidden)`}</Button>
      <AnchoredPopover id={id} title="Columns">
        {columns.map((column) => (
          <label key={column.id} className="flex min-h-8 items-center gap-2 max-sm:min-h-11">
            <input
              type="checkbox"
              checked={column.getIsVisible()}
              onChange={(event) => column.toggleVisibility(event.target.checked)}
            />
            {column.columnDef.meta?.label}
          </label>
        ))}
      </AnchoredPopover>
    </>
  );
}

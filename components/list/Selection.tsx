"use client";

import type { RowData } from "@tanstack/react-table";
import { type ComponentProps, Suspense } from "react";
import { lazyPart } from "#components/lazy-part.tsx";

const SelectionBar = lazyPart("The selection", () => import("./SelectionBar.tsx"));

/** The bar of the selected rows, while there are any. */
export function Selection<Entry extends RowData>(props: ComponentProps<typeof SelectionBar<Entry>>) {
  if (props.table.getSelectedRowModel().rows.length === 0) return null;
  return (
    <Suspense>
      <SelectionBar {...props} />
    </Suspense>
  );
}

"use client";

import {
  type CoreFeatures,
  constructTable,
  type Table,
  type TableOptions,
  tableFeatures,
} from "@tanstack/react-table";
import { useMemo } from "react";

export interface ColumnMeta {
  /** Figures stand at the end of their column. */
  align?: "end";
  /** Set where the column can sort. */
  sort?: "ascending" | "descending" | "none";
}

const never = { unsubscribe() {} };

/** Bindings for a table without state of its own: nothing in it ever changes. */
const still: CoreFeatures["coreReactivityFeature"] = {
  createOptionsStore: false,
  wrapExternalAtoms: false,
  addSubscription() {},
  createWritableAtom: (value) => ({ get: () => value, set() {}, subscribe: () => never }),
  createReadonlyAtom: (compute) => ({ get: compute, subscribe: () => never }),
  untrack: (read) => read(),
  batch: (work) => work(),
  schedule() {},
};

/** What both tables need of TanStack Table: the server sorts, filters and pages. */
export const features = tableFeatures({ columnMeta: {} as ColumnMeta, coreReactivityFeature: still });
export type Features = typeof features;

/**
 * TanStack Table without its store, for which a table that neither sorts nor selects has no use: a new
 * table whenever the rows or the columns change.
 */
export function useTable<Data extends object>(
  options: Pick<TableOptions<Features, Data>, "columns" | "data" | "getRowId">,
): Table<Features, Data> {
  const { columns, data, getRowId } = options;
  return useMemo(
    () => constructTable<Features, Data>({ features, columns, data, getRowId }),
    [columns, data, getRowId],
  );
}

import { createContext, useContext } from "react";

interface RowState {
  active: boolean;
  expanded: boolean;
  toggle: () => void;
}

/** The row that contains a control; null outside tables. */
export const RowContext = createContext<RowState | null>(null);

/** A table is one tab stop, so the Tab key reaches only the controls of the active row. */
export function useRowTabIndex(): 0 | -1 | undefined {
  const row = useContext(RowContext);
  if (row === null) return undefined;
  return row.active ? 0 : -1;
}

/** Actions of a row on its table. Their identity is stable, so that they never render rows again. */
export const TableContext = createContext<{
  toggle: (id: string) => void;
  focus: (id: string) => void;
  /** Selects or deselects a row; with `range`, all rows from the previous call's. */
  select: (id: string, selected: boolean, range: boolean) => void;
  /** The id of the row that the page was opened at, or that a search found. */
  marked: string | undefined;
} | null>(null);

export const FactsContext = createContext<unknown>(null);

/** The table's `facts`: data that all rows share. Each list has its own type. */
export function useRowFacts<Facts>(): Facts {
  return useContext(FactsContext) as Facts;
}

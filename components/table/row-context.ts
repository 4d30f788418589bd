import { createContext, useContext } from "react";

interface RowState {
  active: boolean;
  expanded: boolean;
  toggle: () => void;
}

/** The row around a control; null outside of tables. */
export const RowContext = createContext<RowState | null>(null);

/** A table is one stop for the Tab key: it reaches only the controls of the active row. */
export function useRowTabIndex(): 0 | -1 | undefined {
  const row = useContext(RowContext);
  if (row === null) return undefined;
  return row.active ? 0 : -1;
}

/** What a row can do to its table. It never changes, so it never makes rows render again. */
export const TableContext = createContext<{
  toggle: (id: string) => void;
  focus: (id: string) => void;
  /** Selects a row or not. A range goes from the row of the last call to this one. */
  select: (id: string, selected: boolean, range: boolean) => void;
} | null>(null);

export const FactsContext = createContext<unknown>(null);

/** What all rows of a table show besides their entries. Each list has its own type of `facts`. */
export function useRowFacts<Facts>(): Facts {
  return useContext(FactsContext) as Facts;
}

import { createContext, useContext } from "react";

export interface RowState {
  active: boolean;
  expanded: boolean;
  toggle: () => void;
}

/** The row around a control; null outside of tables. */
export const RowContext = createContext<RowState | null>(null);

/**
 * A table is one stop for the Tab key: of all its controls only those of the active row are reached, the
 * arrow keys change which row that is.
 */
export function useRowTabIndex(): 0 | -1 | undefined {
  const row = useContext(RowContext);
  if (row === null) return undefined;
  return row.active ? 0 : -1;
}

/** What a row can ask of its table; never changes, so that rows are not drawn anew for it. */
export const TableContext = createContext<{
  toggle: (id: string) => void;
  focus: (id: string) => void;
} | null>(null);

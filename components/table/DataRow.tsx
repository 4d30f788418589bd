"use client";

import { memo, type ReactNode, type Ref, useContext, useMemo } from "react";
import type { Column } from "./columns.ts";
import { ROLES } from "./roles.ts";
import { RowContext, TableContext } from "./row-context.ts";

interface Props<Entry> {
  columns: readonly Column<Entry>[];
  entry: Entry;
  id: string;
  /** Among the loaded rows, from 0. */
  at: number;
  /** In the whole list, from 0. */
  index: number;
  active: boolean;
  /** Set while the row is open. */
  details: ((entry: Entry) => ReactNode) | undefined;
  /** Set on rows that are drawn only near the window. */
  measure?: (element: HTMLTableRowElement | null) => void;
}

const DETAILS = "col-span-full row-[6] border-t border-dashed bg-bg p-3 max-sm:p-2 max-sm:pl-0";

function Row<Entry>({ columns, entry, id, at, index, active, details, measure }: Props<Entry>) {
  const actions = useContext(TableContext);
  const expanded = details !== undefined;
  const state = useMemo(
    () => ({ active, expanded, toggle: () => actions?.toggle(id) }),
    [active, expanded, actions, id],
  );
  return (
    <RowContext value={state}>
      <tr
        ref={measure}
        {...ROLES.row}
        data-row=""
        data-id={id}
        data-index={at}
        data-near={measure && ""}
        data-expanded={expanded || undefined}
        tabIndex={active ? 0 : -1}
        // The header is row 1.
        aria-rowindex={index + 2}
        onFocus={() => actions?.focus(id)}
      >
        {columns.map((column) => (
          <td
            key={column.id}
            {...ROLES.cell}
            className={column.className}
            data-column={column.id}
            data-align={column.align}
          >
            {column.cell(entry, at)}
          </td>
        ))}
        {details && (
          <td {...ROLES.cell} className={DETAILS}>
            {details(entry)}
          </td>
        )}
      </tr>
    </RowContext>
  );
}

/** `memo` forgets that the component is generic. */
const DataRow = memo(Row) as typeof Row;

export interface RowsProps<Entry> {
  columns: readonly Column<Entry>[];
  rows: readonly Entry[];
  idOf: (entry: Entry) => string;
  /** Rows of the whole list before these. */
  offset: number;
  activeId: string | undefined;
  expandedId: string | null;
  details: (entry: Entry) => ReactNode;
}

export function rowAt<Entry>(
  { columns, rows, idOf, offset, activeId, expandedId, details }: RowsProps<Entry>,
  at: number,
  measure?: (element: HTMLTableRowElement | null) => void,
) {
  const entry = rows[at]!;
  const id = idOf(entry);
  return (
    <DataRow
      key={id}
      {...{ columns, entry, id, at, ...(measure && { measure }) }}
      index={offset + at}
      active={id === activeId}
      details={id === expandedId ? details : undefined}
    />
  );
}

/** Height of a row that was never drawn. */
export const GUESSED_ROW_PX = 44;

/** Stands for rows that are not in the document, so that the page keeps its height. */
export function Spacer({ height, ref }: { height: number; ref?: Ref<HTMLTableRowElement> }) {
  const style = { height: Math.max(height, 0), minHeight: 0, border: 0 };
  return <tr ref={ref} {...ROLES.none} className="print:hidden" style={style} />;
}

"use client";

import { FlexRender, type RowData } from "@tanstack/react-table";
import { memo, type ReactNode, useContext, useMemo } from "react";
import type { TableRow } from "./columns.ts";
import { ROLES } from "./roles.ts";
import { RowContext, TableContext } from "./row-context.ts";

interface Props<Entry extends RowData> {
  row: TableRow<Entry>;
  /** The visible columns. The row renders again when they change. */
  columns: unknown;
  /** Position in the whole list, from 0. */
  index: number;
  active: boolean;
  selected: boolean;
  details: ((entry: Entry) => ReactNode) | undefined;
}

/** Places the checkbox in the margin, so that no column moves. */
const BESIDE =
  "absolute top-0 -left-7 flex h-(--row-min) w-7 items-center justify-center opacity-0 has-checked:opacity-100 [tr:is(:hover,:focus-within)>td>&]:opacity-100 max-sm:hidden [@media(hover:none)]:hidden print:hidden";
/** Places the checkbox in the open row on phones and touch screens. */
const IN_DETAILS = "mb-3 flex min-h-11 w-fit items-center gap-2 sm:[@media(hover:hover)]:hidden print:hidden";
const DETAILS = "col-span-full row-[6] border-t border-dashed bg-bg p-3 max-sm:p-2 max-sm:pl-0";

function PlainRow<Entry extends RowData>({ row, index, active, selected, details }: Props<Entry>) {
  const { id } = row;
  const shown = row.getVisibleCells();
  const actions = useContext(TableContext);
  const expanded = details !== undefined;
  const state = useMemo(
    () => ({ active, expanded, toggle: () => actions?.toggle(id) }),
    [active, expanded, actions, id],
  );
  const checkbox = (className: string, words: string) => (
    <label className={className}>
      <input
        type="checkbox"
        aria-label="Select this row"
        tabIndex={active ? 0 : -1}
        checked={selected}
        onChange={({ target, nativeEvent }) =>
          actions?.select(id, target.checked, (nativeEvent as MouseEvent).shiftKey)
        }
      />
      {words}
    </label>
  );
  return (
    <RowContext value={state}>
      <tr
        {...ROLES.row}
        data-row=""
        data-id={id}
        data-index={row.index}
        data-expanded={expanded || undefined}
        data-selected={selected || undefined}
        aria-current={actions?.marked === id || undefined}
        tabIndex={active ? 0 : -1}
        // The header is row 1.
        aria-rowindex={index + 2}
        onFocus={() => actions?.focus(id)}
      >
        {shown.map((cell) => (
          <td
            key={cell.id}
            {...ROLES.cell}
            className={cell.column.columnDef.meta?.className}
            data-column={cell.column.id}
            data-align={cell.column.columnDef.meta?.align}
          >
            {cell.id === shown[0]?.id && checkbox(BESIDE, "")}
            <FlexRender cell={cell} />
          </td>
        ))}
        {details && (
          <td {...ROLES.cell} className={DETAILS}>
            {checkbox(IN_DETAILS, "Select this row")}
            {details(row.original)}
          </td>
        )}
      </tr>
    </RowContext>
  );
}

/** Loading more creates new row objects. A row renders again only if its content changes. */
function isSameRow<Entry extends RowData>(
  { row: before, ...others }: Props<Entry>,
  { row: after, ...now }: Props<Entry>,
): boolean {
  const names = Object.keys(now) as (keyof typeof now)[];
  return (
    before.original === after.original &&
    before.index === after.index &&
    names.every((name) => Object.is(others[name], now[name]))
  );
}

/** `memo` loses the component's type parameter. */
const DataRow = memo(PlainRow, isSameRow) as typeof PlainRow;

export interface RowsProps<Entry extends RowData> {
  columns: unknown;
  rows: readonly TableRow<Entry>[];
  offset: number;
  activeId: string | undefined;
  /** More rows may load: only those near the window are drawn. */
  grows: boolean;
  details: (entry: Entry) => ReactNode;
}

export function rowAt<Entry extends RowData>(
  { columns, rows, offset, activeId, details }: RowsProps<Entry>,
  at: number,
) {
  const row = rows[at]!;
  return (
    <DataRow
      key={row.id}
      {...{ row, columns }}
      index={offset + at}
      active={row.id === activeId}
      selected={row.getIsSelected()}
      details={row.getIsExpanded() ? details : undefined}
    />
  );
}

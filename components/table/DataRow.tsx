"use client";

import { FlexRender, type Row } from "@tanstack/react-table";
import { memo, type ReactNode, useContext, useMemo } from "react";
import type { Features } from "./columns.ts";
import { ROLES } from "./roles.ts";
import { RowContext, TableContext } from "./row-context.ts";

interface RowProps<Data extends object> {
  row: Row<Features, Data>;
  /** In the whole list, from 0. */
  index: number;
  active: boolean;
  /** Set while the row is open. */
  details: ((data: Data) => ReactNode) | undefined;
  /** For rows that are only drawn near the window. */
  measure?: (element: HTMLTableRowElement | null) => void;
  place?: number;
}

/** An open row's details, below its columns. */
const DETAILS = "col-span-full row-[6] border-t border-dashed bg-bg p-3 max-sm:p-2 max-sm:pl-0";

/** The table makes all its rows again when some are added: a row is the same if its entry and place are. */
function isSameRow<Data extends object>(
  { row: before, ...old }: RowProps<Data>,
  { row, ...now }: RowProps<Data>,
): boolean {
  return (
    before.original === row.original &&
    before.index === row.index &&
    old.index === now.index &&
    old.active === now.active &&
    old.details === now.details &&
    old.measure === now.measure &&
    old.place === now.place
  );
}

function MemoRow<Data extends object>(props: RowProps<Data>) {
  const { row, index, active, details, measure, place } = props;
  const actions = useContext(TableContext);
  const expanded = details !== undefined;
  const { id } = row;
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
        data-index={place}
        data-expanded={expanded || undefined}
        tabIndex={active ? 0 : -1}
        // The header is row 1.
        aria-rowindex={index + 2}
        onFocus={() => actions?.focus(id)}
      >
        {row.getAllCells().map((cell) => {
          const { align, className } = cell.column.columnDef.meta ?? {};
          return (
            <td
              key={cell.id}
              {...ROLES.cell}
              className={className}
              data-column={cell.column.id}
              data-align={align}
            >
              <FlexRender cell={cell} />
            </td>
          );
        })}
        {details && (
          <td {...ROLES.cell} className={DETAILS}>
            {details(row.original)}
          </td>
        )}
      </tr>
    </RowContext>
  );
}

/** One row. `memo` forgets that the component is generic. */
export const DataRow = memo(MemoRow, isSameRow) as typeof MemoRow;

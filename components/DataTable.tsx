"use client";

import { type Column, FlexRender, type Row, type Table } from "@tanstack/react-table";
import {
  type KeyboardEvent,
  lazy,
  memo,
  type ReactNode,
  type Ref,
  Suspense,
  useCallback,
  useContext,
  useMemo,
  useState,
} from "react";
import { usePreferences } from "./Preferences.tsx";
import { RowContext, TableContext } from "./row-context.ts";
import type { Features } from "./table.ts";

/** From this many rows on only those near the window are in the document. */
const VIRTUAL_FROM = 1000;
const VirtualRows = lazy(() => import("./VirtualRows.tsx")) as typeof import("./VirtualRows.tsx").default;

// Tables lose their meaning for screen readers in some browsers once CSS lays them out; spelled-out roles keep it.
const role = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  header: { role: "columnheader" },
  cell: { role: "cell" },
  /** Only for the eye. */
  none: { role: "presentation" },
} as const;

interface Props<Data extends object> {
  table: Table<Features, Data>;
  /** Names the table for screen readers. */
  caption: string;
  className: string;
  /** Rows of the whole list, where known; -1 while not. */
  rowCount: number;
  /** Place of the first shown row in the whole list, from 0. */
  offset?: number;
  /** Shown rows are not those that are wanted. */
  outdated?: boolean;
  /** Others are being loaded in their place. */
  busy?: boolean;
  /** Rows of grey bars after the others: these are being loaded. */
  skeletonRows?: number;
  /** A last row over all columns: why the list stops here. */
  after?: ReactNode;
  /** What a row says when it is opened. A stable function. */
  details?: (data: Data) => ReactNode;
  /** A key pressed while a row has the focus, after those of the table itself. */
  onRowKey?: (key: string, data: Data) => void;
  ref?: Ref<HTMLTableElement>;
}

export function DataTable<Data extends object>(props: Props<Data>) {
  const { table, caption, className, rowCount, offset = 0, skeletonRows = 0, after } = props;
  const { outdated = false, busy = false, details, onRowKey, ref } = props;
  const { rows } = table.getRowModel();
  const columns = table.getAllLeafColumns();
  const { shortcuts } = usePreferences().preferences;

  const [focusedId, setFocusedId] = useState<string | null>(null);
  const [expandedId, setExpandedId] = useState<string | null>(null);
  const activeId = rows.some((row) => row.id === focusedId) ? (focusedId as string) : rows[0]?.id;
  const toggle = useCallback((id: string) => {
    setFocusedId(id);
    setExpandedId((before) => (before === id ? null : id));
  }, []);

  function onKeyDown(event: KeyboardEvent<HTMLTableElement>) {
    const target = event.target as HTMLElement;
    if (!target.matches("tr[data-row]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const letters = shortcuts === "on";
    const at = rows.findIndex((row) => row.id === target.dataset.id);
    const row = rows[at];
    if (!row) return;
    const steps: Record<string, number> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      ...(letters && { j: at + 1, k: at - 1 }),
      Home: 0,
      End: rows.length - 1,
    };
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      focusRow(event.currentTarget, rows[Math.min(Math.max(next, 0), rows.length - 1)]?.id);
    } else if (event.key === "Enter" && details) {
      event.preventDefault();
      toggle(row.id);
    } else if (event.key === "Escape" && expandedId !== null) {
      setExpandedId(null);
    } else if (letters) {
      onRowKey?.(event.key, row.original);
    }
  }

  const actions = useMemo(() => ({ toggle, focus: setFocusedId }), [toggle]);
  const allRows = () =>
    rows.map((row, at) => (
      <DataRow
        key={row.id}
        row={row}
        index={offset + at}
        columns={columns}
        active={row.id === activeId}
        details={row.id === expandedId ? details : undefined}
      />
    ));
  return (
    <TableContext value={actions}>
      <table
        {...role.table}
        ref={ref}
        aria-label={caption}
        aria-rowcount={rowCount < 0 ? -1 : rowCount + 1}
        aria-busy={busy || skeletonRows > 0}
        data-outdated={outdated || undefined}
        className={`data-table ${className}`}
        onKeyDown={onKeyDown}
      >
        <thead {...role.group}>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} {...role.row} aria-rowindex={1}>
              {group.headers.map((header) => {
                const { align, sort } = header.column.columnDef.meta ?? {};
                return (
                  <th
                    key={header.id}
                    {...role.header}
                    scope="col"
                    data-column={header.column.id}
                    data-align={align}
                    aria-sort={sort}
                  >
                    <FlexRender header={header} />
                  </th>
                );
              })}
            </tr>
          ))}
        </thead>
        <tbody {...role.group}>
          {rows.length >= VIRTUAL_FROM ? (
            // Until its code is there all rows stay: an empty table would throw the reader to the top.
            <Suspense fallback={allRows()}>
              <VirtualRows
                rows={rows}
                columns={columns}
                offset={offset}
                activeId={activeId}
                expandedId={expandedId}
                details={details}
              />
            </Suspense>
          ) : (
            allRows()
          )}
          {Array.from({ length: skeletonRows }, (_, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: all alike
            <tr key={at} {...role.none} data-row="">
              {columns.map((column) => (
                <td
                  key={column.id}
                  {...role.none}
                  data-column={column.id}
                  data-align={column.columnDef.meta?.align}
                >
                  <span className="skeleton" style={{ width: `${skeletonWidth(at, column.id)}%` }} />
                </td>
              ))}
            </tr>
          ))}
          {after && (
            <tr {...role.row}>
              <td {...role.cell} colSpan={columns.length} className="wide">
                {after}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </TableContext>
  );
}

/** Moves the focus, and leaves room for the bars that stick to the top. */
function focusRow(table: HTMLTableElement, id: string | undefined) {
  if (id === undefined) return;
  const row = table.querySelector<HTMLTableRowElement>(`tr[data-id="${CSS.escape(id)}"]`);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

/** Uneven, so that the bars read as text to come, and the same each time. */
function skeletonWidth(row: number, column: string): number {
  return 35 + ((row * 7 + column.length * 11) % 5) * 9;
}

interface RowProps<Data extends object> {
  row: Row<Features, Data>;
  /** In the whole list, from 0. */
  index: number;
  /** Nothing is drawn from it: rows are drawn anew when the columns change. */
  columns: Column<Features, Data>[];
  active: boolean;
  /** Set while the row is open. */
  details: ((data: Data) => ReactNode) | undefined;
  measure?: (element: HTMLTableRowElement | null) => void;
  place?: number;
}

export const DataRow = memo(function DataRow<Data extends object>(props: RowProps<Data>) {
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
        {...role.row}
        data-row=""
        data-id={id}
        data-index={place}
        data-expanded={expanded || undefined}
        tabIndex={active ? 0 : -1}
        // The header is row 1.
        aria-rowindex={index + 2}
        onFocus={() => actions?.focus(id)}
      >
        {row.getAllCells().map((cell) => (
          <td
            key={cell.id}
            {...role.cell}
            data-column={cell.column.id}
            data-align={cell.column.columnDef.meta?.align}
          >
            <FlexRender cell={cell} />
          </td>
        ))}
        {details && (
          <td {...role.cell} className="wide row-details">
            {details(row.original)}
          </td>
        )}
      </tr>
    </RowContext>
  );
}) as <Data extends object>(props: RowProps<Data>) => ReactNode;

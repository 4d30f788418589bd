"use client";

import { type Column, FlexRender, type ReactTable, type Row } from "@tanstack/react-table";
import { lazy, type ReactNode, Suspense } from "react";
import { Skeleton } from "#components/ui/Skeleton.tsx";
import { useHydrated } from "#components/use-hydrated.ts";
import { type Features, tracksOf } from "./columns.ts";
import { copySelectedRows } from "./copy-rows.ts";
import { DataRow } from "./DataRow.tsx";
import { ROLES } from "./roles.ts";
import { TableContext } from "./row-context.ts";
import { useRowFocus } from "./row-focus.ts";
import { GUESSED_ROW_PX, Spacer } from "./Spacer.tsx";

/** From this many rows on, only those near the window are in the document. */
const VIRTUAL_FROM = 1000;
/** Two screens of rows. The server draws no more: the rest would only delay what is seen first. */
const SERVED_ROWS = 50;
const VirtualRows = lazy(() => import("./VirtualRows.tsx")) as typeof import("./VirtualRows.tsx").default;

interface Props<Data extends object> {
  table: ReactTable<Features, Data>;
  /** Names the table for screen readers. */
  caption: string;
  className?: string;
  /** Rows of the whole list; -1 if unknown. */
  rowCount: number;
  /** Place of the first shown row in the whole list, from 0. */
  offset?: number;
  /** The rows shown are not the rows asked for. */
  outdated?: boolean;
  /** The rows asked for are being loaded. */
  busy?: boolean;
  /** Rows of grey bars at the end, for rows that are being loaded. */
  skeletonRows?: number;
  /** A last row over all columns: why the list stops here. */
  after?: ReactNode;
  /** The content of an open row. A stable function. */
  details?: (data: Data) => ReactNode;
  /** A key pressed while a row has the focus, if the table itself has no use for it. */
  onRowKey?: (key: string, data: Data) => void;
}

export function DataTable<Data extends object>(props: Props<Data>) {
  const { table, caption, className = "", rowCount, offset = 0, skeletonRows = 0, after } = props;
  const { outdated = false, busy = false, details, onRowKey } = props;
  const { rows } = table.getRowModel();
  const columns = table.getAllLeafColumns();
  const focus = useRowFocus({ rows, expandable: details !== undefined, onRowKey });
  return (
    <TableContext value={focus.actions}>
      <table
        ref={focus.table}
        {...ROLES.table}
        aria-label={caption}
        aria-rowcount={rowCount < 0 ? -1 : rowCount + 1}
        aria-busy={busy || skeletonRows > 0}
        data-outdated={outdated || undefined}
        className={`data-table ${className}`}
        style={tracksOf(columns)}
        onKeyDown={focus.onKeyDown}
        onCopy={copySelectedRows}
      >
        <Head table={table} />
        <tbody {...ROLES.group}>
          <Rows
            rows={rows}
            offset={offset}
            details={details}
            activeId={focus.activeId}
            expandedId={focus.expandedId}
          />
          <SkeletonRows columns={columns} count={skeletonRows} />
          {after && (
            <tr {...ROLES.row}>
              <td {...ROLES.cell} colSpan={columns.length} className="col-span-full p-3">
                {after}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </TableContext>
  );
}

const SORTED = { asc: "ascending", desc: "descending" } as const;

function Head<Data extends object>({ table }: { table: ReactTable<Features, Data> }) {
  return (
    <thead {...ROLES.group}>
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id} {...ROLES.row} aria-rowindex={1}>
          {group.headers.map((header) => {
            const { column } = header;
            const sorted = column.getIsSorted();
            return (
              <th
                key={header.id}
                {...ROLES.header}
                scope="col"
                className={column.columnDef.meta?.headerClassName}
                data-column={column.id}
                data-align={column.columnDef.meta?.align}
                aria-sort={column.getCanSort() ? (sorted ? SORTED[sorted] : "none") : undefined}
              >
                <FlexRender header={header} />
              </th>
            );
          })}
        </tr>
      ))}
    </thead>
  );
}

export interface RowsProps<Data extends object> {
  rows: Row<Features, Data>[];
  offset: number;
  activeId: string | undefined;
  expandedId: string | null;
  details: ((data: Data) => ReactNode) | undefined;
}

function Rows<Data extends object>({ rows, offset, activeId, expandedId, details }: RowsProps<Data>) {
  const hydrated = useHydrated();
  const all = () => {
    const drawn = hydrated ? rows : rows.slice(0, SERVED_ROWS);
    return (
      <>
        {drawn.map((row, at) => (
          <DataRow
            key={row.id}
            row={row}
            index={offset + at}
            active={row.id === activeId}
            details={row.id === expandedId ? details : undefined}
          />
        ))}
        {drawn.length < rows.length && <Spacer height={(rows.length - drawn.length) * GUESSED_ROW_PX} />}
      </>
    );
  };
  if (rows.length < VIRTUAL_FROM) return all();
  // All rows stay until its code is loaded: an empty table would throw the reader to the top.
  return (
    <Suspense fallback={all()}>
      <VirtualRows
        rows={rows}
        offset={offset}
        activeId={activeId}
        expandedId={expandedId}
        details={details}
      />
    </Suspense>
  );
}

function SkeletonRows<Data extends object>(props: { columns: Column<Features, Data>[]; count: number }) {
  const { columns, count } = props;
  return Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: all alike
    <tr key={at} {...ROLES.none} data-row="">
      {columns.map(({ id, columnDef: { meta } }) => (
        <td key={id} {...ROLES.none} className={meta?.className} data-column={id} data-align={meta?.align}>
          <Skeleton style={{ width: `${skeletonWidth(at, id)}%` }} />
        </td>
      ))}
    </tr>
  ));
}

/** Uneven, so that the bars look like text to come, and the same each time. */
function skeletonWidth(row: number, column: string): number {
  return 35 + ((row * 7 + column.length * 11) % 5) * 9;
}

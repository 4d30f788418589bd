"use client";

import { FlexRender, type RowData } from "@tanstack/react-table";
import type { ClipboardEvent, ReactNode } from "react";
import { harmless } from "#lib/util/csv.ts";
import { tracksOf } from "./columns.ts";
import { Rows } from "./Rows.tsx";
import { ROLES } from "./roles.ts";
import { FactsContext, TableContext } from "./row-context.ts";
import { type RowKeys, useRowFocus } from "./row-focus.ts";
import type { FoundRow, Place } from "./row-place.ts";
import type { DataTableState } from "./use-data-table.ts";

export interface TableProps<Entry extends RowData> extends RowKeys<Entry> {
  table: DataTableState<Entry>;
  caption: string;
  className?: string;
  /** Data that all rows share; see `useRowFacts`. */
  facts?: unknown;
  /** Number of rows in the whole list; -1 if unknown. */
  rowCount: number;
  /** Position of the first row in the whole list, from 0. */
  offset?: number;
  /** The rows belong to an earlier request. */
  outdated?: boolean;
  busy?: boolean;
  skeletonRows?: number;
  after?: ReactNode;
  /** Renders the content of an open row. */
  details: (entry: Entry) => ReactNode;
  /** The id of a row to mark and, on a new page, to scroll to. */
  marked?: string | undefined;
  /** The id of a row that a new page scrolls to, without marking it. */
  opensAt?: string | undefined;
  /** More rows may load: only those near the window are drawn. */
  grows?: boolean;
  /** A row to mark and to scroll to. */
  found?: FoundRow | null;
  /** Where a row stood before others were put above it. */
  kept?: Place | null;
}

const SORTED = { asc: "ascending", desc: "descending", false: "none" } as const;

function sortOf<Entry extends RowData>(column: Columns<Entry>[number]) {
  if (!column.getCanSort()) return undefined;
  const sorted = column.getIsSorted();
  return sorted && column.columnDef.meta?.sortsWithin ? "other" : SORTED[`${sorted}`];
}

export function DataTable<Entry extends RowData>(props: TableProps<Entry>) {
  const { table, caption, className = "", rowCount, offset = 0, details } = props;
  const {
    facts,
    outdated = false,
    busy = false,
    skeletonRows = 0,
    after,
    marked,
    opensAt,
    grows = false,
    found = null,
    kept = null,
  } = props;
  const focus = useRowFocus(table, props, { marked, opensAt, found, kept });
  const { activeId } = focus;
  const { rows } = table.getRowModel();
  const columns = table.getVisibleLeafColumns();
  return (
    <TableContext value={focus.actions}>
      <FactsContext value={facts}>
        <table
          ref={focus.table}
          {...ROLES.table}
          aria-label={caption}
          aria-rowcount={rowCount < 0 ? -1 : rowCount + 1}
          aria-busy={busy || skeletonRows > 0}
          data-outdated={outdated || undefined}
          className={`data-table ${className}`}
          style={tracksOf(columns.flatMap(({ columnDef }) => columnDef.meta ?? []))}
          onKeyDown={focus.onKeyDown}
          onCopy={copySelectedRows}
        >
          <thead {...ROLES.group}>
            <tr {...ROLES.row} aria-rowindex={1}>
              {table.getFlatHeaders().map((header) => {
                const { column } = header;
                return (
                  <th
                    key={header.id}
                    {...ROLES.header}
                    scope="col"
                    className={column.columnDef.meta?.headerClassName}
                    data-column={column.id}
                    data-align={column.columnDef.meta?.align}
                    aria-sort={sortOf(column)}
                  >
                    <FlexRender header={header} />
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody {...ROLES.group}>
            <Rows {...{ columns, rows, offset, activeId, grows, details }} />
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
      </FactsContext>
    </TableContext>
  );
}

type Columns<Entry extends RowData> = ReturnType<DataTableState<Entry>["getVisibleLeafColumns"]>;

function SkeletonRows<Entry extends RowData>({ columns, count }: { columns: Columns<Entry>; count: number }) {
  return Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
    <tr key={at} {...ROLES.none} data-row="">
      {columns.map(({ id, columnDef: { meta } }) => (
        <td key={id} {...ROLES.none} className={meta?.className} data-column={id} data-align={meta?.align}>
          <span
            className="inline-block h-3 animate-pulse rounded-[3px] bg-border motion-reduce:animate-none forced-colors:border forced-colors:border-[GrayText]"
            style={{ width: `${skeletonWidth(at, id)}%` }}
          />
        </td>
      ))}
    </tr>
  ));
}

/** Varies the bars' widths, so that they look like text. Returns a percentage. */
function skeletonWidth(row: number, column: string): number {
  return 35 + ((row * 7 + column.length * 11) % 5) * 9;
}

/** The text in a form that no spreadsheet evaluates. Amounts keep their sign. */
const inSpreadsheet = (text: string): string => (/^[+-][\d,.]+$/.test(text) ? text : harmless(text));

/** Copies several rows as tab-separated lines for spreadsheets. Browsers would copy a line for each field. */
function copySelectedRows(event: ClipboardEvent<HTMLTableElement>): void {
  const selection = window.getSelection();
  if (!selection || selection.isCollapsed) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLTableRowElement>("tr[aria-rowindex]")].filter(
    (row) => selection.containsNode(row, true),
  );
  if (rows.length < 2) return;
  const lines = rows.map((row) =>
    [...row.cells]
      .filter(({ dataset }) => dataset.column !== undefined && dataset.column !== "menu")
      .map((cell) => inSpreadsheet((cell.textContent ?? "").replace(/\s+/g, " ").trim()))
      .join("\t"),
  );
  event.clipboardData.setData("text/plain", lines.join("\n"));
  event.preventDefault();
}

"use client";

import { type Column, FlexRender, type ReactTable, type Row, tableFeatures } from "@tanstack/react-table";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, memo, type ReactNode, useLayoutEffect, useRef, useState } from "react";

/** What both tables need of TanStack Table: the server sorts, filters and pages. */
export const features = tableFeatures({ columnMeta: {} as ColumnMeta });
export type Features = typeof features;

export interface ColumnMeta {
  /** Figures stand at the end of their column. */
  align?: "end";
  /** Set where the column can sort. */
  sort?: "ascending" | "descending" | "none";
}

/** From this many rows on only those near the window are in the document. */
const VIRTUAL_FROM = 1000;
const OVERSCAN_ROWS = 30;

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
  table: ReactTable<Features, Data>;
  /** Names the table for screen readers. */
  caption: string;
  className: string;
  /** Rows of the whole list, where known; -1 while not. */
  rowCount: number;
  /** Place of the first shown row in the whole list, from 0. */
  offset?: number;
  /** Shown rows are about to be replaced. */
  busy?: boolean;
  /** Rows of grey bars after the others: these are being loaded. */
  skeletonRows?: number;
  /** A last row over all columns: why the list stops here. */
  after?: ReactNode;
}

export function DataTable<Data extends object>(props: Props<Data>) {
  const { table, caption, className, rowCount, offset = 0, busy = false, skeletonRows = 0, after } = props;
  const { rows } = table.getRowModel();
  const columns = table.getAllLeafColumns();
  return (
    <table
      {...role.table}
      aria-label={caption}
      aria-rowcount={rowCount < 0 ? -1 : rowCount + 1}
      aria-busy={busy || skeletonRows > 0}
      className={`data-table ${className}`}
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
          <VirtualRows rows={rows} offset={offset} columns={columns} />
        ) : (
          rows.map((row) => <DataRow key={row.id} row={row} index={offset + row.index} columns={columns} />)
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
  );
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
  measure?: (element: HTMLTableRowElement | null) => void;
  place?: number;
}

const DataRow = memo(function DataRow<Data extends object>(props: RowProps<Data>) {
  const { row, index, measure, place } = props;
  return (
    // The header is row 1.
    <tr ref={measure} {...role.row} data-row="" data-index={place} aria-rowindex={index + 2}>
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
    </tr>
  );
}) as <Data extends object>(props: RowProps<Data>) => ReactNode;

function VirtualRows<Data extends object>({
  rows,
  offset,
  columns,
}: {
  rows: Row<Features, Data>[];
  offset: number;
  columns: Column<Features, Data>[];
}) {
  const top = useRef<HTMLTableRowElement>(null);
  const [{ scrollMargin, rowHeight }, setLayout] = useState({ scrollMargin: 0, rowHeight: 37 });
  useLayoutEffect(() => {
    const measure = () => {
      const body = top.current?.parentElement;
      if (!body) return;
      const scrollMargin = body.getBoundingClientRect().top + window.scrollY;
      const rowHeight = body.querySelector("tr[data-row]")?.getBoundingClientRect().height ?? 37;
      setLayout((before) =>
        before.scrollMargin === scrollMargin && before.rowHeight === rowHeight
          ? before
          : { scrollMargin, rowHeight },
      );
    };
    measure();
    window.addEventListener("resize", measure);
    return () => window.removeEventListener("resize", measure);
  }, []);
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    scrollMargin,
    getItemKey: (at) => rows[at]?.id ?? at,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1);
  return (
    <>
      <Spacer ref={top} height={(items[0]?.start ?? scrollMargin) - scrollMargin} />
      {items.map((item) => {
        const row = rows[item.index];
        return (
          row && (
            <DataRow
              key={item.key}
              row={row}
              index={offset + item.index}
              place={item.index}
              measure={virtualizer.measureElement}
              columns={columns}
            />
          )
        );
      })}
      <Spacer height={virtualizer.getTotalSize() - ((last?.end ?? scrollMargin) - scrollMargin)} />
    </>
  );
}

/** Stands for rows that are not in the document, so that the page keeps its height. */
function Spacer({ height, ref }: { height: number; ref?: React.Ref<HTMLTableRowElement> }) {
  const style: CSSProperties = { height: Math.max(height, 0), minHeight: 0, border: 0 };
  return <tr ref={ref} {...role.none} style={style} />;
}

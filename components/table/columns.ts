import {
  type AccessorFnColumnDef,
  columnVisibilityFeature,
  metaHelper,
  type Row,
  type RowData,
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/react-table";
import type { CSSProperties, ReactNode } from "react";

/** A column's track of the CSS grid, by the window's width. */
interface Tracks {
  wide: string;
  /** Track below 1,200 px. Null: hide the column, also below the other widths. */
  medium?: string | null;
  /** Track below 1,024 px. */
  small?: string;
  /** Track below 900 px. Null places the content below another column's. */
  narrow?: string | null;
}

export interface ColumnMeta {
  /** Names the column in the chooser; by default its header. */
  label?: ReactNode;
  tracks: Tracks;
  align?: "end";
  className?: string;
  headerClassName?: string;
  /** Another order comes first, so this one sorts only within its groups. */
  sortsWithin?: boolean;
}

// TanStack Table owns columns and their visibility, row ids, sorting, and open and selected rows. The CSS tracks, the focus,
// printing and copying are ours.
export const features = tableFeatures({
  columnVisibilityFeature,
  rowExpandingFeature,
  rowSelectionFeature,
  rowSortingFeature,
  columnMeta: metaHelper<ColumnMeta>(),
});

type Features = typeof features;

/** The sorting state that the header of a sortable column reads and changes. */
export interface SortedColumn {
  getIsSorted(): false | "asc" | "desc";
  getNextSortingOrder(): false | "asc" | "desc";
  toggleSorting(): void;
}

interface ColumnOf<Entry> extends ColumnMeta {
  header: ReactNode | ((props: { column: SortedColumn }) => ReactNode);
  cell: (entry: Entry, at: number) => ReactNode;
  sortable?: boolean;
  required?: boolean;
}

export type TableRow<Entry extends RowData> = Row<Features, Entry>;
export type Column<Entry extends RowData> = AccessorFnColumnDef<Features, Entry>;

/** A list's columns in order. Null leaves one out. */
export type ListColumns<Entry> = Record<string, ColumnOf<Entry> | null>;

/** Columns with a line for each field of an entry. */
export type FieldColumns<Entry> = ListColumns<Entry> & Record<keyof Entry, ColumnOf<Entry> | null>;

/** The fields that have no column. */
export const noColumn = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>;

export function columnsOf<Entry extends RowData>(columns: ListColumns<Entry>): Column<Entry>[] {
  return Object.entries(columns).flatMap(([id, column]): Column<Entry>[] => {
    if (column === null) return [];
    const { header, sortable = false, required = false, ...meta } = column;
    return [
      {
        id,
        accessorFn: (entry) => (entry as Record<string, unknown>)[id],
        header: typeof header === "function" ? header : () => header,
        cell: ({ row }) => meta.cell(row.original, row.index),
        enableSorting: sortable,
        sortDescFirst: true,
        enableHiding: !required,
        meta: typeof header === "function" ? meta : { label: header, ...meta },
      },
    ];
  });
}

/** The tracks for each width, as custom properties that the style sheet chooses from. */
export function tracksOf(columns: readonly { tracks: Tracks }[]): CSSProperties {
  const joined = (pick: (tracks: Tracks) => string | null) =>
    columns.flatMap(({ tracks }) => pick(tracks) ?? []).join(" ");
  const medium = ({ wide, medium = wide }: Tracks) => medium;
  const small = (tracks: Tracks) => tracks.small ?? medium(tracks);
  return {
    "--tracks-wide": joined(({ wide }) => wide),
    "--tracks-medium": joined(medium),
    "--tracks-small": joined(small),
    "--tracks-narrow": joined((tracks) => (tracks.narrow === undefined ? small(tracks) : tracks.narrow)),
  } as CSSProperties;
}

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
  /** Below 1,200 px. */
  medium?: string;
  /** Below 1,024 px. */
  small?: string;
  /** Below 900 px. A column with null has no track there: its content stands below another's. */
  narrow?: string | null;
}

export interface ColumnMeta {
  /** Names the column in the chooser, if its header cannot. */
  label?: ReactNode;
  tracks: Tracks;
  /** Figures stand at the end of their column, as their header does. */
  align?: "end";
  /** Where the column stands in narrow windows, and its other styles. */
  className?: string;
  headerClassName?: string;
}

// TanStack Table owns the columns and which ones are hidden, the ids of rows, the order, and which rows are open or
// selected. The CSS tracks, the focus, printing and copying are ours.
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
  /** Readers cannot hide it: it names the row, or others stand below it in narrow windows. */
  required?: boolean;
}

export type TableRow<Entry extends RowData> = Row<Features, Entry>;
export type Column<Entry extends RowData> = AccessorFnColumnDef<Features, Entry>;

/** A list's columns in order: one for each field of its entries, or null to leave it out; and those in `Extra`. */
export type ListColumns<Entry, Extra extends string = never> = {
  readonly [Field in (keyof Entry & string) | Extra]: ColumnOf<Entry> | null;
};

export function columnsOf<Entry extends RowData>(
  columns: Record<string, ColumnOf<Entry> | null>,
): Column<Entry>[] {
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

/** The grid's tracks for each width, as custom properties that the table's style sheet chooses from. */
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

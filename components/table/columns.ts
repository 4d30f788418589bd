import {
  type CellContext,
  type Column,
  type ColumnDef,
  type ColumnDefTemplate,
  metaHelper,
  rowSortingFeature,
  type StringOrTemplateHeader,
  tableFeatures,
} from "@tanstack/react-table";
import type { CSSProperties } from "react";

/** A column's track of the grid, as CSS has it, by the window's width. */
export interface Tracks {
  wide: string;
  /** In a row whose amount is near 128 bits, from 1,280 px: its neighbours give it room. */
  longAmount?: string;
  /** Below 1,200 px. */
  medium?: string;
  /** Below 1,024 px. */
  small?: string;
  /** Below 900 px; null for a column without a track of its own: its content stands below another's. */
  narrow?: string | null;
}

interface ColumnMeta {
  tracks: Tracks;
  /** Figures stand at the end of their column. */
  align?: "end";
  /** Where the column stands in narrow windows, and its other styles. */
  className?: string;
  headerClassName?: string;
}

/** The server sorts, filters and pages; the table only says what is asked for. */
export const features = tableFeatures({ rowSortingFeature, columnMeta: metaHelper<ColumnMeta>() });
export type Features = typeof features;

/** What a list says of a column; its id is the field's name. */
export interface ListColumn<Entry extends object> {
  header: StringOrTemplateHeader<Features, Entry>;
  cell: ColumnDefTemplate<CellContext<Features, Entry>>;
  meta: ColumnMeta;
  /** Set on a column that sorts. */
  accessorFn?: (entry: Entry) => string;
}

/**
 * A list's columns in order: by the field of its entries that they show, and columns without one (`Extra`).
 * Null leaves a field out; a field without a line does not compile. Columns never change: what a row shows in one is a
 * component, and gets everything besides its entry from a context.
 */
export type ListColumns<Entry extends object, Extra extends string = never> = {
  readonly [Field in (keyof Entry & string) | Extra]: ListColumn<Entry> | null;
};

export function columnsOf<Entry extends object>(
  columns: Readonly<Record<string, ListColumn<Entry> | null>>,
): ColumnDef<Features, Entry>[] {
  return Object.entries(columns).flatMap(([id, column]) => (column === null ? [] : [{ ...column, id }]));
}

/** The grid's tracks for each width, as custom properties that the table's style sheet chooses from. */
export function tracksOf<Data extends object>(columns: readonly Column<Features, Data>[]): CSSProperties {
  const tracks = columns.flatMap(({ columnDef }) => columnDef.meta?.tracks ?? []);
  const joined = (pick: (track: Tracks) => string | null) =>
    tracks.flatMap((one) => pick(one) ?? []).join(" ");
  const medium = ({ wide, medium = wide }: Tracks) => medium;
  const small = (one: Tracks) => one.small ?? medium(one);
  return {
    "--tracks-wide": joined(({ wide }) => wide),
    "--tracks-long-amount": joined(({ wide, longAmount = wide }) => longAmount),
    "--tracks-medium": joined(medium),
    "--tracks-small": joined(small),
    "--tracks-narrow": joined((one) => (one.narrow === undefined ? small(one) : one.narrow)),
  } as CSSProperties;
}

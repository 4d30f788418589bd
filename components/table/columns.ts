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

interface ColumnOf<Entry> {
  header: ReactNode;
  cell: (entry: Entry, at: number) => ReactNode;
  tracks: Tracks;
  /** Figures stand at the end of their column, as their header does. */
  align?: "end";
  /** Where the column stands in narrow windows, and its other styles. */
  className?: string;
  headerClassName?: string;
}

export interface Column<Entry> extends ColumnOf<Entry> {
  id: string;
}

/** A list's columns in order: one for each field of its entries, or null to leave it out; and those in `Extra`. */
export type ListColumns<Entry, Extra extends string = never> = {
  readonly [Field in (keyof Entry & string) | Extra]: ColumnOf<Entry> | null;
};

export function columnsOf<Entry>(columns: Record<string, ColumnOf<Entry> | null>): Column<Entry>[] {
  return Object.entries(columns).flatMap(([id, column]) => (column === null ? [] : [{ ...column, id }]));
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

import type { ReactNode } from "react";
import { formatDifference } from "#lib/client/format.ts";
import { Dash } from "./Amount.tsx";
import { changeColour } from "./change.ts";
import { ROLES } from "./table/roles.ts";

interface Figure {
  text: string;
  exact: string;
  /** A line below it. */
  note?: string | undefined;
  colour?: string;
}

export const NotedFigure = ({ text, exact, note, colour }: Figure) => (
  <>
    <span title={exact} className={colour}>
      {text}
    </span>
    {note && <span className="block text-text-2 text-xs">{note}</span>}
  </>
);

/** A difference with its sign, in its colour. `format` formats its size. */
export function differenceFigure(value: bigint, format: (size: bigint) => Figure, note?: string) {
  const written = (form: "text" | "exact") => formatDifference(value, (size) => format(size)[form]);
  return (
    <NotedFigure text={written("text")} exact={written("exact")} note={note} colour={changeColour(value)} />
  );
}

export interface FigureRow {
  key: string;
  label: ReactNode;
  /** Figures of all columns but the first; a missing one is a dash, and left out on phones. */
  figures: ReactNode[];
}

interface Props {
  caption: string;
  heads: readonly string[];
  rows: readonly FigureRow[];
}

// Narrow windows show the label and each figure on separate lines, with the column's name.
const ROW =
  "max-sm:block max-sm:py-2 [&>:first-child]:ps-0 [&>:last-child]:pe-0 sm:*:px-1 lg:*:px-2 sm:*:py-1.5 max-sm:*:block";

/** A table of a few figures for each of its rows. */
export function FigureTable({ caption, heads, rows }: Props) {
  return (
    <table {...ROLES.table} aria-label={caption} className="w-full sm:table-fixed">
      <thead {...ROLES.group} className="max-sm:sr-only">
        <tr
          {...ROLES.row}
          className="border-b text-right text-text-2 text-xs *:px-1 lg:*:px-2 *:py-1.5 *:font-medium sm:[&>:first-child]:w-[26%] lg:[&>:first-child]:w-2/5 [&>:first-child]:ps-0 [&>:first-child]:text-left [&>:last-child]:pe-0"
        >
          {heads.map((head) => (
            <th key={head} {...ROLES.header} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...ROLES.group} className="divide-y divide-border">
        {rows.map(({ key, label, figures }) => (
          <tr key={key} {...ROLES.row} className={ROW}>
            <td {...ROLES.cell}>{label}</td>
            {figures.map((figure, at) => (
              <td
                key={heads[at + 1]}
                {...ROLES.cell}
                className={`wrap-anywhere text-right ${figure ? "" : "max-sm:hidden!"}`}
              >
                <span aria-hidden="true" className="float-left text-text-3 sm:hidden">
                  {heads[at + 1]}
                </span>
                {figure || <Dash />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import type { ReactNode } from "react";

interface Props {
  caption: string;
  head: readonly string[];
  /** Texts, as many in a row as in the head. */
  rows: readonly (readonly ReactNode[])[];
}

/** What a chart says, for those who cannot see it. */
export function ChartTable({ caption, head, rows }: Props) {
  return (
    // A table ignores the size that hides it.
    <div className="sr-only">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {head.map((text) => (
              <th key={text} scope="col">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
            <tr key={at}>
              {row.map((text, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: nor do their texts
                <td key={column}>{text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

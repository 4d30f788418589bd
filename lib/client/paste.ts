import { type CsvColumn, harmless } from "#lib/util/csv.ts";
import type { CsvColumns } from "./list.ts";

export const columnsOf = <Entry>(csv: CsvColumns<Entry>) =>
  Object.values<readonly CsvColumn<Entry>[]>(csv).flat();

/** Rows to paste into a spreadsheet, as lines with tabs. The first line has the column heads. */
export function pasteText<Entry>(rows: readonly Entry[], csv: CsvColumns<Entry>): string {
  const columns = columnsOf(csv);
  const lines = [
    columns.map(([head]) => head),
    ...rows.map((row) => columns.map(([, value]) => harmless(value(row)).replaceAll(/[\t\r\n]+/g, " "))),
  ];
  return lines.map((fields) => `${fields.join("\t")}\n`).join("");
}

/** The only writer of CSV: pages and the command line use it. */
import { exactUnits, type Scaled } from "./amounts.ts";

type Value = string | number | bigint;

/** A column of a file, and its value in the row of an entry. */
export type CsvColumn<Entry, Type = Value> = readonly [head: string, value: (entry: Entry) => Type];

/** An amount in the smallest unit, and the same in whole units, which is empty if the scale is unknown. */
export const amountColumns = <Entry, Amount extends bigint | string>(
  head: string,
  amountOf: (entry: Entry) => Amount,
  assetOf: (entry: Entry) => Scaled,
): [CsvColumn<Entry, Amount>, CsvColumn<Entry, string>] => [
  [head, amountOf],
  [`${head}_in_units`, (entry) => exactUnits(amountOf(entry), assetOf(entry))],
];

/** The first line of a file. The mark before it tells spreadsheets that the text is UTF-8. */
export const csvHead = (columns: readonly CsvColumn<never>[]): string =>
  `\ufeff${csvLine(columns.map(([head]) => head))}`;

export const csvRow = <Entry>(columns: readonly CsvColumn<Entry>[], entry: Entry): string =>
  csvLine(columns.map(([, value]) => value(entry)));

const csvLine = (values: readonly Value[]): string =>
  `${values.map((value) => `"${harmless(value).replaceAll('"', '""')}"`).join(",")}\r\n`;

/** A spreadsheet runs text that starts with one of these. Some take the full-width signs for the plain ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** The value as text that no spreadsheet runs. */
export function harmless(value: Value): string {
  const text = value.toString();
  return typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
}

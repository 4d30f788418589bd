/** Writes CSV for pages and the command line. */
import { exactUnits, type Scaled } from "./amounts.ts";

type Value = string | number | bigint;

/** A column of a file: its head, and its value for an entry. */
export type CsvColumn<Entry, Type = Value> = readonly [head: string, value: (entry: Entry) => Type];

/** Two columns of an amount: in the smallest unit, and in whole units, which are empty if the scale is unknown. */
export const amountColumns = <Name extends string, Entry extends Readonly<Record<Name, bigint | string>>>(
  name: Name,
  assetOf: (entry: Entry) => Scaled,
): [CsvColumn<Entry, Entry[Name]>, CsvColumn<Entry, string>] => [
  [name, (entry) => entry[name]],
  [`${name}_in_units`, (entry) => exactUnits(entry[name], assetOf(entry))],
];

type Plain<Name extends string> = { readonly [Field in Name]?: Value | null | undefined };

/** A column of a field that needs no conversion, with a head such as `block_height`. A missing value is empty. */
export const plainColumn = <Name extends string>(name: Name): CsvColumn<Plain<Name>> => [
  snakeCase(name),
  (entry) => entry[name] ?? "",
];

/** Such columns by field. */
export const plainColumns = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(names.map((name) => [name, [plainColumn(name)]])) as {
    [Field in Name]: CsvColumn<Plain<Field>>[];
  };

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The columns that describe an entry's asset, after its id. */
export const assetColumns = <Entry>(assetOf: (entry: Entry) => Scaled): CsvColumn<Entry>[] => [
  ["symbol", (entry) => assetOf(entry).symbol],
  ["name", (entry) => assetOf(entry).name],
  ["decimals", (entry) => assetOf(entry).decimals],
];

/** The first line of a file. The byte-order mark makes spreadsheets read it as UTF-8. */
export const csvHead = (columns: readonly CsvColumn<never>[]): string =>
  `\ufeff${csvLine(columns.map(([head]) => head))}`;

export const csvRow = <Entry>(columns: readonly CsvColumn<Entry>[], entry: Entry): string =>
  csvLine(columns.map(([, value]) => value(entry)));

const csvLine = (values: readonly Value[]): string =>
  `${values.map((value) => `"${harmless(value).replaceAll('"', '""')}"`).join(",")}\r\n`;

/** The start of text that spreadsheets evaluate. Some treat full-width signs like plain ones. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** The value as text that no spreadsheet evaluates. */
export function harmless(value: Value): string {
  const text = value.toString();
  return typeof value === "string" && FORMULA.test(text) ? `'${text}` : text;
}

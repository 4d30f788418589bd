/** How values go to PostgreSQL and come from it: see the schema's comment in migrations.ts. */

/** `0x…` to the text form of `bytea`, which connection.ts reads back as `0x…`. */
export const toBytea = (hex: string): string => `\\x${hex.slice(2)}`;

/** Array literals, written here because the driver's general way is several times slower. */
export const byteaArray = (hexes: (string | null)[]): string =>
  `{${hexes.map((hex) => (hex === null ? "NULL" : `"\\\\x${hex.slice(2)}"`)).join(",")}}`;
export const numberArray = (values: (number | bigint | null)[]): string =>
  `{${values.map((value) => value ?? "NULL").join(",")}}`;

/** PostgreSQL has no U+0000 in a text, so nothing stored contains a text that has one. */
export const hasNul = (text: string): boolean => text.includes("\0");

/** One column of a statement that takes many rows at once. */
export type Column<T> = (rows: T[]) => unknown;
export const numbers =
  <T>(of: (row: T) => number | bigint | null): Column<T> =>
  (rows) =>
    numberArray(rows.map(of));
export const bytes =
  <T>(of: (row: T) => string | null): Column<T> =>
  (rows) =>
    byteaArray(rows.map(of));
export const plain =
  <T>(of: (row: T) => string | boolean | null): Column<T> =>
  (rows) =>
    rows.map(of);

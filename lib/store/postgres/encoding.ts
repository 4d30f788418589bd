/** Conversions of values to PostgreSQL's and back: see schema.sql. */
import pg from "pg";

const INT8 = 20;
const BYTEA = 17;

/** Parses integers of 64 bits as numbers, because heights, ids, counts and times are below 2^53; and bytes as `0x` hex. */
export const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8) return toNumber;
    if (oid === BYTEA) return (value: string) => `0x${value.slice(2)}`;
    return pg.types.getTypeParser(oid, format as "text");
  },
};

function toNumber(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is beyond what a number can hold`);
  return number;
}

/** Array literals are written here because the driver's general way is several times slower. */
export const byteaArray = (hexes: (string | null)[]): string =>
  `{${hexes.map((hex) => (hex === null ? "NULL" : `"\\\\x${hex.slice(2)}"`)).join(",")}}`;
export const numberArray = (values: (number | bigint | null)[]): string =>
  `{${values.map((value) => value ?? "NULL").join(",")}}`;

/** Conversions of values to SQLite's: see schema.sql. */

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -MAX_INT64;
/** The 64-bit integer as which SQLite's bit operators read a number that is stored as text. */
export const nearest = (value: bigint): bigint => {
  if (value > MAX_INT64) return MAX_INT64;
  return value < MIN_INT64 ? MIN_INT64 - 1n : value;
};

export const toBlob = (hex: string): Uint8Array => Buffer.from(hex.slice(2), "hex");

/** An integer of any size for an `ANY` column. Read it back with `CAST(x AS TEXT)`. */
export const toAny = (value: bigint): bigint | string =>
  value > MAX_INT64 || value < MIN_INT64 ? value.toString() : value;

/** Conversions of values to SQLite's: see schema.sql. */

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -MAX_INT64;

export const toBlob = (hex: string): Uint8Array => Buffer.from(hex.slice(2), "hex");

/** An integer of any size for an `ANY` column. Read it back with `CAST(x AS TEXT)`. */
export const toAny = (value: bigint): bigint | string =>
  value > MAX_INT64 || value < MIN_INT64 ? value.toString() : value;

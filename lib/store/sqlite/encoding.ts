/** How values stand in SQLite: see the schema's comment in migrations.ts. */

/** Heights below 2^33 and up to 2^20 transactions a block keep an id within a JavaScript integer. */
const TRANSACTIONS_PER_BLOCK = 2 ** 20;
const MAX_HEIGHT = 2 ** 33 - 1;
const MAX_INT64 = 2n ** 63n - 1n;

export function transactionId(height: number, index: number): number {
  if (height > MAX_HEIGHT || index >= TRANSACTIONS_PER_BLOCK) {
    throw new RangeError(`Transaction ${index} of block ${height} is beyond what can be stored`);
  }
  return height * TRANSACTIONS_PER_BLOCK + index;
}

export const heightOf = (id: number): number => Math.floor(id / TRANSACTIONS_PER_BLOCK);
export const indexOf = (id: number): number => id % TRANSACTIONS_PER_BLOCK;
/** Ids of a block's transactions: from `[0]`, below `[1]`. */
export const idRange = (height: number): [number, number] => [
  transactionId(height, 0),
  (height + 1) * TRANSACTIONS_PER_BLOCK,
];

export const toBlob = (hex: string): Uint8Array => Buffer.from(hex.slice(2), "hex");
export const fromBlob = (blob: unknown): string => "0x" + Buffer.from(blob as Uint8Array).toString("hex");

/** An integer of any size for an `ANY` column. Read it back with `CAST(x AS TEXT)`. */
export const toAny = (value: bigint): bigint | string => (value > MAX_INT64 ? value.toString() : value);

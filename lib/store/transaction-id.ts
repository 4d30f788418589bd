/**
 * A transaction's id: its place in the chain, so that comparing ids compares places. With heights below 2^33 and 2^20
 * transactions a block, it is a safe integer.
 */
const TRANSACTIONS_PER_BLOCK = 2 ** 20;
const MAX_HEIGHT = 2 ** 33 - 1;

/** Throws RangeError for a place beyond what can be stored. */
export function transactionId(height: number, index: number): number {
  if (height > MAX_HEIGHT || index >= TRANSACTIONS_PER_BLOCK) {
    throw new RangeError(`Transaction ${index} of block ${height} is beyond what can be stored`);
  }
  return height * TRANSACTIONS_PER_BLOCK + index;
}

export const heightOf = (id: number): number => Math.floor(id / TRANSACTIONS_PER_BLOCK);
export const indexOf = (id: number): number => id % TRANSACTIONS_PER_BLOCK;

/** The first id that a transaction of the block at `height` may have. */
export const firstId = (height: number): number => height * TRANSACTIONS_PER_BLOCK;

/**
 * `id >> RUN_BITS` is the transaction's run of 2^17 blocks. SQLite's index by hash has a part for each: new hashes change the
 * pages of one part, and a look-up searches all of them. A new hash is looked for within its run alone. Beyond
 * it, spent outputs keep hashes unique: a hash names its inputs, and nothing is spent twice. The schema holds this number.
 */
export const RUN_BITS = 37;

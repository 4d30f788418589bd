/** A transaction's id is its place in the chain: height and index in the block. It is a safe integer. */
const TRANSACTIONS_PER_BLOCK = 2 ** 20;
const MAX_HEIGHT = 2 ** 33 - 1;

/** Throws RangeError if the id would not be a safe integer. */
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
 * `id >> SEGMENT_BITS` is the transaction's segment of 2^17 blocks, the first column of SQLite's index by hash. So new hashes
 * change the pages of one segment, and a look-up searches one after another. A new hash is compared only with those of its own
 * segment. Others cannot equal it: a hash covers the transaction's inputs, and no output is spent twice.
 */
export const SEGMENT_BITS = 37;

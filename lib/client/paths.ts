/** Paths of pages that several pages link to. */

export const transactionPath = (hash: string): string => `/transactions/${hash}`;

/** The hash of the transaction, and the index of the output. */
export function splitOutPoint(outPoint: string): [hash: string, index: string] {
  const [hash = "", index = ""] = outPoint.split(":");
  return [hash, index];
}

/** The page of an out point's transaction, at its output. */
export function outPointPath(outPoint: string): string {
  const [hash, index] = splitOutPoint(outPoint);
  return `${transactionPath(hash)}#${index}`;
}

/** The transactions of a block that moved an asset. */
export const movingPath = (blockHash: string, asset: string): string =>
  `/blocks/${blockHash}?${new URLSearchParams({ tab: "transactions", asset })}`;

/** Paths of pages that several pages link to. */

export const transactionPath = (hash: string): string => `/transactions/${hash}`;

/** The page of an out point's transaction, at its output. */
export function outPointPath(outPoint: string): string {
  const [hash = "", index = ""] = outPoint.split(":");
  return `${transactionPath(hash)}#${index}`;
}

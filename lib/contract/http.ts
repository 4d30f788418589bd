/** Helpers for HTTP messages from others. */

/**
 * The body of a request or a response. Null as soon as it is longer than `most` bytes: the rest is not read, and its
 * stream is cancelled.
 */
export async function readAtMost({ body }: Request | Response, most: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > most) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Why a request failed, in one line: `fetch` hides the reason in its error's cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}

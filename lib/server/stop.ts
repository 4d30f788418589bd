import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

/** Maximum share of the time to stop in which load balancers notice that the server is not ready. */
const NOTICE_SHARE = 1 / 3;
const POLL_MS = 20;

/**
 * Stops the server within `seconds`. Returns the number of connections that had to be cut.
 *
 * 1. For at most a third of the time, the server is not ready and closes each connection after its pending response. It
 *    still accepts connections, because load balancers send requests until they notice.
 * 2. It refuses new connections, closes idle ones, and finishes requests in progress.
 * 3. At the end it cuts the remaining requests, and connections on which nothing was ever sent.
 *
 * @param isReplaced another process serves the same port, and gets the new connections from the start
 */
export async function stopServer(
  server: Server,
  stopping: AbortController,
  seconds: number,
  { isReplaced = false } = {},
): Promise<number> {
  const connections = promisify(server.getConnections.bind(server));
  const start = performance.now();
  const left = (share: number) => start + seconds * 1000 * share - performance.now();

  stopping.abort();
  // The `close` of `node:http` would also close connections on which a request may just be arriving.
  if (isReplaced) NetServer.prototype.close.call(server);
  while (left(NOTICE_SHARE) > 0 && (await connections()) > 0) await setTimeout(POLL_MS);

  const closed = new Promise((resolve) => server.close(resolve));
  while (left(1) > 0 && (await connections()) > 0) {
    server.closeIdleConnections();
    await setTimeout(POLL_MS);
  }
  const cut = await connections();
  server.closeAllConnections();
  await closed;
  return cut;
}

export function exit(error: unknown): never {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

import type { Server } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

/** Of the time to stop: how much of it a load balancer has to notice, at most. */
const NOTICE_SHARE = 1 / 3;
/** Milliseconds between two looks at the open connections. */
const LOOK_EVERY = 20;

/**
 * Stops the server within `seconds`. Returns how many connections had to be cut.
 *
 * 1. It is not ready, and closes each connection after the answer that is due, for a third of the time at most. New
 *    connections are still taken, because load balancers go on sending requests until they have noticed.
 * 2. It refuses new connections. Idle ones are closed, and requests in work are finished.
 * 3. At the end, what is left is cut: requests, and connections on which nothing was ever sent.
 *
 * @param isReplaced another process answers on the same port: it gets the new connections from the start
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
  // That of `node:http` would also close connections on which a request may just be coming.
  if (isReplaced) NetServer.prototype.close.call(server);
  while (left(NOTICE_SHARE) > 0 && (await connections()) > 0) await setTimeout(LOOK_EVERY);

  const closed = new Promise((resolve) => server.close(resolve));
  while (left(1) > 0 && (await connections()) > 0) {
    server.closeIdleConnections();
    await setTimeout(LOOK_EVERY);
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

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

/** A Prometheus server needs one. */
const MAX_CONNECTIONS = 16;
/** Milliseconds for a request's head, and for all of it. */
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_HEAD_BYTES = 16_384;

/**
 * Serves `GET /metrics` for Prometheus on a port of its own, as long as the process runs. Returns the port. Throws if it
 * cannot listen there.
 */
export async function serveMetrics(
  registry: Pick<Registry, "metrics" | "contentType">,
  host: string,
  port: number,
): Promise<number> {
  const options = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
  };
  const server = createServer(options, async (request, response) => {
    if (request.method !== "GET" || request.url?.split("?")[0] !== "/metrics") {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("Only GET /metrics is here.\n");
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { "Content-Type": registry.contentType }).end(text);
    } catch (error) {
      console.error(error);
      response.writeHead(500, { "Content-Type": "text/plain" }).end("The metrics could not be collected.\n");
    }
  });
  server.on("connection", (socket) => socket.unref());
  server.maxConnections = MAX_CONNECTIONS;
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  // The process does not wait for it at its end.
  server.unref();
  return (server.address() as AddressInfo).port;
}

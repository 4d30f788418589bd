import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Registry } from "prom-client";

const MAX_CONNECTIONS = 16;
const REQUEST_TIMEOUT_MS = 5_000;
const MAX_HEAD_BYTES = 16_384;

interface Exposition {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** Serves `GET /metrics` and `others` on a port of its own, which it returns. Throws if it cannot listen there. */
export async function serveMetrics(
  registry: Pick<Registry, "metrics" | "contentType">,
  host: string,
  port: number,
  others: Record<string, () => Promise<Exposition>> = {},
): Promise<number> {
  const options = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
  };
  const server = createServer(options, async (request, response) => {
    const path = request.url?.split("?")[0] ?? "";
    const other = Object.hasOwn(others, path) ? others[path] : undefined;
    if (request.method !== "GET" || (path !== "/metrics" && !other)) {
      const paths = ["/metrics", ...Object.keys(others)].join(", ");
      response
        .writeHead(404, { "Content-Type": "text/plain" })
        .end(`Only GET is supported here: ${paths}.\n`);
      return;
    }
    try {
      if (other) {
        const { status, headers, body } = await other();
        response.writeHead(status, headers).end(body);
        return;
      }
      const text = await registry.metrics();
      response.writeHead(200, { "Content-Type": registry.contentType }).end(text);
    } catch (error) {
      console.error(error);
      response.writeHead(500, { "Content-Type": "text/plain" }).end("The metrics could not be collected.\n");
    }
  });
  server.on("connection", (socket) => socket.unref());
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, "listening");
  server.unref();
  return (server.address() as AddressInfo).port;
}

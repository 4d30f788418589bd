/**
 * MCP over HTTP (https://modelcontextprotocol.io, "Streamable HTTP"). Each request stands alone and has a JSON response, because
 * the tools need neither sessions nor messages from the server.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, isIPv6 } from "node:net";
import type { Server as McpServer } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { bearerToken } from "#lib/api/authenticate.ts";
import { readAtMost } from "#lib/util/http.ts";
import { report, withSignals } from "./command.ts";
import { type CallOptions, MAX_MESSAGE } from "./mcp-tools.ts";

const PATH = "/mcp";
const MAX_CONNECTIONS = 256;
/** Requests that run at once. */
const MAX_REQUESTS = 64;
/** Messages of a request. A response of the API may have 2 MB. */
const MAX_BATCH = 10;
const MAX_HEAD_BYTES = 16_384;
/** Milliseconds for receiving a request. */
const RECEIVE_MS = 5_000;
/** Milliseconds for the response: longer than the API may take. */
const RESPOND_MS = 40_000;
/** Milliseconds from a signal until connections that are still open are cut. */
const STOP_MS = 10_000;
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

export interface HttpOptions {
  host: string;
  port: number;
  /** Further host names in the URLs of clients. */
  names: string[];
}

/** Makes the server of one request. */
type MakeServer = (token: string, options: CallOptions) => McpServer;

const fault = (status: number, message: string, headers: Record<string, string> = {}, code = -32_000) =>
  Response.json({ jsonrpc: "2.0", error: { code, message }, id: null }, { status, headers });

const unauthorized = (challenge: string) =>
  fault(401, "Authorization not provided", { "WWW-Authenticate": challenge });

/**
 * Whether the message cancels another one. The requests of a batch are not cancelled: each has a response. One with an id is itself
 * a request.
 */
const isCancellation = (message: unknown): boolean =>
  typeof message === "object" &&
  message !== null &&
  "method" in message &&
  !("id" in message) &&
  message.method === "notifications/cancelled";

/** Serves until a signal comes. */
export async function serveOverHttp(make: MakeServer, { host, port, names }: HttpOptions): Promise<void> {
  const own = isIPv6(host) ? `[${host}]` : host;
  const known = new Set([...LOOPBACK, own, ...names].map((name) => URL.parse(`http://${name}`)?.hostname));
  const isKnown = (url: string) => URL.canParse(url) && known.has(new URL(url).hostname);

  async function respond(request: IncomingMessage, gone: AbortSignal): Promise<Response> {
    const { host = "", origin, authorization } = request.headers;
    // A page of any site can reach this port by a name of its own, but not change what its browser says of it.
    if (!isKnown(`http://${host}`)) return fault(403, "Unknown Host");
    if (origin !== undefined && !isKnown(origin)) return fault(403, "Unknown Origin");
    if (request.url?.split("?")[0] !== PATH) return fault(404, `Only ${PATH} is served`);
    if (request.method !== "POST") return fault(405, "Only POST is supported", { Allow: "POST" });
    const token = bearerToken((name) => (name === "authorization" ? authorization : undefined));
    if (token === null) return unauthorized("Bearer");
    const body = await readAtMost({ body: request.iterator({ destroyOnReturn: false }) }, MAX_MESSAGE);
    if (!body) return fault(413, `A request has at most ${MAX_MESSAGE} bytes`);
    return respondTo(token, body, request, gone);
  }

  /** @param gone aborted when the client leaves */
  async function respondTo(
    token: string,
    body: Buffer,
    { headers }: IncomingMessage,
    gone: AbortSignal,
  ): Promise<Response> {
    let message: unknown;
    try {
      message = JSON.parse(body.toString());
    } catch {
      return fault(400, "Parse error: Invalid JSON", {}, -32_700);
    }
    if (Array.isArray(message) && (message.length === 0 || message.length > MAX_BATCH))
      return fault(400, `A batch has 1 to ${MAX_BATCH} messages`, {}, -32_600);
    const messages = [message].flat().filter((each) => !isCancellation(each));
    const ids = messages.flatMap((each) => (Object(each) as { id?: unknown }).id ?? []);
    if (new Set(ids).size < ids.length)
      return fault(400, "Each request of a batch needs an id of its own", {}, -32_600);
    if (messages.length === 0) return new Response(null, { status: 202 });
    const early = Promise.withResolvers<Response>();
    const signal = AbortSignal.any([gone, AbortSignal.timeout(RESPOND_MS)]);
    signal.addEventListener("abort", () => early.resolve(fault(504, "There is no response")));
    const server = make(token, { refused: (challenge) => early.resolve(unauthorized(challenge)), signal });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    try {
      await server.connect(transport);
      const init = { method: "POST", headers: headers as Record<string, string> };
      const request = new Request(`http://localhost${PATH}`, init);
      const parsedBody = Array.isArray(message) ? messages : message;
      return await Promise.race([transport.handleRequest(request, { parsedBody }), early.promise]);
    } finally {
      await server.close();
    }
  }

  let requests = 0;
  const options = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: RECEIVE_MS,
    requestTimeout: RECEIVE_MS,
    connectionsCheckingInterval: RECEIVE_MS / 5,
  };
  const server = createServer(options, async (request, response) => {
    requests += 1;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const { status, headers, body } = await (requests > MAX_REQUESTS
        ? fault(503, "The server is busy", { "Retry-After": "1" })
        : respond(request, gone.signal));
      // The rest of a refused request is not read.
      if (!request.complete) response.shouldKeepAlive = false;
      response.writeHead(status, { ...Object.fromEntries(headers), "Cache-Control": "no-store" });
      response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    } catch (error) {
      if (!request.socket.destroyed) report(`A request failed: ${error}`);
      response.destroy();
    } finally {
      requests -= 1;
    }
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = RESPOND_MS + RECEIVE_MS;
  server.listen(port, host);
  await once(server, "listening");
  const closed = once(server, "close");
  const { port: opened } = server.address() as AddressInfo;
  report(`MCP is served at http://${own}:${opened}${PATH}`);
  await withSignals(
    () => {
      server.close();
      // Once it closes, Node no longer limits how long a request may be received.
      setTimeout(() => server.closeAllConnections(), STOP_MS).unref();
    },
    () => closed,
  );
}

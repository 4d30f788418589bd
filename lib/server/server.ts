/**
 * The production server: answers `/v0` directly and leaves everything else to the pages. The framework's own route
 * handlers give the same answers at many times the cost.
 */
import { randomBytes, randomUUID } from "node:crypto";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { sessionToken } from "#lib/api/authenticate.ts";
import { handle } from "#lib/api/handle.ts";
import { health, readiness } from "#lib/api/health.ts";
import { isHttps } from "#lib/api/origin.ts";
import { type ApiRequest, PICTURE_POLICY, type Reply } from "#lib/api/reply.ts";
import { respondError } from "#lib/api/respond.ts";
import { route } from "#lib/api/router.ts";
import type { Service } from "#lib/api/service.ts";
import { ApiError, isApiError } from "#lib/contract/errors.ts";
import { refusalPage } from "./refusal-page.ts";

/** One year of https only (RFC 6797), in seconds. */
const HSTS = "max-age=31536000";

/** Answers everything that is not the API's. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function createServer(service: Service, page: PageHandler): Server {
  const options = {
    // The framework listens for upgrades but takes none: clients that offer HTTP/2 get HTTP/1.1.
    shouldUpgradeCallback: () => false,
    // Refused in `dispatch`, with a body.
    requireHostHeader: false,
  };
  const server = createHttpServer(options, (request, response) => {
    dispatch(service, page, request, response).catch((error) => {
      service.log.error({ err: error, url: request.url }, "a request could not be answered");
      response.destroy();
    });
  });
  server.on("clientError", refuseMalformed);
  // An unknown expectation is no reason to refuse (RFC 9110, section 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  return server;
}

async function dispatch(
  service: Service,
  page: PageHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = targetOf(request);
  request.url = target;
  const queryAt = target.indexOf("?");
  const pathname = queryAt === -1 ? target : target.slice(0, queryAt);
  if (isHttps(headerOf(request), service.config)) response.setHeader("Strict-Transport-Security", HSTS);
  const fault = hostFault(request);
  if (fault) {
    send(response, malformed(fault));
  } else if (pathname === "/v0" || pathname.startsWith("/v0/")) {
    const matched = route(pathname);
    const search = new URLSearchParams(queryAt === -1 ? "" : target.slice(queryAt + 1));
    send(
      response,
      await handle(service, matched?.name ?? null, plain(request, matched?.params ?? {}, search)),
    );
  } else if (pathname === "/healthz") {
    send(response, health());
  } else if (pathname === "/readyz") {
    send(response, await readiness());
  } else if (!isDecodable(pathname)) {
    // The framework would answer this with a bare 500.
    response.writeHead(400, { "Content-Type": "text/plain; charset=utf-8" });
    response.end("The percent-encoding of this URL is broken.\n");
  } else {
    const segments = segmentsOf(pathname);
    if (segments[0] === "_next" && segments[1] === "image") {
      // The framework would write a file and a log line for each path that a stranger makes up.
      send(response, respondError(new ApiError("NOT_FOUND"), null));
      return;
    }
    protect(request, response, pathname.startsWith("/asset-icons/"));
    if (COUNTED_PAGES.includes(segments[0] ?? "")) await answerPage(service, page, request, response);
    else await page(request, response);
  }
}

/**
 * The pages that read data, by the first segment of their paths. A view of one is a request like any other; what the
 * page reads for it is not counted again. Its polling of `/status` is not counted, or an open page would use up a
 * small quota; `/changes` counts itself.
 */
export const COUNTED_PAGES: readonly string[] = ["", "addresses", "blocks", "docs"];

/** A path's segments as the framework reads them: without `..` and percent-encoding. */
function segmentsOf(pathname: string): string[] {
  return decodeURIComponent(new URL(`http://host${pathname}`).pathname)
    .split("/")
    .slice(1);
}

/** A page for the reader whose session it is. Without a session it is not counted: it only leads to the sign-in page. */
async function answerPage(
  service: Service,
  page: PageHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = sessionToken(headerOf(request));
  // If the reader disconnects while the page's last bytes are being sent, the framework's promise never settles.
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  try {
    await service.call(token, null, () => Promise.race([page(request, response), closed]));
  } catch (error) {
    if (response.headersSent) throw error;
    if (isApiError(error) && error.code === "UNAUTHORIZED") await page(request, response);
    else send(response, refusalPage(service.failureOf(error, { url: request.url })));
  }
}

/** The request's path and query. Clients that take this server for a proxy send the whole URL (RFC 9112, section 3.2.2). */
function targetOf({ url = "/" }: IncomingMessage): string {
  const target = url.replace(/^https?:\/\/[^/?]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
}

/** What is wrong with the request's Host (RFC 9112, section 3.2). Node itself keeps the first one of several. */
function hostFault({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) return "Host is given more than once";
  return hosts === 0 && httpVersion === "1.1" ? "Host is missing" : null;
}

function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}

function plain(
  request: IncomingMessage,
  params: Record<string, string>,
  search: URLSearchParams,
): ApiRequest {
  return {
    method: request.method ?? "GET",
    params,
    search,
    header: headerOf(request),
  };
}

function headerOf(request: IncomingMessage): ApiRequest["header"] {
  return (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, reply.headers);
  response.end(reply.body);
}

/** The framework keeps headers that are set here over those of its own routes. */
function protect(request: IncomingMessage, response: ServerResponse, isIcon: boolean): void {
  // The app has no server actions: the framework would only log that it does not know this one.
  delete request.headers["next-action"];
  const nonce = randomBytes(16).toString("base64");
  const policy = isIcon ? PICTURE_POLICY : pagePolicy(nonce);
  request.headers["content-security-policy"] = policy;
  response.setHeader("Content-Security-Policy", policy);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Referrer-Policy", "same-origin");
}

/**
 * Pages run only scripts with this nonce: the framework reads it from the request's policy and puts it on its
 * scripts. Styles may be inline, because dialogs lock scrolling with them.
 */
function pagePolicy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Bytes that Node cannot read as a request get the error body, too. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const { headers, body } = malformed(status.slice(4));
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
}

/** The answer to a malformed request, whatever it asks for. */
function malformed(message: string): Reply {
  const reply = respondError(new ApiError("BAD_REQUEST", [{ path: [], code: "malformed", message }]), null);
  reply.headers["Content-Length"] = String(Buffer.byteLength(reply.body));
  reply.headers["X-Request-Id"] = randomUUID();
  return reply;
}

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
import { preflight } from "#lib/api/cors.ts";
import { handle, READING, refuse, replyHeaders, requestId, requireMethod } from "#lib/api/handle.ts";
import { health, readiness } from "#lib/api/health.ts";
import { isHttps } from "#lib/api/origin.ts";
import { isPublicPath, publicFile } from "#lib/api/public-files.ts";
import {
  type ApiRequest,
  isStreamed,
  PICTURE_POLICY,
  type Reply,
  type StreamedReply,
} from "#lib/api/reply.ts";
import { respondError } from "#lib/api/respond.ts";
import { pathBelow, route } from "#lib/api/router.ts";
import type { Service } from "#lib/api/service.ts";
import type { Config } from "#lib/config.ts";
import { ApiError, isApiError } from "#lib/contract/errors.ts";
import { Admission, type Exchange } from "./admission.ts";
import type { KnownPath } from "./known-paths.ts";
import type { ServerMetrics } from "./metrics.ts";
import { logRequests, observe, routeOfPage, type Visit } from "./observe.ts";
import { refusalPage } from "./refusal-page.ts";

/** What the framework's routes may get. It answers TRACE, which its requests cannot be made with, with a bare 500. */
const HANDLED = [...READING, "POST", "DELETE", "OPTIONS"];
/** A name, an IPv4 address or an IPv6 one, and a port; it may be empty (RFC 3986, section 3.2.2). */
const HOST_FORM = /^([\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i;
/** One year of https only (RFC 6797), in seconds. */
const HSTS = "max-age=31536000";

/** Whole head of a request in bytes, its URL included; Node answers longer ones with 431. */
const MAX_HEAD_BYTES = 16_384;
/** Milliseconds for the head of a request, and for all of it; then 408. */
const HEAD_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** How often these times are checked. */
const CHECK_MS = 1_000;

/** How often last uses of access tokens are stored. */
const SAVE_USES_MS = 60_000;

/** Answers everything that is not the API's. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** What requests are answered with. */
interface Site {
  service: Service;
  admission: Admission;
  page: PageHandler;
  isKnown: KnownPath;
}

/**
 * @param isKnown which paths the framework has something at; it sees no others
 * @param metrics count the requests
 */
export function createServer(
  service: Service,
  page: PageHandler,
  isKnown: KnownPath = () => true,
  metrics?: ServerMetrics,
): Server {
  const options = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: HEAD_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_MS,
    // The framework listens for upgrades but takes none: clients that offer HTTP/2 get HTTP/1.1.
    shouldUpgradeCallback: () => false,
    // Refused in `dispatch`, with a body.
    requireHostHeader: false,
  };
  const admission = new Admission(service.config);
  const site = { service, admission, page, isKnown };
  metrics?.follow(admission);
  const log = logRequests(service);
  const server = createHttpServer(options, (request, response) => {
    const exchange = admission.begin(request, response);
    if (!exchange) return;
    dropForwarded(request, service.config);
    const id = requestId({ header: headerOf(request) });
    const visit = observe(request, response, id, (outcome, isWhole) => {
      metrics?.count(outcome, exchange.stream);
      log(outcome, isWhole);
    });
    // Node passes all requests of one packet on before this: if they were too many, none is answered.
    process.nextTick(() => {
      if (request.socket.destroyed) return;
      dispatch(site, request, exchange, visit).catch((error) => {
        service.log.error({ err: error, requestId: id }, "a request could not be answered");
        response.destroy();
      });
    });
  });
  server.maxConnections = service.config.MAX_CONNECTIONS;
  admission.watch(server);
  const saving = setInterval(() => void service.tokenUses.save(), SAVE_USES_MS).unref();
  server.once("close", () => clearInterval(saving));
  service.stopping.signal.addEventListener("abort", () => admission.stop());
  server.on("clientError", refuseMalformed);
  // An unknown expectation is no reason to refuse (RFC 9110, section 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  return server;
}

async function dispatch(
  site: Site,
  request: IncomingMessage,
  exchange: Exchange,
  visit: Visit,
): Promise<void> {
  const { service } = site;
  const { response } = exchange;
  const target = targetOf(request);
  request.url = target;
  const queryAt = target.indexOf("?");
  const fullPath = queryAt === -1 ? target : target.slice(0, queryAt);
  const query = target.slice(fullPath.length + 1);
  // Health checks come from machines beside this one, which need not know the base path.
  const pathname = pathBelow(service.config.BASE_PATH, fullPath) ?? (isHealth(fullPath) ? fullPath : null);
  if (isHttps(headerOf(request), service.config)) response.setHeader("Strict-Transport-Security", HSTS);
  const fault = hostFault(request);
  const isApi = pathname === "/v0" || pathname?.startsWith("/v0/");
  // The API's answers bring it along: Node takes longer over headers that are set one by one.
  if (fault || !isApi) response.setHeader("X-Request-Id", visit.id);
  if (fault) {
    await send(response, malformed(fault, visit.id));
  } else if (pathname === null) {
    await send(response, notFoundPage(service, visit));
  } else if (isApi) {
    await answerApi(site, request, exchange, visit, pathname, query);
  } else if (pathname === "/healthz") {
    visit.route = "healthz";
    await send(response, health());
  } else if (pathname === "/readyz") {
    visit.route = "readyz";
    await send(response, await readiness(service));
  } else if (!isDecodable(fullPath)) {
    // The framework would answer this with a bare 500.
    response.writeHead(400, { "Content-Type": "text/plain; charset=utf-8" });
    response.end("The percent-encoding of this URL is broken.\n");
  } else {
    // The framework resolves dot segments, too.
    const resolved = pathBelow(service.config.BASE_PATH, new URL(`http://host${fullPath}`).pathname);
    if (resolved === null) {
      await send(response, notFoundPage(service, visit));
      return;
    }
    const path = decodeURIComponent(resolved);
    if (path.startsWith("/_next/image")) {
      // The framework would write a file and a log line for each path that a stranger makes up.
      await send(response, respondError(new ApiError("NOT_FOUND"), null));
      return;
    }
    if (isPublicPath(path)) response.setHeader("Access-Control-Allow-Origin", "*");
    protect(request, response, pathname.startsWith("/asset-icons/"));
    await answerPage(site, request, exchange, visit, path);
  }
}

/** Throws SERVICE_UNAVAILABLE if there is no slot, when it is the refusal's turn. */
async function takeSlot({ service, admission }: Site, exchange: Exchange): Promise<void> {
  try {
    admission.admit(exchange);
  } catch (error) {
    await service.limits.refusalTurn();
    throw error;
  }
}

/** Takes a slot for the answer, and then room for its bytes. */
async function answerApi(
  site: Site,
  request: IncomingMessage,
  exchange: Exchange,
  visit: Visit,
  pathname: string,
  query: string,
): Promise<void> {
  const { service, admission } = site;
  const matched = route(pathname);
  visit.route = matched?.name ?? "v0";
  const asked = plain(request, visit, query, matched?.params);
  const early = preflight(asked, service.config);
  if (early) {
    exchange.response.setHeader("X-Request-Id", visit.id);
    return await send(exchange.response, early);
  }
  try {
    await takeSlot(site, exchange);
    const reply = await handle(service, matched?.name ?? null, asked, visit.id);
    if (isStreamed(reply)) {
      admission.leave(exchange, matched?.name === "events" ? "events" : "ndjson");
      stream(site, exchange, reply, visit.id);
    } else {
      admission.hold(exchange, reply.body.length);
      await send(exchange.response, reply);
    }
  } catch (error) {
    if (exchange.response.headersSent) throw error;
    await send(exchange.response, refuse(service, error, asked, visit.id));
  }
}

/**
 * The pages that read data, by the first segment of their paths. A view of one is a request like any other; what the
 * page reads for it is not counted again. Its polling of `/status` is not counted, or an open page would use up a
 * small quota; `/changes`, `/holdings`, `/sources` and `/latest-blocks` count themselves.
 */
export const COUNTED_PAGES: readonly string[] = ["", "addresses", "blocks", "docs"];
/** What the framework renders, which takes the processor for longer than anything else. */
const RENDERED = [...COUNTED_PAGES, "sign-in"];

/** What the framework answers. A page of its own cannot set a status, so pages are refused here. */
async function answerPage(
  site: Site,
  request: IncomingMessage,
  exchange: Exchange,
  visit: Visit,
  path: string,
): Promise<void> {
  const { service, admission, page, isKnown } = site;
  const { response } = exchange;
  const segment = path.split("/")[1] ?? "";
  const isPath = isKnown(path);
  visit.route = routeOfPage(path, isPath);
  try {
    await takeSlot(site, exchange);
    if (!isPath) throw new ApiError("NOT_FOUND");
    if (isPublicPath(path)) {
      const asked = plain(request, visit, "");
      requireMethod(asked.method, READING);
      const reply = await publicFile(path, asked);
      admission.hold(exchange, reply.body.length);
      return await send(response, reply);
    }
    const isRendered = RENDERED.includes(segment);
    requireMethod(request.method, isRendered ? READING : HANDLED);
    if (!isRendered) return await page(request, response);
    await admission.render(exchange, async () => {
      if (COUNTED_PAGES.includes(segment)) await countView(service, request, visit);
      await page(request, response);
    });
  } catch (error) {
    if (response.headersSent) throw error;
    const failure = service.failureOf(error, { requestId: visit.id });
    await send(response, refusalPage(failure, service.config.BASE_PATH));
  }
}

/** Nothing is outside the base path. */
function notFoundPage({ config }: Service, visit: Visit): Reply {
  visit.route = "unknown";
  return refusalPage(new ApiError("NOT_FOUND"), config.BASE_PATH);
}

/** Without a session a page is not counted: it only leads to the sign-in page. */
async function countView(service: Service, request: IncomingMessage, visit: Visit): Promise<void> {
  try {
    await service.countPageView(sessionToken(headerOf(request)), (tokenId) => {
      visit.token = tokenId;
    });
  } catch (error) {
    if (!isApiError(error) || error.code !== "UNAUTHORIZED") throw error;
  }
}

/** The request's path and query. Clients that take this server for a proxy send the whole URL (RFC 9112, section 3.2.2). */
function targetOf({ url = "/" }: IncomingMessage): string {
  const target = url.replace(/^https?:\/\/[^/?]*/i, "");
  return target.startsWith("/") ? target : `/${target}`;
}

/** What is wrong with the request's Host (RFC 9112, section 3.2). Node itself keeps the first one of several. */
function hostFault({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) return "Host is given more than once";
  if (hosts === 1) return HOST_FORM.test(headers.host ?? "") ? null : "Host is not a host and port";
  return httpVersion === "1.1" ? "Host is missing" : null;
}

const isHealth = (path: string): boolean => path === "/healthz" || path === "/readyz";

/**
 * Removes what a proxy says of a request and does not count: the scheme unless TRUST_PROXY lists the proxy, and always
 * the host, because proxies pass on `Host` itself. Nothing here uses the other ones.
 */
function dropForwarded({ headers, socket }: IncomingMessage, { TRUST_PROXY }: Config): void {
  delete headers["x-forwarded-host"];
  if (headers["x-forwarded-proto"] === undefined) return;
  const { remoteAddress = "", remoteFamily } = socket;
  if (!TRUST_PROXY.check(remoteAddress, remoteFamily === "IPv6" ? "ipv6" : "ipv4")) {
    delete headers["x-forwarded-proto"];
  }
}

function isDecodable(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return true;
  } catch {
    return false;
  }
}

/** The request as the API takes it; `visit` learns whose it is. */
function plain(
  request: IncomingMessage,
  visit: Visit,
  query: string,
  params: Record<string, string> = {},
): ApiRequest {
  return {
    method: request.method ?? "GET",
    params,
    query,
    header: headerOf(request),
    onCaller: (tokenId) => {
      visit.token = tokenId;
    },
  };
}

function headerOf(request: IncomingMessage): ApiRequest["header"] {
  return (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  };
}

/** Resolves when the body is handed over. */
async function send(response: ServerResponse, { status, headers, body }: Reply): Promise<void> {
  response.writeHead(status, headers);
  response.end(body);
}

/**
 * Sends a body while it is made, a piece when the reader has taken the one before. Nothing waits for its end, which may
 * be days away: there may be thousands, and what waits takes memory.
 */
function stream(
  { service, admission }: Site,
  exchange: Exchange,
  { status, headers, body }: StreamedReply,
  requestId: string,
): void {
  const { response } = exchange;
  response.writeHead(status, headers);
  body.on("data", (piece) => {
    admission.progressed(exchange);
    if (!response.write(piece)) body.pause();
  });
  response.on("drain", () => body.resume());
  body.on("end", () => response.end());
  body.on("error", (error) => {
    response.destroy();
    // So ends a list whose token is not valid any more.
    if (error.name === "AbortError") return;
    service.log.error({ err: error, requestId }, "an answer could not be made to its end");
  });
  response.on("close", () => body.destroy());
  if (response.destroyed) body.destroy();
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

const STATUS_OF_FAULT: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Bytes that Node cannot read as a request get the error body, too. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF_FAULT[error.code ?? ""] ?? "400 Bad Request";
  const { headers, body } = malformed(status.slice(4), randomUUID());
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
}

/** The answer to a malformed request, whatever it asks for. */
function malformed(message: string, id: string): Reply {
  const reply = respondError(new ApiError("BAD_REQUEST", [{ path: [], code: "malformed", message }]), null);
  reply.headers["Content-Length"] = String(Buffer.byteLength(reply.body));
  Object.assign(reply.headers, replyHeaders(id));
  return reply;
}

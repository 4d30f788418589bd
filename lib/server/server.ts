/** The front server. It leaves only pages to the framework, whose route handlers would take many times as long. */
import { randomUUID } from "node:crypto";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { SESSION_COOKIE } from "#lib/api/authenticate.ts";
import {
  type ApiRequest,
  type ApiResponse,
  type HeaderOf,
  isStreamed,
  type StreamedResponse,
} from "#lib/api/http-messages.ts";
import { errorResponse } from "#lib/api/responses.ts";
import type { Service } from "#lib/api/service.ts";
import type { WorkQueue } from "#lib/api/work-queue.ts";
import type { Config } from "#lib/config.ts";
import { ApiError, isApiError } from "#lib/contract/errors.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { Admission, type Exchange } from "./admission.ts";
import { handle, READING, refuse, requestId, requireMethod, responseHeaders } from "./api-handler.ts";
import { matchRoute } from "./api-routes.ts";
import type { Build } from "./build.ts";
import { isTrusted } from "./caller.ts";
import { preflight } from "./cors.ts";
import { dashboardRoute } from "./dashboard.ts";
import type { Renderer } from "./framework.ts";
import { health, readiness } from "./health.ts";
import type { ServerMetrics } from "./metrics.ts";
import { logRequests, observe, type RouteName, routeOfPage, type Visit } from "./observe.ts";
import { isHttps } from "./origin.ts";
import { pagePolicy, renderPage } from "./pages.ts";
import { publicFile } from "./public-files.ts";
import { refusalPage } from "./refusal-page.ts";
import { MAX_BODY_BYTES, readerOf } from "./session.ts";
import { isApiPath, isHealth, type Target, targetOf } from "./target.ts";

/** One year (RFC 6797). */
const HSTS = "max-age=31536000";

/**
 * Maximum head of a request in bytes, its URL included; Node refuses longer ones with 431. The browser names a wallet's page up
 * to three times, and 100 addresses may have 11,000 characters.
 */
const MAX_HEAD_BYTES = 65_536;
/** Milliseconds for receiving a request, its body included; then 408. */
const REQUEST_TIMEOUT_MS = 5_000;
const CHECK_MS = 1_000;

const SAVE_USES_MS = 60_000;

interface Site extends Pick<Build, "isPage" | "files"> {
  service: Service;
  admission: Admission;
  framework: Renderer;
}

/** @param build the framework's pages and files; by default it has a page at every path */
export function createServer(
  service: Service,
  framework: Renderer,
  { isPage, files }: Pick<Build, "isPage" | "files"> = { isPage: () => true, files: new Map() },
  metrics?: ServerMetrics,
): Server {
  const options = {
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: REQUEST_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_MS,
    // `handlerOf` refuses such requests with a body.
    requireHostHeader: false,
  };
  const admission = new Admission(service, framework.pageMs);
  const site = { service, admission, framework, isPage, files };
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
    // Node has then announced all requests of one packet. If they are too many, none gets a response.
    process.nextTick(() => {
      if (request.socket.destroyed) return;
      dispatch(site, request, exchange, visit).catch((error) => {
        service.log.error({ err: error, requestId: id }, "a request failed");
        response.destroy();
      });
    });
  });
  admission.watch(server);
  const saving = setInterval(() => void service.tokenUses.save(), SAVE_USES_MS).unref();
  server.once("close", () => clearInterval(saving));
  service.stopping.signal.addEventListener("abort", () => admission.stop());
  server.on("clientError", refuseMalformed);
  // An unknown expectation may be ignored (RFC 9110, section 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  return server;
}

interface Handler {
  /** The API's queue by default. */
  queue?: WorkQueue;
  takesBody?: boolean;
  /** @param body null if it is too long, or none is taken */
  respond(body: Buffer | null): Promise<ApiResponse | StreamedResponse>;
  /** The response if the server refuses the request, or if `respond` throws. */
  refusal(error: unknown): ApiResponse;
}

async function dispatch(site: Site, request: IncomingMessage, exchange: Exchange, visit: Visit) {
  const { service, admission } = site;
  const { response } = exchange;
  const target = targetOf(request, service.config);
  const { path, fault } = target;
  if (isHttps(headerOf(request), service.config)) {
    response.setHeader("Strict-Transport-Security", HSTS);
    dropPlainSession(request);
  }
  // The API's responses include their headers, because Node takes longer for headers that are set one by one.
  if (fault !== null || !isApiPath(path)) {
    for (const [name, value] of Object.entries(ownHeaders(visit.id))) response.setHeader(name, value);
  }
  if (fault === null && isHealth(path)) {
    visit.route = path === "/healthz" ? "healthz" : "readyz";
    return send(response, visit.route === "healthz" ? health() : await readiness(service));
  }
  const { queue = service.workQueue, takesBody, respond, refusal } = handlerOf(site, request, visit, target);
  try {
    const body = takesBody ? await admission.body(exchange, request, MAX_BODY_BYTES) : null;
    const apiResponse = await admission.admit(exchange, queue, () => respond(body));
    if (isStreamed(apiResponse)) {
      admission.leave(exchange, visit.route === "events" ? "events" : "ndjson");
      return stream(site, exchange, apiResponse, visit.id);
    }
    admission.hold(exchange, apiResponse.body.length);
    send(response, apiResponse);
  } catch (error) {
    if (response.headersSent) throw error;
    send(response, refusal(error));
  }
}

function handlerOf(
  site: Site,
  request: IncomingMessage,
  visit: Visit,
  { path, query, fault }: Target,
): Handler {
  const { service, framework, files, isPage } = site;
  const apiRequest = toApiRequest(request, visit, query);
  const { method } = apiRequest;
  const failureOf = (error: unknown) => service.failureOf(error, { requestId: visit.id });
  const inJson = (error: unknown) => errorResponse(failureOf(error), service.tip.last);
  const onPage = (error: unknown) => refusalPage(failureOf(error), service.config.BASE_PATH, visit.id);

  if (fault !== null)
    return { respond: async () => malformed(fault, visit.id, service.tip.last), refusal: inJson };
  const notFound = { respond: () => Promise.reject(new ApiError("NOT_FOUND")), refusal: onPage };
  if (path === null) return notFound;
  if (isApiPath(path)) return apiHandler(service, apiRequest, visit, path);
  const dashboard = dashboardRoute(path);
  if (dashboard) {
    visit.route = dashboard.name;
    return {
      takesBody: method === "POST" && dashboard.methods.includes(method),
      async respond(body) {
        requireMethod(method, dashboard.methods);
        return dashboard.handle(service, { ...apiRequest, params: dashboard.params, body });
      },
      refusal: inJson,
    };
  }
  const file = files.get(path);
  if (file) {
    visit.route = "file";
    return {
      queue: service.fileQueue,
      async respond() {
        requireMethod(method, READING);
        return publicFile(file, apiRequest);
      },
      refusal: inJson,
    };
  }
  const isKnown = isPage(path);
  const { header } = apiRequest;
  // Only browsers get the framework's page about it.
  if (!isKnown && !(READING.includes(method) && header("accept")?.includes("text/html"))) return notFound;
  const route = isKnown ? routeOfPage(path) : "unknown";
  visit.route = route;
  return {
    queue: service.pageQueue,
    async respond() {
      requireMethod(method, READING);
      const { onCaller } = apiRequest;
      // A view counts as one request, with everything that the page reads. Its polling of `/status` is not counted.
      const onView = UNCOUNTED.includes(route) ? undefined : onCaller;
      const { reader, cookies } = await readerOf(service, { header, onCaller: onView });
      // The framework caches what it renders for each path, so all unknown ones are the same to it.
      const url = `${service.config.BASE_PATH}${isKnown ? path + (query && `?${query}`) : NOT_FOUND_PAGE}`;
      const page = { method, header, url, headers: request.headers, id: visit.id, reader };
      const rendered = await renderPage(framework, page);
      return { ...rendered, cookies, ...(!isKnown && { status: 404 }) };
    },
    refusal: onPage,
  };
}

function apiHandler(service: Service, given: ApiRequest, visit: Visit, path: string): Handler {
  const matched = matchRoute(path);
  visit.route = matched?.name ?? "v0";
  const apiRequest = { ...given, params: matched?.params ?? {} };
  const early = preflight(apiRequest, service.config, visit.id);
  // Even an overloaded server must tell a browser that it serves other sites.
  if (early) return { respond: async () => early, refusal: () => early };
  return {
    respond: () => handle(service, matched?.name ?? null, apiRequest, visit.id),
    refusal: (error) => refuse(service, error, apiRequest, visit.id),
  };
}

/** Removes forwarded schemes of untrusted proxies, and all forwarded hosts: proxies pass on `Host` itself. */
function dropForwarded({ headers, socket }: IncomingMessage, config: Config): void {
  delete headers["x-forwarded-host"];
  if (headers["x-forwarded-proto"] === undefined) return;
  if (!isTrusted(socket.remoteAddress ?? "", config)) delete headers["x-forwarded-proto"];
}

/** Removes the session cookie of plain http: another host of the domain could have set it. */
function dropPlainSession({ headers }: IncomingMessage): void {
  if (!headers.cookie?.includes(SESSION_COOKIE)) return;
  const cookies = headers.cookie
    .split(";")
    .filter((cookie) => !cookie.trim().startsWith(`${SESSION_COOKIE}=`));
  headers.cookie = cookies.join(";");
}

/** Pages that read no data, so their views do not count against the rate limit. */
const UNCOUNTED: readonly RouteName[] = ["sign-in", "file", "unknown"];
/** The framework's path of `app/not-found.tsx`. */
const NOT_FOUND_PAGE = "/_not-found";

/** Converts a request for the API. `visit` gets the caller's token id once it is known. */
function toApiRequest(request: IncomingMessage, visit: Visit, query: string): ApiRequest {
  return {
    method: request.method ?? "GET",
    params: {},
    query,
    header: headerOf(request),
    onCaller: (tokenId) => {
      visit.token = tokenId;
    },
  };
}

/** Reads request headers. Node has joined repeated values of every header that is read. */
const headerOf =
  ({ headers }: IncomingMessage): HeaderOf =>
  (name) =>
    headers[name] as string | undefined;

function send(response: ServerResponse, { status, headers, cookies = [], body }: ApiResponse): void {
  // The rest of the request's body is not read.
  if (!response.req.complete) response.shouldKeepAlive = false;
  if (cookies.length > 0) response.setHeader("Set-Cookie", cookies);
  // For HEAD, the API itself sets the length that GET would have. A streamed list has none.
  // A 204 has no length either (RFC 9110, section 8.6).
  const hasNoBody = status === 304 || status === 204 || (response.req.method === "HEAD" && body.length === 0);
  if (!hasNoBody) headers["Content-Length"] ??= String(Buffer.byteLength(body));
  response.writeHead(status, headers);
  // Node would join a text to the head and write both as UTF-8, but each character of the head is a byte.
  response.end(typeof body === "string" ? Buffer.from(body) : body);
}

/** Sends each piece of a body when the reader has taken the one before. */
function stream(
  { service, admission }: Site,
  exchange: Exchange,
  { status, headers, body }: StreamedResponse,
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
    // The token of the list is no longer valid.
    if (error.name === "AbortError") return;
    if (isApiError(error)) {
      service.log.info({ requestId, reason: error.issues[0]?.message ?? error.message }, "a list was cut");
    } else {
      service.log.error({ err: error, requestId }, "a response could not be completed");
    }
  });
  response.on("close", () => body.destroy());
  if (response.destroyed) body.destroy();
}

/** Default headers of responses outside the API. */
const ownHeaders = (id: string): Record<string, string> => ({
  ...responseHeaders(id),
  "Content-Security-Policy": pagePolicy(),
  "Referrer-Policy": "same-origin",
});

const STATUS_OF_FAULT: Record<string, string> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Milliseconds in which a client may read why its connection is closed. */
const FAREWELL_MS = 1_000;

/** Sends the error body to a client whose bytes Node cannot parse as a request, and closes the connection. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Node keeps the response under way in this property. Nothing may be written into it.
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: ServerResponse | null };
  // The response to a request that arrived whole belongs to that request.
  const mustStaySilent = response?.headersSent || response?.req.complete;
  if (error.code === "ECONNRESET" || !socket.writable || mustStaySilent) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF_FAULT[error.code ?? ""] ?? "400 Bad Request";
  const { headers, body } = malformed(status.slice(4), randomUUID(), null);
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join("")}\r\n${body}`);
  // A client that keeps its half open would hold the connection.
  setTimeout(() => socket.destroy(), FAREWELL_MS).unref();
}

function malformed(message: string, id: string, tip: IndexTip | null): ApiResponse {
  const error = new ApiError("BAD_REQUEST", [{ path: [], code: "malformed", message }]);
  const response = errorResponse(error, tip);
  response.headers["Content-Length"] = String(Buffer.byteLength(response.body));
  Object.assign(response.headers, responseHeaders(id));
  return response;
}

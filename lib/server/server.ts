/** The server: answers everything but pages itself. The framework's route handlers would take many times as long. */
import { randomUUID } from "node:crypto";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { sessionToken } from "#lib/api/authenticate.ts";
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
import { MAX_BODY_BYTES } from "./session.ts";
import { isApiPath, isHealth, type Target, targetOf } from "./target.ts";

/** One year of https only (RFC 6797), in seconds. */
const HSTS = "max-age=31536000";

/** Whole head of a request in bytes, its URL included; Node answers longer ones with 431. */
const MAX_HEAD_BYTES = 16_384;
/** Milliseconds for a request, its body included; then 408. */
const REQUEST_TIMEOUT_MS = 5_000;
const CHECK_MS = 1_000;

const SAVE_USES_MS = 60_000;

interface Site extends Pick<Build, "isPage" | "files"> {
  service: Service;
  admission: Admission;
  framework: Renderer;
}

/** @param build the framework's pages, and files; by default it has a page at every path */
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
    // Refused by `handlerOf`, with a body.
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
    // Node passes all requests of one packet on before this: if they were too many, none is answered.
    process.nextTick(() => {
      if (request.socket.destroyed) return;
      dispatch(site, request, exchange, visit).catch((error) => {
        service.log.error({ err: error, requestId: id }, "a request could not be answered");
        response.destroy();
      });
    });
  });
  admission.watch(server);
  const saving = setInterval(() => void service.tokenUses.save(), SAVE_USES_MS).unref();
  server.once("close", () => clearInterval(saving));
  service.stopping.signal.addEventListener("abort", () => admission.stop());
  server.on("clientError", refuseMalformed);
  // An unknown expectation is no reason to refuse (RFC 9110, section 10.1.1).
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  return server;
}

interface Handler {
  /** Where it waits for its turn: by default where the API does. */
  queue?: WorkQueue;
  takesBody?: boolean;
  /** @param body null if it is too long, or none is taken */
  answer(body: Buffer | null): Promise<ApiResponse | StreamedResponse>;
  /** The answer if the server does not take the request on, or if `answer` throws. */
  refusal(error: unknown): ApiResponse;
}

async function dispatch(site: Site, request: IncomingMessage, exchange: Exchange, visit: Visit) {
  const { service, admission } = site;
  const { response } = exchange;
  const target = targetOf(request, service.config);
  const { path, fault } = target;
  if (isHttps(headerOf(request), service.config)) response.setHeader("Strict-Transport-Security", HSTS);
  // The API's answers bring theirs along: Node takes longer over headers that are set one by one.
  if (fault !== null || !isApiPath(path)) {
    for (const [name, value] of Object.entries(ownHeaders(visit.id))) response.setHeader(name, value);
  }
  if (fault === null && isHealth(path)) {
    visit.route = path === "/healthz" ? "healthz" : "readyz";
    return send(response, visit.route === "healthz" ? health() : await readiness(service));
  }
  const { queue = service.workQueue, takesBody, answer, refusal } = handlerOf(site, request, visit, target);
  try {
    const body = takesBody ? await admission.body(exchange, request, MAX_BODY_BYTES) : null;
    const apiResponse = await admission.pass(exchange, queue, () => answer(body));
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
  const { service, files, isPage } = site;
  const asked = plain(request, visit, query);
  const { method } = asked;
  const failureOf = (error: unknown) => service.failureOf(error, { requestId: visit.id });
  const inJson = (error: unknown) => errorResponse(failureOf(error), service.tip.last);
  const onPage = (error: unknown) => refusalPage(failureOf(error), service.config.BASE_PATH, visit.id);

  if (fault !== null) return { answer: async () => malformed(fault, visit.id), refusal: inJson };
  const nothing = { answer: () => Promise.reject(new ApiError("NOT_FOUND")), refusal: onPage };
  if (path === null) return nothing;
  if (isApiPath(path)) return apiHandler(service, asked, visit, path);
  const dashboard = dashboardRoute(path);
  if (dashboard) {
    visit.route = dashboard.name;
    return {
      takesBody: method === "POST" && dashboard.methods.includes(method),
      async answer(body) {
        requireMethod(method, dashboard.methods);
        return dashboard.answer(service, { ...asked, params: dashboard.params, body });
      },
      refusal: inJson,
    };
  }
  const file = files.get(path);
  if (file) {
    visit.route = "file";
    return {
      async answer() {
        requireMethod(method, READING);
        return publicFile(file, asked);
      },
      refusal: inJson,
    };
  }
  if (!isPage(path)) return nothing;
  visit.route = routeOfPage(path);
  return { ...pageHandler(site, request, asked, path, visit), refusal: onPage };
}

function apiHandler(service: Service, given: ApiRequest, visit: Visit, path: string): Handler {
  const matched = matchRoute(path);
  visit.route = matched?.name ?? "v0";
  const asked = { ...given, params: matched?.params ?? {} };
  const early = preflight(asked, service.config, visit.id);
  if (early) {
    // However busy the server is, a browser must not take it for one that answers no other site.
    return { answer: async () => early, refusal: () => early };
  }
  return {
    answer: () => handle(service, matched?.name ?? null, asked, visit.id),
    refusal: (error) => refuse(service, error, asked, visit.id),
  };
}

/**
 * A page of the framework cannot set a status, so pages are refused here. A view counts as one request, with all that the
 * page reads for it. Its polling of `/status` is not counted, or an open page would use up a small quota.
 */
function pageHandler(
  { service, framework }: Site,
  { headers }: IncomingMessage,
  { method, header, query, onCaller }: ApiRequest,
  path: string,
  { id }: Visit,
): Omit<Handler, "refusal"> {
  const url = `${service.config.BASE_PATH}${path}${query && `?${query}`}`;
  const onView = UNCOUNTED.includes(routeOfPage(path)) ? undefined : onCaller;
  return {
    queue: service.pageQueue,
    async answer() {
      requireMethod(method, READING);
      const reader = await service.checkReader(sessionToken(header), onView);
      return renderPage(framework, { method, header, url, headers, id, reader });
    },
  };
}

/**
 * Removes the scheme that a proxy names unless TRUST_PROXY lists the proxy, and always the host: proxies pass on `Host`
 * itself. `callerOf` judges the addresses.
 */
function dropForwarded({ headers, socket }: IncomingMessage, config: Config): void {
  delete headers["x-forwarded-host"];
  if (headers["x-forwarded-proto"] === undefined) return;
  if (!isTrusted(socket.remoteAddress ?? "", config)) delete headers["x-forwarded-proto"];
}

/** What reads no data: the page where readers without a session end up, and files. */
const UNCOUNTED: readonly RouteName[] = ["sign-in", "file"];

/** The request as the API takes it; `visit` learns whose it is. */
function plain(request: IncomingMessage, visit: Visit, query: string): ApiRequest {
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

/** Node joins the values of every header that is asked for. */
const headerOf =
  ({ headers }: IncomingMessage): HeaderOf =>
  (name) =>
    headers[name] as string | undefined;

function send(response: ServerResponse, { status, headers, cookies = [], body }: ApiResponse): void {
  // The rest of its body is not read.
  if (!response.req.complete) response.shouldKeepAlive = false;
  if (cookies.length > 0) response.setHeader("Set-Cookie", cookies);
  // For HEAD, the API gives the length itself, where GET has one: a list that is streamed has none.
  const hasNoBody = status === 304 || (response.req.method === "HEAD" && body.length === 0);
  if (!hasNoBody) headers["Content-Length"] ??= String(Buffer.byteLength(body));
  response.writeHead(status, headers);
  // Node writes the head as UTF-8 if it can join it to a text. A header's characters are bytes already.
  response.end(typeof body === "string" ? Buffer.from(body) : body);
}

/** Sends each piece of a body when the reader has taken the one before. Nothing waits for the end: that takes memory. */
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
      service.log.error({ err: error, requestId }, "an answer could not be made to its end");
    }
  });
  response.on("close", () => body.destroy());
  if (response.destroyed) body.destroy();
}

/** Of every answer that is not the API's, unless it says otherwise. */
const ownHeaders = (id: string): Record<string, string> => ({
  ...responseHeaders(id),
  "Content-Security-Policy": pagePolicy(),
  "Referrer-Policy": "same-origin",
});

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

function malformed(message: string, id: string): ApiResponse {
  const apiResponse = errorResponse(
    new ApiError("BAD_REQUEST", [{ path: [], code: "malformed", message }]),
    null,
  );
  apiResponse.headers["Content-Length"] = String(Buffer.byteLength(apiResponse.body));
  Object.assign(apiResponse.headers, responseHeaders(id));
  return apiResponse;
}

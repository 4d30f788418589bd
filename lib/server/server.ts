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
import { type ApiRequest, isStreamed, type Reply, type StreamedReply } from "#lib/api/reply.ts";
import { respondError } from "#lib/api/respond.ts";
import type { Service } from "#lib/api/service.ts";
import type { Turns } from "#lib/api/turns.ts";
import type { Config } from "#lib/config.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { Admission, type Exchange } from "./admission.ts";
import type { Build } from "./build.ts";
import { isTrusted } from "./caller.ts";
import { preflight } from "./cors.ts";
import { answerDashboard, dashboardRoute } from "./dashboard.ts";
import type { Renderer } from "./framework.ts";
import { health, readiness } from "./health.ts";
import type { ServerMetrics } from "./metrics.ts";
import { logRequests, observe, routeOfPage, type Visit } from "./observe.ts";
import { isHttps } from "./origin.ts";
import { Pages, pagePolicy } from "./pages.ts";
import { publicFile } from "./public-files.ts";
import { refusalPage } from "./refusal-page.ts";
import { pathBelow, route } from "./router.ts";
import { MAX_BODY_BYTES } from "./session.ts";
import { handle, READING, refuse, replyHeaders, requestId, requireMethod } from "./v0.ts";

/** A name, an IPv4 address or an IPv6 one, and a port; it may be empty (RFC 3986, section 3.2.2). */
const HOST_FORM = /^([\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(:\d*)?$/i;
/** One year of https only (RFC 6797), in seconds. */
const HSTS = "max-age=31536000";

/** Whole head of a request in bytes, its URL included; Node answers longer ones with 431. */
const MAX_HEAD_BYTES = 16_384;
/** Milliseconds for a request, its body included; then 408. */
const REQUEST_TIMEOUT_MS = 5_000;
/** How often this time is checked. */
const CHECK_MS = 1_000;

/** How often last uses of access tokens are stored. */
const SAVE_USES_MS = 60_000;

/** What requests are answered with. */
interface Site extends Pick<Build, "isPage" | "files"> {
  service: Service;
  admission: Admission;
  pages: Pages;
}

/**
 * @param build the pages that the framework has, and files; by default it has a page at every path
 * @param metrics count the requests
 */
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
  const admission = new Admission(service);
  const site = { service, admission, pages: new Pages(framework), isPage, files };
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

/** How a request is answered. */
interface Handler {
  turns: Turns;
  /** Whether it takes a body. */
  takesBody?: boolean;
  /** @param body null if it is too long, or none is taken */
  answer(body: Buffer | null): Promise<Reply | StreamedReply>;
  /** The answer if the server does not take the request on, or if `answer` throws. */
  refusal(error: unknown): Reply;
}

async function dispatch(
  site: Site,
  request: IncomingMessage,
  exchange: Exchange,
  visit: Visit,
): Promise<void> {
  const { service, admission } = site;
  const { response } = exchange;
  const target = targetOf(request, service.config);
  const { path, fault } = target;
  if (isHttps(headerOf(request), service.config)) response.setHeader("Strict-Transport-Security", HSTS);
  // The API's answers bring theirs along: Node takes longer over headers that are set one by one.
  const isApi = fault === null && isApiPath(path);
  if (!isApi)
    for (const [name, value] of Object.entries(ownHeaders(visit.id))) response.setHeader(name, value);
  if (fault === null && isHealth(path)) {
    visit.route = path === "/healthz" ? "healthz" : "readyz";
    return await send(response, visit.route === "healthz" ? health() : await readiness(service));
  }
  const handler = isApi ? apiHandler(site, request, visit, target) : handlerOf(site, request, visit, target);
  try {
    const body = handler.takesBody ? await admission.body(exchange, request, MAX_BODY_BYTES) : null;
    const reply = await admission.pass(exchange, handler.turns, () => handler.answer(body));
    if (isStreamed(reply)) {
      admission.leave(exchange, visit.route === "events" ? "events" : "ndjson");
      return stream(site, exchange, reply, visit.id);
    }
    admission.hold(exchange, reply.body.length);
    await send(response, reply);
  } catch (error) {
    if (response.headersSent) throw error;
    await send(response, handler.refusal(error));
  }
}

function apiHandler({ service }: Site, request: IncomingMessage, visit: Visit, target: Target): Handler {
  const matched = route(target.path!);
  visit.route = matched?.name ?? "v0";
  const asked = plain(request, visit, target.query, matched?.params);
  const { turns } = service;
  const early = preflight(asked, service.config);
  if (early) {
    early.headers["X-Request-Id"] = visit.id;
    // However busy the server is, a browser must not take it for one that answers no other site.
    return { turns, answer: async () => early, refusal: () => early };
  }
  return {
    turns,
    answer: () => handle(service, matched?.name ?? null, asked, visit.id),
    refusal: (error) => refuse(service, error, asked, visit.id),
  };
}

/** For what is not the API. */
function handlerOf(site: Site, request: IncomingMessage, visit: Visit, target: Target): Handler {
  const { service, files } = site;
  const { path, query, fault } = target;
  const asked = plain(request, visit, query);
  const inJson = (error: unknown) =>
    respondError(service.failureOf(error, { requestId: visit.id }), service.tip.last);
  const onPage = (error: unknown) =>
    refusalPage(service.failureOf(error, { requestId: visit.id }), service.config.BASE_PATH);
  const { turns } = service;

  if (fault !== null) return { turns, answer: async () => malformed(fault, visit.id), refusal: inJson };
  const dashboard = path === null ? null : dashboardRoute(path);
  const file = files.get(path ?? "");
  const isKnown = path !== null && (dashboard !== null || file !== undefined || site.isPage(path));
  visit.route = isKnown ? (dashboard?.name ?? routeOfPage(path)) : "unknown";
  if (!isKnown) {
    const answer = () => Promise.reject(new ApiError("NOT_FOUND"));
    return { turns, answer, refusal: onPage };
  }
  if (dashboard) {
    const { method } = asked;
    return {
      turns,
      takesBody: method === "POST" && dashboard.methods.includes(method),
      answer: (body) =>
        answerDashboard(
          service,
          dashboard,
          { ...asked, params: dashboard.params, body },
          { requestId: visit.id },
        ),
      refusal: inJson,
    };
  }
  if (file) {
    const answer = async () => {
      requireMethod(asked.method, READING);
      return publicFile(file, asked);
    };
    return { turns, answer, refusal: inJson };
  }
  return { ...pageHandler(site, request, asked, path, query), refusal: onPage };
}

/**
 * The pages that read data, by the first segment of their paths. A view of one is a request like any other; what the
 * page reads for it is not counted again. Its polling of `/status` is not counted, or an open page would use up a
 * small quota; `/changes`, `/holdings`, `/sources` and `/latest-blocks` count themselves.
 */
export const COUNTED_PAGES: readonly string[] = ["", "addresses", "blocks", "docs"];

/** A page of the framework cannot set a status, so pages are refused here. */
function pageHandler(
  { service, pages }: Site,
  { headers }: IncomingMessage,
  asked: ApiRequest,
  path: string,
  query: string,
): Omit<Handler, "refusal"> {
  const { BASE_PATH } = service.config;
  const { method, header } = asked;
  const url = `${BASE_PATH}${path}${query && `?${query}`}`;
  const page = { method, header, path, url, headers };
  // Without a session a page only leads to the sign-in page.
  const onView = COUNTED_PAGES.includes(path.split("/")[1]!) ? asked.onCaller : undefined;
  return {
    turns: pages.isKept(page) ? service.turns : service.pageTurns,
    async answer() {
      requireMethod(method, READING);
      const reader = await service.checkReader(sessionToken(header), onView);
      return pages.answer({ ...page, reader });
    },
  };
}

/** What a request is for. */
interface Target {
  /** Below the base path, in one form; null if it is elsewhere. */
  path: string | null;
  /** As it was sent. */
  query: string;
  /** What is wrong with the request. */
  fault: string | null;
}

/** Clients that take this server for a proxy send the whole URL (RFC 9112, section 3.2.2). */
function targetOf(request: IncomingMessage, { BASE_PATH }: Config): Target {
  const text = (request.url ?? "/").replace(/^https?:\/\/[^/?]*/i, "");
  const [, given = "", query = ""] = /^\/?([^?]*)\??(.*)$/s.exec(text) ?? [];
  const fault = hostFault(request);
  const asked = pathBelow(BASE_PATH, `/${given}`);
  // The API says itself which of its parameters cannot be read, and takes a slash at the end for another path.
  if (isApiPath(asked)) return { path: asked, query, fault };
  const place = canonical(`/${given}`);
  if (place === null)
    return { path: null, query, fault: fault ?? "The percent-encoding of the URL is broken" };
  // Health checks come from machines beside this one, which need not know the base path.
  const path = pathBelow(BASE_PATH, place) ?? (isHealth(place) ? place : null);
  return { path, query, fault };
}

/**
 * The path with its dot segments resolved, every segment percent-encoded in the same way, and no slashes at its end: the
 * framework gets the path that is looked up here. Null if the encoding is broken.
 */
function canonical(path: string): string | null {
  const segments = new URL(`http://host${path}`).pathname.replace(/(?<=.)\/+$/, "").split("/");
  try {
    return segments.map((segment) => encodeURIComponent(decodeURIComponent(segment))).join("/");
  } catch {
    return null;
  }
}

/** What is wrong with the request's Host (RFC 9112, section 3.2). Node itself keeps the first one of several. */
function hostFault({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1) return "Host is given more than once";
  if (hosts === 1) return HOST_FORM.test(headers.host ?? "") ? null : "Host is not a host and port";
  return httpVersion === "1.1" ? "Host is missing" : null;
}

const isApiPath = (path: string | null): boolean => path === "/v0" || !!path?.startsWith("/v0/");
const isHealth = (path: string | null): path is string => path === "/healthz" || path === "/readyz";

/**
 * Removes what a proxy says of a request and does not count: the scheme unless TRUST_PROXY lists the proxy, and always
 * the host, because proxies pass on `Host` itself. `callerOf` judges the addresses; nothing uses the other ones.
 */
function dropForwarded({ headers, socket }: IncomingMessage, config: Config): void {
  delete headers["x-forwarded-host"];
  if (headers["x-forwarded-proto"] === undefined) return;
  if (!isTrusted(socket.remoteAddress ?? "", config)) delete headers["x-forwarded-proto"];
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
async function send(response: ServerResponse, { status, headers, cookies = [], body }: Reply): Promise<void> {
  // The rest of its body is not read.
  if (!response.req.complete) response.shouldKeepAlive = false;
  if (cookies.length > 0) response.setHeader("Set-Cookie", cookies);
  // For HEAD, the API gives the length itself, where GET has one: a list that is streamed has none.
  const hasNoBody = status === 304 || (response.req.method === "HEAD" && body.length === 0);
  if (!hasNoBody) headers["Content-Length"] ??= String(Buffer.byteLength(body));
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

/** Of every answer that is not the API's, unless it says otherwise. */
const ownHeaders = (id: string): Record<string, string> => ({
  ...replyHeaders(id),
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

/** The answer to a malformed request, whatever it asks for. */
function malformed(message: string, id: string): Reply {
  const reply = respondError(new ApiError("BAD_REQUEST", [{ path: [], code: "malformed", message }]), null);
  reply.headers["Content-Length"] = String(Buffer.byteLength(reply.body));
  Object.assign(reply.headers, replyHeaders(id));
  return reply;
}

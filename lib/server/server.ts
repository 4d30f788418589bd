/**
 * The production server: answers `/v0` straight from the API's functions and leaves everything else to the
 * pages. The framework's own route handlers give the same answers at many times the cost.
 */
import { randomBytes, randomUUID } from "node:crypto";
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Duplex } from "node:stream";
import { handle } from "#lib/api/handle.ts";
import { health, readiness } from "#lib/api/health.ts";
import { type ApiRequest, PICTURE_POLICY, type Reply } from "#lib/api/reply.ts";
import { route } from "#lib/api/router.ts";
import type { Service } from "#lib/api/service.ts";
import { ApiError } from "#lib/contract/errors.ts";

/** Answers everything that is not the API's. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function createServer(service: Service, page: PageHandler): Server {
  const server = createHttpServer((request, response) => {
    answer(service, page, request, response).catch((error) => {
      service.log.error({ err: error, url: request.url }, "a request could not be answered");
      response.destroy();
    });
  });
  server.on("clientError", refuseMalformed);
  return server;
}

async function answer(
  service: Service,
  page: PageHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? "/";
  const queryAt = target.indexOf("?");
  const pathname = queryAt === -1 ? target : target.slice(0, queryAt);
  if (pathname === "/v0" || pathname.startsWith("/v0/")) {
    const matched = route(pathname);
    const search = new URLSearchParams(queryAt === -1 ? "" : target.slice(queryAt + 1));
    send(
      response,
      await handle(service, matched?.operation ?? null, plain(request, matched?.params ?? {}, search)),
    );
  } else if (pathname === "/healthz") {
    send(response, health());
  } else if (pathname === "/readyz") {
    send(response, await readiness());
  } else if (!isDecodable(pathname)) {
    // The framework would answer this with a bare 500.
    response.writeHead(400, { "Content-Type": "text/plain; charset=utf-8" });
    response.end("The percent-encoding of this page's address is broken.\n");
  } else {
    protect(request, response, pathname.startsWith("/asset-icons/"));
    await page(request, response);
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

function plain(
  request: IncomingMessage,
  params: Record<string, string>,
  search: URLSearchParams,
): ApiRequest {
  return {
    method: request.method ?? "GET",
    params,
    search,
    header(name) {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
  };
}

function send(response: ServerResponse, reply: Reply): void {
  response.writeHead(reply.status, reply.headers);
  response.end(reply.body);
}

/** The framework keeps headers that are set here over those of its own routes. */
function protect(request: IncomingMessage, response: ServerResponse, isIcon: boolean): void {
  const nonce = randomBytes(16).toString("base64");
  const policy = isIcon ? PICTURE_POLICY : pagePolicy(nonce);
  request.headers["content-security-policy"] = policy;
  response.setHeader("Content-Security-Policy", policy);
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.setHeader("Referrer-Policy", "same-origin");
}

/**
 * The pages run only scripts that this answer names: the framework reads the nonce from the request's
 * policy and puts it on its own. Styles may be inline, because dialogs lock scrolling through them.
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

/** What Node could not read as a request at all still gets the contract's error body. */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const body = JSON.stringify(
    new ApiError("BAD_REQUEST", [{ path: [], code: "malformed", message: status.slice(4) }]).body,
  );
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `X-Request-Id: ${randomUUID()}\r\nConnection: close\r\n\r\n${body}`,
  );
}

import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import {
  type ApiRequest,
  type ApiResponse,
  isStreamed,
  type StreamedResponse,
} from "#lib/api/http-messages.ts";
import { errorResponse } from "#lib/api/responses.ts";
import { getService, type Service } from "#lib/api/service.ts";
import { ApiError } from "#lib/contract/errors.ts";
import { handle, requestId } from "./api-handler.ts";
import { type ApiRouteName, matchRoute } from "./api-routes.ts";
import { preflight } from "./cors.ts";
import { pathBelow } from "./target.ts";

/** The handlers of a route file under `app/v0`; null is 404. In production, the front server serves the same table. */
export function routeHandlers(name: ApiRouteName | null) {
  const handler = (request: Request) => respond(name, request);
  return {
    DELETE: handler,
    GET: handler,
    HEAD: handler,
    OPTIONS: handler,
    PATCH: handler,
    POST: handler,
    PUT: handler,
  };
}

async function respond(name: ApiRouteName | null, request: Request): Promise<Response> {
  let service: Service;
  try {
    service = await getService();
  } catch (error) {
    // Nothing is open yet, not even the log.
    console.error(error);
    const response = errorResponse(new ApiError("INTERNAL_SERVER_ERROR"), null);
    response.headers["X-Request-Id"] = randomUUID();
    return toResponse(response);
  }
  const { pathname, search } = new URL(request.url);
  // The framework also accepts a trailing slash, and a route file could be at the wrong path.
  const matched = matchRoute(pathBelow(service.config.BASE_PATH, pathname) ?? pathname);
  const found = matched?.name === name ? matched : null;
  const apiRequest: ApiRequest = {
    method: request.method,
    params: found?.params ?? {},
    query: search.slice(1),
    // The framework drops Content-Encoding, so the body must not be compressed.
    header: (field) => (field === "accept-encoding" ? undefined : (request.headers.get(field) ?? undefined)),
  };
  const id = requestId(apiRequest);
  return toResponse(
    preflight(apiRequest, service.config, id) ?? (await handle(service, found?.name ?? null, apiRequest, id)),
  );
}

function toResponse(response: ApiResponse | StreamedResponse): Response {
  const body = isStreamed(response) ? Readable.toWeb(response.body) : response.body;
  return new Response(body === "" ? null : (body as BodyInit), response);
}

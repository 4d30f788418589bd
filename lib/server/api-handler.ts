import { randomUUID } from "node:crypto";
import { handleEvents } from "#lib/api/events-handler.ts";
import {
  type ApiRequest,
  type ApiResponse,
  isStreamed,
  type StreamedResponse,
} from "#lib/api/http-messages.ts";
import { errorResponse } from "#lib/api/responses.ts";
import type { Service } from "#lib/api/service.ts";
import { ApiError } from "#lib/contract/errors.ts";
import type { ApiRouteName } from "./api-routes.ts";
import { addCorsHeaders } from "./cors.ts";

export const READING: readonly string[] = ["GET", "HEAD"];

/** Throws METHOD_NOT_ALLOWED, with the allowed methods, for any other one. */
export function requireMethod(method: string | undefined, allowed: readonly string[]): void {
  if (!allowed.includes(method ?? "")) {
    throw new ApiError("METHOD_NOT_ALLOWED", [], { Allow: allowed.join(", ") });
  }
}

/** The caller's request id if it is safe to log and to send back; otherwise a new one. */
export function requestId({ header }: Pick<ApiRequest, "header">): string {
  const sent = header("x-request-id");
  return sent !== undefined && /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
}

/** Responds to a request under `/v0`, with 404 if the name is null. Every failure becomes an error response. */
export async function handle(
  service: Service,
  name: ApiRouteName | null,
  request: ApiRequest,
  id = requestId(request),
): Promise<ApiResponse | StreamedResponse> {
  let response: ApiResponse | StreamedResponse;
  try {
    if (!name) throw new ApiError("NOT_FOUND");
    requireMethod(request.method, READING);
    response =
      name === "events"
        ? await handleEvents(service, request)
        : await service.operations[name].handle(request);
  } catch (error) {
    const failure = service.failureOf(error, { requestId: id });
    const tip = failure.code === "SERVICE_UNAVAILABLE" ? service.tip.last : await service.tip.read();
    response = errorResponse(failure, tip);
  }
  return complete(service, request, response, id);
}

/** The response to a request under `/v0` that the server refuses without reading anything. */
export function refuse(service: Service, error: unknown, request: ApiRequest, id: string): ApiResponse {
  const failure = service.failureOf(error, { requestId: id });
  return complete(service, request, errorResponse(failure, service.tip.last), id);
}

export const responseHeaders = (id: string): Record<string, string> => ({
  "X-Request-Id": id,
  "X-Content-Type-Options": "nosniff",
});

/** Adds the headers of every response, and removes the body of a response to HEAD. */
function complete<Made extends ApiResponse | StreamedResponse>(
  service: Service,
  request: ApiRequest,
  response: Made,
  id: string,
): Made | ApiResponse {
  Object.assign(response.headers, responseHeaders(id));
  addCorsHeaders(response.headers, request, service.config);
  if (!isStreamed(response) && response.status !== 304)
    response.headers["Content-Length"] = String(Buffer.byteLength(response.body));
  if (request.method !== "HEAD") return response;
  if (isStreamed(response)) response.body.destroy();
  return { ...response, body: "" };
}

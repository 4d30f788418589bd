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
import { share } from "./cors.ts";

/** Methods of everything that can only be read. */
export const READING: readonly string[] = ["GET", "HEAD"];

/** Throws METHOD_NOT_ALLOWED, which names the allowed ones, for any other method. */
export function requireMethod(method: string | undefined, allowed: readonly string[]): void {
  if (!allowed.includes(method ?? "")) {
    throw new ApiError("METHOD_NOT_ALLOWED", [], { Allow: allowed.join(", ") });
  }
}

/** The request id that the caller sent, if it is safe to log and to send back; otherwise a new one. */
export function requestId({ header }: Pick<ApiRequest, "header">): string {
  const sent = header("x-request-id");
  return sent !== undefined && /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
}

/**
 * Answers a request under `/v0`, whatever happens: runs the route of this name (null: there is nothing at this path) and turns
 * every failure into an error body.
 */
export async function handle(
  service: Service,
  name: ApiRouteName | null,
  request: ApiRequest,
  id = requestId(request),
): Promise<ApiResponse | StreamedResponse> {
  let apiResponse: ApiResponse | StreamedResponse;
  try {
    if (!name) throw new ApiError("NOT_FOUND");
    requireMethod(request.method, READING);
    apiResponse =
      name === "events"
        ? await handleEvents(service, request)
        : await service.operations[name].handle(request);
  } catch (error) {
    const failure = service.failureOf(error, { requestId: id });
    const tip = failure.code === "SERVICE_UNAVAILABLE" ? service.tip.last : await service.tip.read();
    apiResponse = errorResponse(failure, tip);
  }
  return complete(service, request, apiResponse, id);
}

/** The answer to a request under `/v0` that the server does not take on, without reading anything. */
export function refuse(service: Service, error: unknown, request: ApiRequest, id: string): ApiResponse {
  const failure = service.failureOf(error, { requestId: id });
  return complete(service, request, errorResponse(failure, service.tip.last), id);
}

/** What every answer has. */
export const responseHeaders = (id: string): Record<string, string> => ({
  "X-Request-Id": id,
  "X-Content-Type-Options": "nosniff",
});

/** Adds what every answer has, and whether the page that asked may read it. */
function complete<Made extends ApiResponse | StreamedResponse>(
  service: Service,
  request: ApiRequest,
  apiResponse: Made,
  id: string,
): Made | ApiResponse {
  Object.assign(apiResponse.headers, responseHeaders(id));
  share(apiResponse.headers, request, service.config);
  // A 304 has no body to measure, and the answer to HEAD is measured but not sent.
  if (!isStreamed(apiResponse) && apiResponse.status !== 304)
    apiResponse.headers["Content-Length"] = String(Buffer.byteLength(apiResponse.body));
  if (request.method !== "HEAD") return apiResponse;
  if (isStreamed(apiResponse)) apiResponse.body.destroy();
  return { ...apiResponse, body: "" };
}

import { randomUUID } from "node:crypto";
import { ApiError } from "#lib/contract/errors.ts";
import { isUnavailable, PositionAheadError } from "#lib/store/store.ts";
import type { Operation } from "./operations.ts";
import type { ApiRequest, Reply } from "./reply.ts";
import { respondError } from "./respond.ts";
import type { Service } from "./service.ts";

const ALLOWED = "GET, HEAD";

/** A request id that the caller sent and that is safe to log and to send back; otherwise a new one. */
function requestId(request: ApiRequest): string {
  const sent = request.header("x-request-id");
  return sent !== undefined && /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
}

/**
 * Answers a request under `/v0`, whatever happens: runs the operation (none: there is nothing at this path),
 * turns every failure into the contract's error body, and names the request. What is unexpected goes to the
 * log in full and to the caller only as INTERNAL_SERVER_ERROR.
 */
export async function handle(
  service: Service,
  operation: Operation | null,
  request: ApiRequest,
): Promise<Reply> {
  const id = requestId(request);
  let reply: Reply;
  try {
    if (!operation) throw new ApiError("NOT_FOUND");
    if (request.method !== "GET" && request.method !== "HEAD") {
      throw new ApiError("METHOD_NOT_ALLOWED", [], { Allow: ALLOWED });
    }
    reply = await service.limits.admit(() => operation(service, request));
  } catch (error) {
    const failure = toApiError(error, service, id);
    const tip = failure.code === "SERVICE_UNAVAILABLE" ? service.tip.last : await service.tip.read();
    reply = respondError(failure, tip);
  }
  reply.headers["X-Request-Id"] = id;
  reply.headers["X-Content-Type-Options"] = "nosniff";
  reply.headers["Content-Length"] = String(Buffer.byteLength(reply.body));
  // A 304 has no body to measure, and the answer to HEAD is measured but not sent.
  if (reply.status === 304) delete reply.headers["Content-Length"];
  if (request.method === "HEAD") reply.body = "";
  return reply;
}

function toApiError(error: unknown, service: Service, requestId: string): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof PositionAheadError || isUnavailable(error)) {
    return new ApiError("SERVICE_UNAVAILABLE", [], { "Retry-After": "1" });
  }
  service.log.error({ err: error, requestId }, "request failed");
  return new ApiError("INTERNAL_SERVER_ERROR");
}

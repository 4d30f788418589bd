/** Lets pages of other sites read the API's responses (Fetch standard, section 3.2), without cookies. */
import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { Config } from "#lib/config.ts";
import { headerDeclarations } from "#lib/contract/headers.ts";

type Setting = Pick<Config, "CORS_ORIGINS">;

/** Seconds for which a browser may cache a preflight. Chromium does so no longer than this. */
const MAX_AGE = "7200";
const REQUEST_FIELDS = "Authorization, If-None-Match, Last-Event-ID, X-Request-Id";
/** Scripts can read only the header fields of a response that are listed. */
const RESPONSE_FIELDS = Object.keys(headerDeclarations).join(", ");

function allowedOrigin(request: Pick<ApiRequest, "header">, { CORS_ORIGINS }: Setting): string | null {
  const origin = request.header("origin");
  return origin !== undefined && CORS_ORIGINS.includes(origin) ? origin : null;
}

/** Adds the headers that let the requesting page read the response. */
export function addCorsHeaders(
  headers: Record<string, string>,
  request: Pick<ApiRequest, "header">,
  setting: Setting,
): void {
  if (setting.CORS_ORIGINS.length === 0) return;
  headers.Vary = headers.Vary === undefined ? "Origin" : `${headers.Vary}, Origin`;
  const origin = allowedOrigin(request, setting);
  if (origin === null) return;
  headers["Access-Control-Allow-Origin"] = origin;
  headers["Access-Control-Expose-Headers"] = RESPONSE_FIELDS;
}

/** The response to a preflight for a page of an allowed origin; null for other requests. */
export function preflight(
  request: Pick<ApiRequest, "method" | "header">,
  setting: Setting,
  requestId: string,
): ApiResponse | null {
  const isPreflight =
    request.method === "OPTIONS" && request.header("access-control-request-method") !== undefined;
  const origin = isPreflight ? allowedOrigin(request, setting) : null;
  if (origin === null) return null;
  return {
    status: 204,
    headers: {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Methods": "GET, HEAD",
      "Access-Control-Allow-Headers": REQUEST_FIELDS,
      "Access-Control-Max-Age": MAX_AGE,
      Vary: "Origin",
      "X-Request-Id": requestId,
    },
    body: "",
  };
}

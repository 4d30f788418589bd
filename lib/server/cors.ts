/** Which pages of other sites may read the API's answers (Fetch standard, section 3.2). Cookies never come with them. */

import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { Config } from "#lib/config.ts";
import { headerDeclarations } from "#lib/contract/headers.ts";

type Setting = Pick<Config, "CORS_ORIGINS">;

/** Seconds for which a browser need not ask again. Chromium remembers it for no longer than this. */
const MAX_AGE = 7_200;
const REQUEST_FIELDS = ["Authorization", "If-None-Match", "Last-Event-ID", "X-Request-Id"];
/** Scripts read a header field of an answer only if it is listed: all that the API declares. */
const ANSWER_FIELDS = Object.keys(headerDeclarations).join(", ");

function allowedOrigin(request: Pick<ApiRequest, "header">, { CORS_ORIGINS }: Setting): string | null {
  const origin = request.header("origin");
  return origin !== undefined && CORS_ORIGINS.includes(origin) ? origin : null;
}

/** Adds to an answer's header fields whether the page that asked may read it. */
export function share(
  headers: Record<string, string>,
  request: Pick<ApiRequest, "header">,
  setting: Setting,
): void {
  if (setting.CORS_ORIGINS.length === 0) return;
  headers.Vary = headers.Vary === undefined ? "Origin" : `${headers.Vary}, Origin`;
  const origin = allowedOrigin(request, setting);
  if (origin === null) return;
  headers["Access-Control-Allow-Origin"] = origin;
  headers["Access-Control-Expose-Headers"] = ANSWER_FIELDS;
}

/** The answer to a browser that asks whether a page of an allowed origin may send a request; null for other requests. */
export function preflight(
  request: Pick<ApiRequest, "method" | "header">,
  setting: Setting,
  requestId: string,
): ApiResponse | null {
  const isQuestion =
    request.method === "OPTIONS" && request.header("access-control-request-method") !== undefined;
  const origin = isQuestion ? allowedOrigin(request, setting) : null;
  if (origin === null) return null;
  return {
    status: 204,
    headers: {
      "Access-Control-Allow-Origin": origin,
      "Access-Control-Allow-Methods": "GET, HEAD",
      "Access-Control-Allow-Headers": REQUEST_FIELDS.join(", "),
      "Access-Control-Max-Age": String(MAX_AGE),
      Vary: "Origin",
      "X-Request-Id": requestId,
    },
    body: "",
  };
}

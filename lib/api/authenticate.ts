import type { Scope } from "#lib/contract/endpoints.ts";
import { ApiError } from "#lib/contract/errors.ts";
import type { AccessToken } from "#lib/store/store.ts";
import { checkToken } from "./access.ts";
import type { ApiRequest } from "./reply.ts";
import type { Service } from "./service.ts";
import { SESSION_COOKIE } from "./session.ts";

const REFUSALS = {
  unknown: "The access token is not known",
  expired: "The access token has expired",
  revoked: "The access token has been revoked",
} as const;

/**
 * The caller behind a request, allowed to use `scope`. Throws UNAUTHORIZED without a bearer token or with
 * one that does not hold, FORBIDDEN without the scope (RFC 6750, section 3).
 */
export async function authenticate(
  service: Service,
  request: ApiRequest,
  scope: Scope,
): Promise<AccessToken> {
  const token = bearerToken(request);
  if (token === null) throw new ApiError("UNAUTHORIZED", [], { "WWW-Authenticate": "Bearer" });

  const result = await checkToken(service.store, token, service.now());
  if (!result.ok) {
    const message = REFUSALS[result.reason];
    throw new ApiError("UNAUTHORIZED", [{ path: [], code: "invalid_token", message }], {
      "WWW-Authenticate": `Bearer error="invalid_token", error_description="${message}"`,
    });
  }
  if (!result.caller.scopes.includes(scope)) {
    throw new ApiError("FORBIDDEN", [], {
      "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"`,
    });
  }
  return result.caller;
}

/** The token of the `Authorization` header; without the header, of the browser's session cookie. */
function bearerToken(request: ApiRequest): string | null {
  const authorization = request.header("authorization");
  if (authorization !== undefined) {
    const match = /^Bearer +([^\s]+) *$/i.exec(authorization);
    return match ? match[1]! : null;
  }
  for (const pair of (request.header("cookie") ?? "").split(";")) {
    const [name, value] = pair.trim().split("=", 2);
    if (name === SESSION_COOKIE && value) return value;
  }
  return null;
}

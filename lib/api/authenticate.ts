import { ApiError } from "#lib/contract/errors.ts";
import type { Access } from "#lib/contract/operation.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import { refusals, type TokenCheck } from "./access-tokens.ts";
import type { ApiContext } from "./api-context.ts";
import type { HeaderOf } from "./http-messages.ts";

/** The cookie with the access token over http. It is `HttpOnly` and `SameSite=Strict`. */
export const SESSION_COOKIE = "aqs_session";
/** The cookie over https. Browsers accept such a name only for this host and all its paths (RFC 6265bis). */
export const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;

/** The token of the `Authorization` header; without that header, of the browser's session cookie. */
export function bearerToken(header: HeaderOf): string | null {
  const authorization = header("authorization");
  if (authorization === undefined) return sessionToken(header);
  return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
}

/** The token of the session cookie, the only one that pages accept. The cookie that only this host can set comes first. */
export function sessionToken(header: HeaderOf): string | null {
  const pairs = (header("cookie") ?? "").split(";").map((pair) => pair.trim().split("=", 2));
  const tokenIn = (cookie: string) => pairs.find(([name, value]) => name === cookie && value)?.[1];
  return tokenIn(SECURE_SESSION_COOKIE) ?? tokenIn(SESSION_COOKIE) ?? null;
}

/** The header in which the server passes the reader to a page. It is removed from requests. */
export const READER_HEADER = "x-aqs-reader";
export const readerHeader = (check: TokenCheck): string => encodeURIComponent(JSON.stringify(check));
/** The check of the session's token; null if the request carries none. */
export function pageReader(header: HeaderOf): TokenCheck | null {
  const text = header(READER_HEADER);
  return text === undefined ? null : (JSON.parse(decodeURIComponent(text)) as TokenCheck);
}

/** The token's caller, and the version of the data. Throws UNAUTHORIZED if the token is missing or invalid (RFC 6750). */
export async function authenticate(
  { checkToken }: Pick<ApiContext, "checkToken">,
  token: string | null,
): Promise<{ caller: AccessToken; version: string | null }> {
  if (token === null) throw new ApiError("UNAUTHORIZED", [], { "WWW-Authenticate": "Bearer" });
  const check = await checkToken(token);
  if (check.ok) return check;
  const message = refusals[check.reason];
  throw new ApiError("UNAUTHORIZED", [{ path: [], code: "invalid_token", message }], {
    "WWW-Authenticate": `Bearer error="invalid_token", error_description="${message}"`,
  });
}

/** Throws FORBIDDEN if the caller has none of the scopes. */
export function requireScope(caller: AccessToken, anyOf: Access): void {
  const scope = [anyOf].flat();
  if (scope.some((one) => caller.scopes.includes(one))) return;
  const message = `The token lacks the scope ${scope.join(" or ")}`;
  throw new ApiError("FORBIDDEN", [{ path: [], code: "insufficient_scope", message }], {
    "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope.join(" ")}"`,
  });
}

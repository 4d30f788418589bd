import { ApiError } from "#lib/contract/errors.ts";
import type { Access } from "#lib/contract/operation.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import { refusals, type TokenCheck } from "./access-tokens.ts";
import type { ApiContext } from "./api-context.ts";
import type { HeaderOf } from "./http-messages.ts";

/**
 * The cookie that holds a browser's access token over http: `HttpOnly` and `SameSite=Strict`, so no script and no other
 * site uses it.
 */
export const SESSION_COOKIE = "aqs_session";
/** The same over https. Browsers take this name only over https, from this host and for all its paths (RFC 6265bis). */
export const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;

/** The token of the `Authorization` header; without that header, of the browser's session cookie. */
export function bearerToken(header: HeaderOf): string | null {
  const authorization = header("authorization");
  if (authorization === undefined) return sessionToken(header);
  return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
}

/** The token of the session cookie, which alone counts for pages. The one that only this host can set comes first. */
export function sessionToken(header: HeaderOf): string | null {
  const pairs = (header("cookie") ?? "").split(";").map((pair) => pair.trim().split("=", 2));
  const tokenIn = (cookie: string) => pairs.find(([name, value]) => name === cookie && value)?.[1];
  return tokenIn(SECURE_SESSION_COOKIE) ?? tokenIn(SESSION_COOKIE) ?? null;
}

/** The header by which the server tells a page who reads it. It never comes from outside. */
export const READER_HEADER = "x-aqs-reader";
export const readerHeader = (check: TokenCheck): string => encodeURIComponent(JSON.stringify(check));
/** What the session's token is worth; null if the request carries none. */
export function pageReader(header: HeaderOf): TokenCheck | null {
  const text = header(READER_HEADER);
  return text === undefined ? null : (JSON.parse(decodeURIComponent(text)) as TokenCheck);
}

/** Whose token it is, and the version of the data. Throws UNAUTHORIZED without a token or with an invalid one (RFC 6750, section 3). */
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

/** Throws FORBIDDEN if the caller may use no such scope. */
export function requireScope(caller: AccessToken, anyOf: Access): void {
  const scope = [anyOf].flat();
  if (scope.some((one) => caller.scopes.includes(one))) return;
  const message = `The token lacks the scope ${scope.join(" or ")}`;
  throw new ApiError("FORBIDDEN", [{ path: [], code: "insufficient_scope", message }], {
    "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope.join(" ")}"`,
  });
}

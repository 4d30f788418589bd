import { ApiError } from "#lib/contract/errors.ts";
import type { Access } from "#lib/contract/operation.ts";
import type { AccessToken } from "#lib/store/rows.ts";
import { refusals, type TokenCheck } from "./access-tokens.ts";
import type { HeaderOf } from "./http-messages.ts";

/** The cookie with the access token over http. It is `HttpOnly` and `SameSite=Strict`. */
export const SESSION_COOKIE = "aqs_session";
/** The cookie over https. Browsers accept such a name only for this host and all its paths (RFC 6265bis). */
export const SECURE_SESSION_COOKIE = `__Host-${SESSION_COOKIE}`;

/** The cookie with the setting GUEST_TOKEN. It never replaces a session. */
export const GUEST_COOKIE = "aqs_guest";

/** The token of the `Authorization` header; without that header, of the browser's session cookie. */
export function bearerToken(header: HeaderOf): string | null {
  const authorization = header("authorization");
  if (authorization === undefined) return sessionToken(header);
  return /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1] ?? null;
}

/** The token of a cookie, the only one that requests of pages carry; without a session, the guest's. */
export const sessionToken = (header: HeaderOf): string | null =>
  ownToken(header) ?? cookieOf(header, GUEST_COOKIE);

/** The token of the session cookie. The cookie that only this host can set comes first. */
export const ownToken = (header: HeaderOf): string | null =>
  cookieOf(header, SECURE_SESSION_COOKIE) ?? cookieOf(header, SESSION_COOKIE);

function cookieOf(header: HeaderOf, cookie: string): string | null {
  const pairs = (header("cookie") ?? "").split(";").map((pair) => pair.trim().split("=", 2));
  return pairs.find(([name, value]) => name === cookie && value)?.[1] ?? null;
}

/** The check of a reader's token. */
export type Reader = TokenCheck & { isGuest?: boolean };

/** The header in which the server passes the reader to a page. It is removed from requests. */
export const READER_HEADER = "x-aqs-reader";
export const readerHeader = (reader: Reader): string => encodeURIComponent(JSON.stringify(reader));
/** The check of the reader's token; null if the request carries none. */
export function pageReader(header: HeaderOf): Reader | null {
  const text = header(READER_HEADER);
  return text === undefined ? null : (JSON.parse(decodeURIComponent(text)) as Reader);
}

/** The token's caller, and the version of the data. Throws UNAUTHORIZED if the token is missing or invalid (RFC 6750). */
export async function authenticate(
  checkToken: (token: string) => Promise<TokenCheck>,
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
  throw new ApiError("FORBIDDEN", [], {
    "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope.join(" ")}"`,
  });
}

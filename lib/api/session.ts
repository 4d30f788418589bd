import type { AccessToken } from "#lib/store/store.ts";
import { checkToken as check, type TokenCheck } from "./access.ts";
import { getService } from "./service.ts";

/** The cookie that holds a browser's access token; `HttpOnly` and `SameSite=Strict`, so no script and no other site uses it. */
export const SESSION_COOKIE = "aqs_session";

export type Caller = AccessToken;

/** Who is signed in; null for no cookie, or a token that is unknown, expired or revoked. */
export async function callerOfCookie(cookie: string | undefined): Promise<Caller | null> {
  if (!cookie) return null;
  const result = await checkToken(cookie);
  return result.ok ? result.caller : null;
}

export async function checkToken(token: string): Promise<TokenCheck> {
  const service = await getService();
  return check(service.store, token, service.now());
}

/**
 * What to tell whoever gave a refused token. A malformed token is an unknown one: the wording tells nothing
 * about what tokens look like.
 */
export const refusals: Record<Extract<TokenCheck, { ok: false }>["reason"], string> = {
  unknown: "This token is not accepted.",
  revoked: "This token has been revoked.",
  expired: "This token has expired. Ask for a new one.",
};

/** The dashboard's session: the access token in a cookie that scripts cannot read. */
import { refusals } from "#lib/api/access-tokens.ts";
import {
  GUEST_COOKIE,
  ownToken,
  type Reader,
  SECURE_SESSION_COOKIE,
  SESSION_COOKIE,
  sessionToken,
} from "#lib/api/authenticate.ts";
import type { ApiRequest, ApiResponse } from "#lib/api/http-messages.ts";
import type { Service } from "#lib/api/service.ts";
import { bareToken } from "#lib/client/token.ts";
import { ApiError, type ErrorCode, type IssueCode } from "#lib/contract/errors.ts";
import { json } from "#lib/dashboard/page-data.ts";
import { safePath } from "#lib/util/paths.ts";
import { isHttps, isSameOrigin } from "./origin.ts";

/** The maximum body of a sign-in, far more than a token and a path take. */
export const MAX_BODY_BYTES = 8192;
const FORM = "application/x-www-form-urlencoded";
const ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict";
/** Cookies that end the session, whichever cookie holds it. */
const NO_SESSION = [
  `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`,
  `${SECURE_SESSION_COOKIE}=; ${ATTRIBUTES}; Secure; Max-Age=0`,
];

/**
 * The reader of a page. Without a valid session, that is the guest, if there is one. Its cookie lets the page read data. A
 * link on another site carries no session, so the guest has a cookie of its own.
 */
export async function readerOf(
  service: Service,
  { header, onCaller }: Pick<ApiRequest, "header" | "onCaller">,
): Promise<{ reader: Reader | null; cookies: string[] }> {
  const { GUEST_TOKEN: guest } = service.config;
  const reader = await service.checkReader(ownToken(header), onCaller);
  if (reader?.ok || guest === undefined) return { reader, cookies: [] };
  const check = await service.checkReader(guest, onCaller);
  if (!check?.ok) return { reader, cookies: [] };
  const cookies = reader ? [...NO_SESSION] : [];
  if (sessionToken(header) !== guest) cookies.push(`${GUEST_COOKIE}=${guest}; ${ATTRIBUTES}`);
  return { reader: { ...check, isGuest: true }, cookies };
}

/** `/session`: whether the reader is signed in (GET), signing in (POST), signing out (DELETE). */
export async function handleSession(service: Service, request: ApiRequest): Promise<ApiResponse> {
  if (request.method === "POST") return signIn(service, request);
  if (request.method === "DELETE") {
    requireOurs(service, request, "Sign out from the dashboard's own page.");
    return { ...json({}), cookies: NO_SESSION };
  }
  // A navigation from another site carries no `SameSite=Strict` cookie, but this request of our own page does.
  const own = ownToken(request.header);
  return json({ signedIn: own !== null && (await service.checkToken(own)).ok });
}

/** Takes `{ "token": "…" }`, or the form of the sign-in page from a browser without scripts. */
async function signIn(service: Service, request: ApiRequest): Promise<ApiResponse> {
  requireOurs(service, request, "Sign in from the dashboard's own page.");
  const body = request.body ?? null;
  // Media types are case-insensitive (RFC 9110, section 8.3.1).
  const type = (request.header("content-type") ?? "").toLowerCase();
  if (type.startsWith(FORM)) return signInByForm(service, request, body);
  if (body === null) {
    throw fault("BAD_REQUEST", "body_too_long", `The body is longer than ${MAX_BODY_BYTES} bytes.`);
  }
  const token = type.startsWith("application/json") ? tokenOf(body.toString()) : null;
  if (token === null) throw fault("BAD_REQUEST", "invalid_body", 'Expected JSON: {"token": "…"}.');
  const check = await service.checkToken(token);
  if (!check.ok) throw fault("UNAUTHORIZED", "invalid_token", refusals[check.reason]);
  return { ...json({}), cookies: sessionCookies(service, request, token) };
}

/** Redirects to `next`, or back to the sign-in page with the reason. The token appears in no URL. */
async function signInByForm(
  service: Service,
  request: ApiRequest,
  body: Buffer | null,
): Promise<ApiResponse> {
  const form = new URLSearchParams(body?.toString());
  const next = safePath(form.get("next"));
  const token = bareToken(form.get("token") ?? "");
  const check = await service.checkToken(token);
  const path = check.ok ? next : `/sign-in?${new URLSearchParams({ next, refused: check.reason })}`;
  return {
    status: 303,
    headers: { "Cache-Control": "no-store", Location: service.config.BASE_PATH + path },
    cookies: check.ok ? sessionCookies(service, request, token) : [],
    body: "",
  };
}

/** Prevents pages of other sites from signing anyone in or out. */
function requireOurs({ config }: Service, { header }: ApiRequest, message: string): void {
  if (!isSameOrigin(header, config)) throw fault("FORBIDDEN", "origin", message);
}

function tokenOf(text: string): string | null {
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    return typeof token === "string" && token !== "" ? token : null;
  } catch {
    // The caller responds with the expected form.
    return null;
  }
}

/** Sets the session's cookie. Over https, it also ends a cookie that was set before the site switched to https. */
function sessionCookies({ config }: Service, { header }: ApiRequest, token: string): string[] {
  const insecure = `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}`;
  if (!isHttps(header, config)) return [insecure];
  return [
    `${SECURE_SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Secure`,
    `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`,
  ];
}

const fault = (code: ErrorCode, reason: IssueCode, message: string): ApiError =>
  new ApiError(code, [{ path: [], code: reason, message }]);

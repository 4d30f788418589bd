/**
 * The dashboard's session: the access token itself, in a cookie that scripts cannot read. The server turns
 * it into the same bearer token that every other caller sends.
 */
import { refusals } from "#lib/api/access.ts";
import { SESSION_COOKIE } from "#lib/api/authenticate.ts";
import { getService } from "#lib/api/service.ts";
import { safePath } from "#lib/client/safe-path.ts";
import { bareToken } from "#lib/client/token.ts";
import { type ErrorBody, type ErrorCode, errorTable } from "#lib/contract/errors.ts";
import { currentCaller } from "../caller.ts";

const MAX_BODY_BYTES = 8192;
const FORM = "application/x-www-form-urlencoded";

/** Signs in: `{ "token": "…" }`, or the sign-in page's form as a browser without scripts sends it. */
export async function POST(request: Request): Promise<Response> {
  if (!isSameOrigin(request)) return refuse("FORBIDDEN", "origin", "Sign in from the dashboard's own page.");
  const text = await readText(request);
  if (request.headers.get("content-type")?.startsWith(FORM)) return signInByForm(request, text ?? "");
  const token = tokenOf(request, text);
  if (token === null) return refuse("BAD_REQUEST", "invalid_body", 'Expected JSON: {"token": "…"}.');
  const check = await (await getService()).checkToken(token);
  if (!check.ok) return refuse("UNAUTHORIZED", "invalid_token", refusals[check.reason]);
  return answer(200, {}, await sessionCookie(request, token));
}

/** Redirects to `next`, or back to the sign-in page, which says why. The token appears in no URL. */
async function signInByForm(request: Request, text: string): Promise<Response> {
  const form = new URLSearchParams(text);
  const next = safePath(form.get("next"));
  const token = bareToken(form.get("token") ?? "");
  const check = await (await getService()).checkToken(token);
  if (check.ok) return seeOther(next, await sessionCookie(request, token));
  return seeOther(`/sign-in?${new URLSearchParams({ next, refused: check.reason })}`);
}

/**
 * Whether the reader is signed in. A navigation from another site carries no `SameSite=Strict` cookie; this request
 * of our own page does.
 */
export async function GET(): Promise<Response> {
  return answer(200, { signedIn: (await currentCaller()) !== null });
}

/** Signs out. */
export async function DELETE(request: Request): Promise<Response> {
  if (!isSameOrigin(request)) return refuse("FORBIDDEN", "origin", "Sign out from the dashboard's own page.");
  return answer(200, {}, `${await sessionCookie(request, "")}; Max-Age=0`);
}

/** A browser names the page's origin with every POST and DELETE; another site's cannot sign anyone in or out. */
function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin");
  const host = request.headers.get("host");
  return (
    origin !== null && host !== null && URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
  );
}

/** Null if it is longer than any token's. */
async function readText(request: Request): Promise<string | null> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) return null;
  const text = await request.text();
  return text.length > MAX_BODY_BYTES ? null : text;
}

function tokenOf(request: Request, text: string | null): string | null {
  if (text === null || !request.headers.get("content-type")?.startsWith("application/json")) return null;
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    return typeof token === "string" && token !== "" ? token : null;
  } catch {
    // Not JSON, or not an object: the answer says what is expected.
    return null;
  }
}

/** `value` is a valid token or empty, so it needs no escaping. */
async function sessionCookie(request: Request, value: string): Promise<string> {
  const { config } = await getService();
  const forwarded = request.headers.get("x-forwarded-proto")?.split(",")[0]?.trim();
  const secure = config.SECURE_COOKIES || (forwarded ?? new URL(request.url).protocol).startsWith("https");
  return `${SESSION_COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}

function refuse(code: ErrorCode, reason: string, message: string): Response {
  const { status, message: title } = errorTable[code];
  const body: ErrorBody = { code, message: title, issues: [{ path: [], code: reason, message }] };
  return answer(status, body);
}

function answer(status: number, body: object, cookie?: string): Response {
  return Response.json(body, { status, headers: headersOf(cookie) });
}

/** Redirects the browser to a page, which it requests with GET. */
function seeOther(path: string, cookie?: string): Response {
  return new Response(null, { status: 303, headers: { ...headersOf(cookie), location: path } });
}

function headersOf(cookie: string | undefined): Record<string, string> {
  return { "cache-control": "no-store", ...(cookie && { "set-cookie": cookie }) };
}

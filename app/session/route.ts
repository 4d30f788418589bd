/**
 * The dashboard's session: the access token itself, in a cookie that scripts cannot read. The server turns
 * it into the same bearer token that every other caller sends.
 */
import { getService } from "#lib/api/service.ts";
import { checkToken, SESSION_COOKIE } from "#lib/api/session.ts";
import { type ErrorBody, type ErrorCode, errorTable } from "#lib/contract/errors.ts";

const MAX_BODY_BYTES = 8192;

/** Signs in: `{ "token": "…" }`. */
export async function POST(request: Request): Promise<Response> {
  if (!isSameOrigin(request)) return refuse("FORBIDDEN", "origin", "Sign in from the dashboard's own page.");
  const token = await readToken(request);
  if (token === null) return refuse("BAD_REQUEST", "invalid_body", 'Expected JSON: {"token": "…"}.');
  const check = await checkToken(token);
  if (!check.ok) return refuse("UNAUTHORIZED", "invalid_token", refusals[check.reason]);
  return answer(200, {}, await sessionCookie(request, token));
}

/** Signs out. */
export async function DELETE(request: Request): Promise<Response> {
  if (!isSameOrigin(request)) return refuse("FORBIDDEN", "origin", "Sign out from the dashboard's own page.");
  return answer(200, {}, `${await sessionCookie(request, "")}; Max-Age=0`);
}

// A malformed token is an unknown one: the wording tells nothing about what tokens look like.
const refusals = {
  unknown: "This token is not accepted.",
  revoked: "This token has been revoked.",
  expired: "This token has expired. Ask for a new one.",
};

/** A browser names the page's origin with every POST and DELETE; another site's cannot sign anyone in or out. */
function isSameOrigin(request: Request): boolean {
  const origin = request.headers.get("origin");
  const host = request.headers.get("host");
  return (
    origin !== null && host !== null && URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
  );
}

async function readToken(request: Request): Promise<string | null> {
  if (!request.headers.get("content-type")?.startsWith("application/json")) return null;
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) return null;
  const text = await request.text();
  if (text.length > MAX_BODY_BYTES) return null;
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    return typeof token === "string" && token !== "" ? token : null;
  } catch {
    // Not JSON, or not an object: the caller is told what is expected.
    return null;
  }
}

/** `value` is a token that was checked, so it holds nothing that a cookie could not. */
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
  const headers = new Headers({ "cache-control": "no-store" });
  if (cookie) headers.set("set-cookie", cookie);
  return Response.json(body, { status, headers });
}

/**
 * The dashboard's session: the access token itself, in a cookie that scripts cannot read. The server turns
 * it into the same bearer token that every other caller sends.
 */
import { refusals } from "#lib/api/access.ts";
import { SECURE_SESSION_COOKIE, SESSION_COOKIE } from "#lib/api/authenticate.ts";
import { headerOf, isHttps, isSameOrigin } from "#lib/api/origin.ts";
import { getService } from "#lib/api/service.ts";
import { withBase } from "#lib/client/base-path.ts";
import { safePath } from "#lib/client/safe-path.ts";
import { bareToken } from "#lib/client/token.ts";
import { type ErrorBody, type ErrorCode, errorTable } from "#lib/contract/errors.ts";
import { readAtMost } from "#lib/contract/http.ts";
import { currentCaller } from "../caller.ts";

/** Of a sign-in: far more than a token and a path take. */
const MAX_BODY_BYTES = 8192;
const FORM = "application/x-www-form-urlencoded";
/** Headers of an answer; `set-cookie` may repeat. */
type HeaderList = [name: string, value: string][];
const NOT_STORED: HeaderList[number] = ["cache-control", "no-store"];
const ATTRIBUTES = "Path=/; HttpOnly; SameSite=Strict";
/** Ends the session, whichever cookie holds it. */
const NO_SESSION: HeaderList = [
  ["set-cookie", `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`],
  ["set-cookie", `${SECURE_SESSION_COOKIE}=; ${ATTRIBUTES}; Secure; Max-Age=0`],
];
/** Ends the connection after an answer to a body that was not read to its end. */
const BODY_UNREAD: HeaderList = [["connection", "close"]];

/** Signs in: `{ "token": "…" }`, or the sign-in page's form as a browser without scripts sends it. */
export async function POST(request: Request): Promise<Response> {
  if (!(await isOurs(request))) {
    return refuse("FORBIDDEN", "origin", "Sign in from the dashboard's own page.", BODY_UNREAD);
  }
  const body = await readAtMost(request, MAX_BODY_BYTES);
  if (request.headers.get("content-type")?.startsWith(FORM)) return signInByForm(request, body);
  if (body === null) {
    const message = `The body is longer than ${MAX_BODY_BYTES} bytes.`;
    return refuse("BAD_REQUEST", "body_too_long", message, BODY_UNREAD);
  }
  const token = tokenOf(request, body.toString());
  if (token === null) return refuse("BAD_REQUEST", "invalid_body", 'Expected JSON: {"token": "…"}.');
  const check = await (await getService()).checkToken(token);
  if (!check.ok) return refuse("UNAUTHORIZED", "invalid_token", refusals[check.reason]);
  return answer(200, {}, await sessionCookies(request, token));
}

/**
 * Redirects to `next`, or back to the sign-in page, which says why. The token appears in no URL. A body of null was
 * too long: no token is, so it is not recognised.
 */
async function signInByForm(request: Request, body: Buffer | null): Promise<Response> {
  const form = new URLSearchParams(body?.toString());
  const next = safePath(form.get("next"));
  const token = bareToken(form.get("token") ?? "");
  const check = await (await getService()).checkToken(token);
  if (check.ok) return seeOther(next, await sessionCookies(request, token));
  const back = `/sign-in?${new URLSearchParams({ next, refused: check.reason })}`;
  return seeOther(back, body === null ? BODY_UNREAD : []);
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
  if (!(await isOurs(request)))
    return refuse("FORBIDDEN", "origin", "Sign out from the dashboard's own page.");
  return answer(200, {}, NO_SESSION);
}

/** Another site's page cannot sign anyone in or out. */
async function isOurs(request: Request): Promise<boolean> {
  return isSameOrigin(headerOf(request), (await getService()).config);
}

function tokenOf(request: Request, text: string): string | null {
  if (!request.headers.get("content-type")?.startsWith("application/json")) return null;
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    return typeof token === "string" && token !== "" ? token : null;
  } catch {
    // Not JSON, or not an object: the answer says what is expected.
    return null;
  }
}

/** A token needs no escaping. Over https, a cookie from before the switch to https ends. */
async function sessionCookies(request: Request, token: string): Promise<HeaderList> {
  const { config } = await getService();
  const insecure = `${SESSION_COOKIE}=${token}; ${ATTRIBUTES}`;
  if (!isHttps(headerOf(request), config)) return [["set-cookie", insecure]];
  return [
    ["set-cookie", `${SECURE_SESSION_COOKIE}=${token}; ${ATTRIBUTES}; Secure`],
    ["set-cookie", `${SESSION_COOKIE}=; ${ATTRIBUTES}; Max-Age=0`],
  ];
}

function refuse(code: ErrorCode, reason: string, message: string, headers?: HeaderList): Response {
  const { status, message: title } = errorTable[code];
  const body: ErrorBody = { code, message: title, issues: [{ path: [], code: reason, message }] };
  return answer(status, body, headers);
}

function answer(status: number, body: object, headers: HeaderList = []): Response {
  return Response.json(body, { status, headers: [NOT_STORED, ...headers] });
}

/** Redirects the browser to a page, which it requests with GET. */
function seeOther(path: string, headers: HeaderList): Response {
  return new Response(null, { status: 303, headers: [NOT_STORED, ["location", withBase(path)], ...headers] });
}

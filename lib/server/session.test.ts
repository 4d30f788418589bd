import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import { type Serving, serving } from "#lib/testing/serving.ts";

let service: Service;
let server: Serving;
let token: string;

beforeAll(async () => {
  const store = await openStore("sqlite::memory:");
  service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  server = await serving(service);
  ({ token } = await issueToken(store, { name: "reader", scopes: [], expiresAt: null, now: Date.now() }));
});

afterAll(async () => {
  server.close();
  await service.store.close();
});

const form = (fields: Record<string, string>) => new URLSearchParams(fields);
const json = (body: object) => new Blob([JSON.stringify(body)], { type: "application/json" });

function post(
  body: URLSearchParams | Blob,
  origin: string | null = "http://aqs.example",
  more: Record<string, string> = {},
): Promise<Response> {
  const headers = new Headers({ host: "aqs.example", ...more });
  if (origin !== null) headers.set("origin", origin);
  return server.ask(new Request("http://aqs.example/session", { method: "POST", body, headers }));
}

const outcome = ({ status, headers }: Response) => ({
  status,
  location: headers.get("location"),
  cookie: headers.get("set-cookie"),
});

describe("signing in by the page's form, as a browser without scripts sends it", () => {
  test("redirects to the requested page, with the session's cookie", async () => {
    expect(outcome(await post(form({ token, next: "/blocks/12?page=2" })))).toEqual({
      status: 303,
      location: "/blocks/12?page=2",
      cookie: `aqs_session=${token}; Path=/; HttpOnly; SameSite=Strict`,
    });
  });

  test("takes a token as it was pasted", async () => {
    expect(outcome(await post(form({ token: `  Bearer ${token}\n` })))).toMatchObject({
      status: 303,
      location: "/",
      cookie: expect.stringContaining(token),
    });
  });

  test.each(["https://evil.example/", "//evil.example", "/\\evil.example"])(
    "does not lead to %s",
    async (next) => {
      expect(outcome(await post(form({ token, next })))).toMatchObject({ status: 303, location: "/" });
    },
  );

  test.each([
    ["another one", `aqs_${"A".repeat(43)}`],
    ["none", ""],
    ["one of many pages", "x".repeat(9000)],
  ])("leads back if the token is %s, and says so without it", async (_, wrong) => {
    expect(outcome(await post(form({ next: "/blocks/12", token: wrong })))).toEqual({
      status: 303,
      location: expect.stringMatching(/^\/sign-in\?next=%2F(blocks%2F12)?&refused=unknown$/),
      cookie: null,
    });
  });
});

describe("the session's cookie", () => {
  const ended = "aqs_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";

  test("over https has a name that no other host can set, and replaces the one of http", async () => {
    for (const body of [form({ token }), json({ token })]) {
      const { headers } = await post(body, "https://aqs.example", { "x-forwarded-proto": "https" });
      expect(headers.getSetCookie()).toEqual([
        `__Host-aqs_session=${token}; Path=/; HttpOnly; SameSite=Strict; Secure`,
        ended,
      ]);
    }
  });

  test.each([
    ["aqs_session=TOKEN", "http", true],
    ["__Host-aqs_session=TOKEN", "https", true],
    ["aqs_session=other; __Host-aqs_session=TOKEN", "https", true],
    ["aqs_session=TOKEN", "https", false],
    ["a=b;aqs_session=TOKEN; c=d", "https", false],
  ])("%s over %s signs the reader in: %s", async (cookies, scheme, signedIn) => {
    const cookie = cookies.replace("TOKEN", token);
    const headers = { host: "aqs.example", cookie, "x-forwarded-proto": scheme };
    const response = await server.ask(new Request(`${scheme}://aqs.example/session`, { headers }));
    expect(await response.json()).toEqual({ signedIn });
  });

  test.each(["http", "https"])("ends under both names after signing out over %s", async (scheme) => {
    const url = `${scheme}://aqs.example`;
    const headers = { host: "aqs.example", origin: url, "x-forwarded-proto": scheme };
    const response = await server.ask(new Request(`${url}/session`, { method: "DELETE", headers }));
    expect(response.headers.getSetCookie()).toEqual([
      ended,
      "__Host-aqs_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0",
    ]);
  });
});

describe("a page of another site", () => {
  test.each([
    ["https://evil.example"],
    ["http://aqs.example.evil.example"],
    ["http://aqs.example:8080"],
    ["https://aqs.example"],
    // A page in a sandbox, or one that hides where it is.
    ["null"],
    [null],
  ])("cannot sign anyone in: origin %s", async (origin) => {
    for (const body of [form({ token, next: "/" }), json({ token })]) {
      const response = await post(body, origin);
      expect(outcome(response)).toEqual({ status: 403, location: null, cookie: null });
      expect(await response.json()).toMatchObject({ code: "FORBIDDEN", issues: [{ code: "origin" }] });
    }
  });
});

test("a page over http cannot sign anyone in over https", async () => {
  const https = { "x-forwarded-proto": "https" };
  expect((await post(json({ token }), "http://aqs.example", https)).status).toBe(403);
  expect((await post(json({ token }), "https://aqs.example", https)).status).toBe(200);
});

describe("signing in by the page's script", () => {
  test("gets the session's cookie, and no redirect", async () => {
    expect(outcome(await post(json({ token })))).toEqual({
      status: 200,
      location: null,
      cookie: expect.stringContaining(token),
    });
  });

  test("is refused in words", async () => {
    const response = await post(json({ token: "wrong" }));
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ issues: [{ message: "Token not recognised." }] });
  });
});

describe("a body that does not end", () => {
  const KILOBYTE = new TextEncoder().encode("x".repeat(1024));

  /** Sends 9 KB, and nothing more. */
  function send(type: string, origin: string): Promise<Response> {
    let kilobytes = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      kilobytes += 1;
      controller.enqueue(KILOBYTE);
      return kilobytes === 9 ? new Promise<void>(() => {}) : undefined;
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const headers = { host: "aqs.example", origin, "content-type": type };
    // The types of browsers do not know `duplex`, which Node requires for a stream.
    const init = { method: "POST", body, headers, duplex: "half" };
    return server.ask(new Request("http://aqs.example/session", init));
  }

  test("is refused after 8 KB, and the rest is not read", async () => {
    const response = await send("application/json", "http://aqs.example");
    expect(response.status).toBe(400);
    expect(response.headers.get("connection")).toBe("close");
    expect(await response.json()).toEqual({
      code: "BAD_REQUEST",
      message: "Invalid input data",
      issues: [{ path: [], code: "body_too_long", message: "The body is longer than 8192 bytes." }],
    });
  });

  test("of a form leads back to the sign-in page after 8 KB", async () => {
    const response = await send("Application/X-WWW-Form-URLencoded", "http://aqs.example");
    expect(outcome(response)).toMatchObject({ status: 303, location: "/sign-in?next=%2F&refused=unknown" });
  });

  test("from another site is refused, too", async () => {
    expect((await send("application/json", "https://evil.example")).status).toBe(403);
  });
});

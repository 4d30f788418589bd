import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "#lib/api/access.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import { POST } from "./route.ts";

const shared = globalThis as { aqsService?: Promise<Service> };
let service: Service;
let token: string;

beforeAll(async () => {
  const store = await openStore("sqlite::memory:");
  service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  shared.aqsService = Promise.resolve(service);
  ({ token } = await issueToken(store, { name: "reader", scopes: [], expiresAt: null, now: Date.now() }));
});

afterAll(async () => {
  delete shared.aqsService;
  await service.store.close();
});

const form = (fields: Record<string, string>) => new URLSearchParams(fields);
const json = (body: object) => new Blob([JSON.stringify(body)], { type: "application/json" });

function post(body: URLSearchParams | Blob, origin: string | null = "http://aqs.example"): Promise<Response> {
  const headers = new Headers({ host: "aqs.example" });
  if (origin !== null) headers.set("origin", origin);
  return POST(new Request("http://aqs.example/session", { method: "POST", body, headers }));
}

const outcome = ({ status, headers }: Response) => ({
  status,
  location: headers.get("location"),
  cookie: headers.get("set-cookie"),
});

describe("signing in by the page's form, as a browser without scripts sends it", () => {
  test("leads on to the page asked for, with the session's cookie", async () => {
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

describe("a page of another site", () => {
  test.each([
    ["https://evil.example"],
    ["http://aqs.example.evil.example"],
    ["http://aqs.example:8080"],
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

describe("signing in by the page's script", () => {
  test("is answered with the session's cookie, and leads nowhere", async () => {
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

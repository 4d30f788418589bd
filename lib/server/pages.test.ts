import { globSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { pageReader, READER_HEADER, readerHeader } from "#lib/api/authenticate.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { revokeAccessToken } from "#lib/queries/access-tokens.ts";
import { openStore } from "#lib/store/open.ts";
import { hashOf } from "#lib/testing/ledger.ts";
import { Framework } from "./framework.ts";
import { PAGES } from "./observe.ts";
import { createServer } from "./server.ts";

const BLOCK = `/v0/blocks/${hashOf("none")}/asset-changes`;

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

interface Site {
  service: Service;
  /** Errors in the server's log. */
  logged: unknown[];
  /** A request with the reader's session. */
  get(path: string, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>;
  getAsStranger(path: string): Promise<Response>;
}

type Page = (
  service: Service,
  ...rest: Parameters<ConstructorParameters<typeof Framework>[0]>
) => Promise<void>;

const plainPage: Page = async (_service, _request, response) => {
  response.end("a page");
};

/** A server with one reader, over an empty database. */
async function serve(settings: Record<string, string>, page: Page = plainPage): Promise<Site> {
  const store = await openStore("sqlite::memory:");
  const config = readConfig({ LOG_LEVEL: "silent", ...settings });
  const service = await createService(store, config, { now: () => 0 });
  const logged: unknown[] = [];
  service.log.error = (entry: unknown) => logged.push(entry);
  const { token } = await issueToken(store, { name: "reader", scopes: [], expiresAt: null, now: 0 });
  const server = createServer(
    service,
    new Framework((request, response) => page(service, request, response)),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(async () => {
    server.close();
    server.closeAllConnections();
    await store.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cookie = `a=b; aqs_session=${token}`;
  return {
    service,
    logged,
    get: (path, headers, signal) =>
      fetch(origin + path, { headers: { cookie, ...headers }, signal: signal ?? null }),
    getAsStranger: (path) => fetch(origin + path),
  };
}

describe("a page over the rate limit", () => {
  test("is a readable one with 429 that says when to try again, and no error in the log", async () => {
    const { get, logged } = await serve({ RATE_LIMIT_PER_MINUTE: "1" });
    expect(await (await get("/addresses/x")).text()).toBe("a page");
    for (const headers of [{ accept: "text/html" }, { rsc: "1" }] as Record<string, string>[]) {
      const refused = await get("/blocks/x?page=2", headers);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
      expect(refused.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(refused.headers.get("cache-control")).toBe("no-store");
      expect(refused.headers.get("content-security-policy")).toContain("default-src 'self'");
      const text = await refused.text();
      expect(text).toMatch(/^<!doctype html>.*Rate limit reached.*in 6\d seconds.*TOO_MANY_REQUESTS/s);
      expect(text).toContain('<a href="/sign-in">Sign in with another token</a>');
      expect(text).toContain(`request ${refused.headers.get("x-request-id")}`);
    }
    expect(logged).toEqual([]);
  });

  test("is counted with the requests of the same token to the API", async () => {
    const { get } = await serve({ RATE_LIMIT_PER_MINUTE: "2" });
    expect((await get("/docs")).status).toBe(200);
    expect((await get(BLOCK)).headers.get("ratelimit-remaining")).toBe("0");
    expect((await get("/")).status).toBe(429);
    expect((await get(BLOCK)).status).toBe(429);
  });

  test("costs one request, whatever it reads from the API for itself", async () => {
    const { get } = await serve({ RATE_LIMIT_PER_MINUTE: "9" }, async (service, request, response) => {
      const check = await service.checkToken(/aqs_session=(\w.*)/.exec(request.headers.cookie ?? "")![1]!);
      const { blockAssetChanges } = service.operations;
      const values = await blockAssetChanges.parse({ blockHash: hashOf("none") }, new URLSearchParams());
      const failure =
        check.ok && (await blockAssetChanges.query(check.caller, values).catch((error) => error));
      response.end(failure.code);
    });
    expect(await (await get("/blocks/x")).text()).toBe("NOT_FOUND");
    expect((await get(BLOCK)).headers.get("ratelimit-remaining")).toBe("7");
  });

  test.each(["/_next/static/x.js", "/session", "/status", "/sign-in", "/healthz", "/openapi.json"])(
    "is not %s, which no reader asks for, or which reads nothing",
    async (path) => {
      const { get } = await serve({ RATE_LIMIT_PER_MINUTE: "1" });
      for (let i = 0; i < 3; i++) expect((await get(path)).status).toBe(200);
      expect((await get("/")).status).toBe(200);
    },
  );

  test("cannot be had by another spelling of its path", async () => {
    const { get } = await serve({ RATE_LIMIT_PER_MINUTE: "1" });
    expect((await get("/%61ddresses/x")).status).toBe(200);
    expect((await get("/%61ddresses/x")).status).toBe(429);
  });

  test.each(["//[", "///", "//:99999/x", "/\\", "//%00"])(
    "is not refused for a path like %s",
    async (path) => {
      const { get, logged } = await serve({});
      expect(await (await get(path)).text()).toBe("a page");
      expect(logged).toEqual([]);
    },
  );

  test("is left to the framework if no one is signed in, who is sent to the sign-in page", async () => {
    const { getAsStranger } = await serve({ RATE_LIMIT_PER_MINUTE: "1" });
    for (let i = 0; i < 3; i++) expect((await getAsStranger("/blocks/x")).status).toBe(200);
  });

  test("has its token looked up once, for the page too, and no stranger can say whose it is", async () => {
    const { get, service } = await serve({}, async (_service, { headers }, response) => {
      response.end(JSON.stringify(pageReader((name) => headers[name]?.toString())));
    });
    const lookUps = vi.spyOn(service.store, "accessTokenAndVersion");
    const view = async (path: string, headers?: Record<string, string>) =>
      JSON.parse(await (await get(path, headers)).text());
    expect(await view("/")).toMatchObject({ ok: true, caller: { name: "reader" } });
    expect(await view("/sign-in")).toMatchObject({ ok: true });
    expect(lookUps).toHaveBeenCalledTimes(2);
    const forged = { [READER_HEADER]: readerHeader({ ok: false, reason: "revoked" }) };
    expect(await view("/", forged)).toMatchObject({ ok: true });
    expect(await view("/", { ...forged, cookie: "" })).toBeNull();
    expect(await view("/", { cookie: "aqs_session=aqs_x" })).toEqual({ ok: false, reason: "unknown" });
  });

  test("is the guest's without a session, whose cookie reads data; the API wants a token from all others", async () => {
    const { get, service } = await serve({}, async (_service, { headers }, response) => {
      response.end(JSON.stringify(pageReader((name) => headers[name]?.toString())));
    });
    const issued = { name: "guest", scopes: [], expiresAt: null, now: 0 };
    const { token, record } = await issueToken(service.store, issued);
    service.config.GUEST_TOKEN = token;
    const view = async (cookie: string) => {
      const page = await get("/", { cookie });
      return { reader: JSON.parse(await page.text()), cookie: page.headers.get("set-cookie") };
    };
    const isGuest = { ok: true, isGuest: true, caller: { name: "guest" } };
    const guestCookie = `aqs_guest=${token}; Path=/; HttpOnly; SameSite=Strict`;
    expect(await view("")).toMatchObject({ reader: isGuest, cookie: guestCookie });
    expect(await view("aqs_guest=of-yesterday")).toMatchObject({ reader: isGuest, cookie: guestCookie });
    expect(await view(`aqs_guest=${token}`)).toMatchObject({ reader: isGuest, cookie: null });
    expect((await get(BLOCK, { cookie: "" })).status).toBe(401);
    expect((await get(BLOCK, { cookie: `aqs_guest=${token}` })).status).toBe(404);
    const own = (await get("/")).headers;
    expect(own.get("set-cookie")).toBeNull();
    const refused = await get("/", { cookie: "aqs_session=aqs_x" });
    expect(await refused.json()).toMatchObject(isGuest);
    expect(refused.headers.getSetCookie().map((text) => text.split(";")[0])).toEqual([
      "aqs_session=",
      "__Host-aqs_session=",
      `aqs_guest=${token}`,
    ]);
    const session = async (cookie: string) => (await get("/session", { cookie })).json();
    expect(await session(`aqs_guest=${token}`)).toEqual({ signedIn: false });
    await service.store.record(revokeAccessToken, record.id, 0);
    expect(await view("")).toEqual({ reader: null, cookie: null });
  });

  test("knows the id of its request, which the response has", async () => {
    const { get } = await serve({}, async (_service, { headers }, response) => {
      response.end(headers["x-request-id"]);
    });
    for (const headers of [{}, { "x-request-id": "mine" }, { "x-request-id": "<not mine>" }]) {
      const answer = await get("/", headers as Record<string, string>);
      expect(await answer.text()).toBe(answer.headers.get("x-request-id"));
    }
  });

  test("may be any page that there is", () => {
    const app = fileURLToPath(new URL("../../app/", import.meta.url));
    const pages = globSync("**/page.tsx", { cwd: app }).map((file) => file.split("/").slice(0, -1)[0] ?? "");
    expect([...new Set(pages)].sort()).toEqual(["", ...PAGES].sort());
  });
});

describe("the content security policy of a page", () => {
  const NONCE = /'nonce-([^']+)'/;

  test("has a nonce that the framework gets, and that no other rendering has", async () => {
    const { getAsStranger } = await serve({}, async (_service, { headers }, response) => {
      response.end(NONCE.exec(String(headers["content-security-policy"]))![1]);
    });
    const nonces = new Set<string>();
    for (const path of ["/docs", "/docs", "/sign-in"]) {
      const answer = await getAsStranger(path);
      const [, nonce = ""] = NONCE.exec(answer.headers.get("content-security-policy")!) ?? [];
      expect(await answer.text()).toBe(nonce);
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(3);
  });
});

test.each([
  "/session",
  "/status",
  "/changes",
  "/holdings",
  "/sources",
  "/latest-blocks",
  "/volume",
  "/address-forms",
  "/asset-icons/x",
])("what pages ask for at %s is answered without the framework", async (path) => {
  const rendered: string[] = [];
  const { get } = await serve({}, async (_service, { url = "" }, response) => {
    rendered.push(url);
    response.end();
  });
  await get(path);
  expect(rendered).toEqual([]);
});

describe("a page that the server has no room for", () => {
  test("is a readable one with 503 that says when to try again", async () => {
    const began = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const { get, logged } = await serve(
      { MAX_CONCURRENT_REQUESTS: "1" },
      async (_service, _request, response) => {
        began.resolve();
        await finish.promise;
        response.end("a page");
      },
    );
    const first = get("/");
    await began.promise;
    const refused = await get("/");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    // A page on a wall that follows the newest block has nobody who reloads it.
    const seconds = Number(refused.headers.get("refresh"));
    expect(seconds).toBeGreaterThan(1);
    expect(await refused.text()).toMatch(
      new RegExp(`The server is busy.*It reloads in ${seconds} seconds`, "s"),
    );
    finish.resolve();
    expect(await (await first).text()).toBe("a page");
    expect(logged).toEqual([]);
  });

  test("says the same while the database cannot be reached", async () => {
    const { get, service, logged } = await serve({});
    service.store.accessTokenAndVersion = () =>
      Promise.reject(Object.assign(new Error("secret"), { code: "STORE_UNAVAILABLE" }));
    const refused = await get("/");
    expect(refused.status).toBe(503);
    expect(await refused.text()).not.toContain("secret");
    // One line an outage, not one a request.
    expect((await get("/")).status).toBe(503);
    expect(logged).toEqual([{ reason: "secret" }]);
  });
});

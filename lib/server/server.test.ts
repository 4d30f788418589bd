import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { operations } from "#lib/queries/operations.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

let store: Store;
let server: ReturnType<typeof createServer>;
let port: number;
/** The requests that reached the framework. */
const pages: IncomingMessage[] = [];

beforeAll(async () => {
  store = await openStore("sqlite::memory:");
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  server = createServer(
    service,
    new Framework(async (request, response) => {
      pages.push(request);
      response.end(`page with ${request.headers["content-security-policy"]}`);
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await store.close();
});

/** Sends bytes as they are and gives what comes back. */
function send(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.end(text));
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.on("end", () => resolve(answer)).on("error", reject);
  });
}

test("a page gets the nonce that its response's policy names, a new one each time", async () => {
  const nonces = await Promise.all(
    [1, 2].map(async () => {
      const response = await fetch(`http://127.0.0.1:${port}/some/page`);
      const policy = response.headers.get("content-security-policy")!;
      expect(await response.text()).toBe(`page with ${policy}`);
      expect(policy).toContain("default-src 'self'");
      return /'nonce-([^']+)'/.exec(policy)![1];
    }),
  );
  expect(new Set(nonces).size).toBe(2);
});

test("a picture of an asset may do nothing at all", async () => {
  const response = await fetch(`http://127.0.0.1:${port}/asset-icons/0x01`);
  expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
});

test("every response over https has HSTS, and no other does", async () => {
  for (const path of ["/v0/x", "/healthz", "/some/page", "/%E0%A4%A", "/status"]) {
    const hsts = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).headers.get("strict-transport-security");
    expect(await hsts({ "X-Forwarded-Proto": "https" })).toBe("max-age=31536000");
    expect(await hsts({ "X-Forwarded-Proto": "http" })).toBeNull();
    expect(await hsts({})).toBeNull();
  }
});

test("only a trusted proxy says that a request came over https, and none says to which host", async () => {
  const forwarded = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example" };
  for (const [TRUST_PROXY, isTrusted] of [
    ["", true],
    ["none", false],
    ["10.0.0.0/8, private", false],
    ["::1 127.0.0.1", true],
  ] as const) {
    const other = createServer(
      await createService(store, readConfig({ LOG_LEVEL: "silent", TRUST_PROXY })),
      new Framework(async ({ headers }, response) => {
        response.end(JSON.stringify([headers["x-forwarded-proto"], headers["x-forwarded-host"]]));
      }),
    );
    // A listener for both families sees clients of IPv4 with addresses such as ::ffff:127.0.0.1.
    for (const host of ["127.0.0.1", "::"]) {
      await new Promise<void>((resolve) => other.listen(0, host, resolve));
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/docs`;
      const answer = await fetch(url, { headers: { ...forwarded, Connection: "close" } });
      expect(await answer.json()).toEqual([isTrusted ? "https" : null, null]);
      expect(answer.headers.has("strict-transport-security"), TRUST_PROXY).toBe(isTrusted);
      await new Promise((resolve) => other.close(resolve));
    }
  }
});

test("health needs no authorization", async () => {
  const response = await fetch(`http://127.0.0.1:${port}/healthz`);
  expect([response.status, await response.json()]).toEqual([200, { status: "ok" }]);
});

test("the description of the API is revalidated each time, and sent again only if it has changed", async () => {
  const url = `http://127.0.0.1:${port}/openapi.json`;
  const first = await fetch(url);
  expect(await first.json()).toMatchObject({ openapi: "3.1.1" });
  expect(first.headers.get("content-type")).toBe("application/json");
  expect(first.headers.get("cache-control")).toBe("no-cache");
  expect(first.headers.get("vary")).toBe("Accept-Encoding");
  const etag = first.headers.get("etag")!;
  const again = await fetch(url, { headers: { "if-none-match": etag } });
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
  const other = await fetch(url, { headers: { "if-none-match": '"other"', "accept-encoding": "identity" } });
  expect([other.status, other.headers.get("content-encoding")]).toEqual([200, null]);
  const head = await fetch(url, { method: "HEAD", headers: { "accept-encoding": "identity" } });
  expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(await other.text())));
  expect((await fetch(url, { method: "POST", body: "" })).status).toBe(405);
  expect(pages.filter((page) => page.url === "/openapi.json")).toEqual([]);
});

test("language models get a short text about every operation, which needs no token", async () => {
  const response = await fetch(`http://127.0.0.1:${port}/llms.txt`);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await response.text();
  for (const { contract } of Object.values(operations)) {
    expect(text).toContain(`GET ${contract.path}`);
    expect(text).toContain(`Scope: ${[contract.scope].flat().join(" or ")}.`);
  }
  expect(text.length).toBeLessThan(12_000);
});

test("what is no HTTP at all, or has too long a head, still gets the error body", async () => {
  for (const [text, status] of [
    ["NONSENSE\r\n\r\n", "400"],
    [`GET /v0/x HTTP/1.1\r\nHost: a\r\nX-Long: ${"x".repeat(70_000)}\r\n\r\n`, "431"],
  ]) {
    const answer = await send(text!);
    expect(answer.split(" ")[1]).toBe(status);
    expect(JSON.parse(answer.split("\r\n\r\n")[1]!)).toMatchObject({
      code: "BAD_REQUEST",
      message: "Invalid input data",
    });
  }
});

test("a client that keeps its half of a refused connection open does not hold it", async () => {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {}).write("NONSENSE\r\n\r\n");
  await once(socket.resume(), "end");
  await vi.waitFor(async () => {
    const open = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)));
    expect(open).toBe(0);
  }, EVENT_TIMEOUT);
  socket.destroy();
});

/** Sends bytes, and further ones with each part of the answer, until the connection is closed. Gives what came back. */
async function untilClosed(text: string, more = ""): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket
    .on("error", () => {})
    .on("data", (chunk) => {
      answer += chunk;
      socket.write(more);
    });
  socket.write(text);
  await once(socket, "close");
  return answer;
}

test("bytes that are no request cut a response that has begun, and add nothing to it", async () => {
  const { token } = await issueToken(store, { name: "test", scopes: [], expiresAt: null, now: Date.now() });
  const events = `GET /v0/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const answer = await untilClosed(events, "NONSENSE\r\n\r\n");
  expect(answer).toContain("text/event-stream");
  expect(answer).not.toContain("HTTP/1.1 400");
});

test("bytes that are no request do not answer the request before them", async () => {
  const page = "GET /some/page HTTP/1.1\r\nHost: a\r\n\r\n";
  expect(await untilClosed(`${page}NONSENSE\r\n\r\n`)).toBe("");
});

test("a client that offers another protocol gets a response in this one", async () => {
  for (const offer of [
    "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
    "Connection: Upgrade\r\nUpgrade: websocket",
  ]) {
    const answer = await send(`GET /v0/x HTTP/1.1\r\nHost: a\r\n${offer}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 404 .*"code":"NOT_FOUND"/s);
  }
});

test("the whole URL as a proxy gets it is read like the path alone", async () => {
  const ask = async (target: string) =>
    await send(`GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  for (const origin of ["http://a", "HTTPS://other.example:99"]) {
    expect(await ask(`${origin}/v0/x?b=/c`)).toMatch(/^HTTP\/1.1 404 .*"code":"NOT_FOUND"/s);
    expect(await ask(`${origin}/healthz`)).toContain('{"status":"ok"}');
    for (const rest of ["", "/", "?b"]) expect(await ask(`${origin}${rest}`)).toContain("page with");
  }
});

test("a request without Host is refused with the error body, one with an odd expectation is served", async () => {
  const refused = await send("GET /v0/x HTTP/1.1\r\nConnection: close\r\n\r\n");
  expect(refused).toMatch(/^HTTP\/1.1 400 .*X-Request-Id: .*"message":"Host is missing"/s);
  expect(await send("GET /healthz HTTP/1.0\r\n\r\n")).toContain('{"status":"ok"}');
  const answered = await send("GET /v0/x HTTP/1.1\r\nHost: a\r\nExpect: foo\r\nConnection: close\r\n\r\n");
  expect(answered).toMatch(/^HTTP\/1.1 404 .*"code":"NOT_FOUND"/s);
});

test("a request with several Hosts is refused with the error body, even if they are the same", async () => {
  for (const path of ["/v0/x", "/", "/healthz"]) {
    for (const hosts of ["Host: a\r\nHost: b", "host: a\r\nX: Host\r\nHOST: a", "Host:\r\nHost: a"]) {
      const refused = await send(`GET ${path} HTTP/1.1\r\n${hosts}\r\nConnection: close\r\n\r\n`);
      expect(refused).toMatch(/^HTTP\/1.1 400 .*"message":"Host is given more than once"/s);
    }
  }
});

test("an address whose percent-encoding is broken is 400, not a fault of the server", async () => {
  const answer = await send("GET /blocks/%E0%A4%A HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 400 Bad Request");
});

test("a server action, which the app does not have, is an ordinary request to the framework", async () => {
  pages.length = 0;
  const headers = { "Next-Action": "made up", "X-Other": "kept" };
  expect((await fetch(`http://127.0.0.1:${port}/blocks/x`, { headers })).status).toBe(200);
  expect(pages.map(({ headers }) => [headers["next-action"], headers["x-other"]])).toEqual([
    [undefined, "kept"],
  ]);
});

test("a header of the connection stays on it: no page fails because of one", async () => {
  for (const field of [
    "Trailer",
    "TE",
    "Keep-Alive",
    "Proxy-Connection",
    "Connection",
    "Upgrade",
    "Expect",
  ]) {
    pages.length = 0;
    const answer = await send(`GET /blocks/x HTTP/1.1\r\nHost: a\r\n${field}: x\r\n\r\n`);
    expect([field, answer.split("\r\n")[0]]).toEqual([field, "HTTP/1.1 200 OK"]);
    expect(pages[0]!.headers[field.toLowerCase()], field).not.toBe("x");
  }
});

test("a page is only read: what is posted to it does not reach the framework", async () => {
  pages.length = 0;
  for (const path of ["/", "/sign-in", "/docs", "/blocks/x", "/%64ocs"]) {
    const body = new FormData();
    body.append("1_$ACTION_ID_00", "made up");
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", body });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  }
  expect(pages).toEqual([]);
});

test("a method that a route does not have is refused", async () => {
  for (const method of ["TRACE", "PROPFIND"]) {
    const answer = await send(`${method} /changes HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toMatch(/^allow: GET, HEAD\r$/im);
  }
  expect(pages).toEqual([]);
});

test("a Host that is none is refused, in any other form it is not", async () => {
  const statusOf = async (host: string) =>
    (await send(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).split(" ")[1];
  for (const host of ["a b", "a/b", "user@a", "a:b", "a:1:2", "[::1", "::1", "a\\b", "<a>", "a?b", "ä"]) {
    expect([host, await statusOf(host)]).toEqual([host, "400"]);
  }
  for (const host of [
    "",
    "a",
    "A-1.example.:80",
    "127.0.0.1:3000",
    "[::1]:80",
    "[2001:DB8::1]",
    "my_host",
    "a:",
  ]) {
    expect([host, await statusOf(host)]).toEqual([host, "200"]);
  }
});

test("a path of slashes only is a page like any other", async () => {
  const answer = await send("GET // HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  expect(answer).toContain("page with");
});

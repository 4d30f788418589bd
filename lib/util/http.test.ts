import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { fetchBody, fetchOnce, readAtMost } from "./http.ts";

test("Brotli is not accepted from another host, and not decoded if it comes", async () => {
  const accepted: (string | undefined)[] = [];
  const bodies = { br: brotliCompressSync("an answer"), gzip: gzipSync("an answer") };
  const server = createServer(({ url, headers }, response) => {
    accepted.push(headers["accept-encoding"]);
    const coding = url === "/br" ? "br" : "gzip";
    response.writeHead(200, { "Content-Encoding": coding }).end(bodies[coding]);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const ask = async (path: string) => {
    const { port } = server.address() as AddressInfo;
    return readAtMost(await fetchOnce(`http://127.0.0.1:${port}${path}`, {}), 1000);
  };
  expect(await ask("/br")).toEqual(bodies.br);
  expect(String(await ask("/gzip"))).toBe("an answer");
  expect(accepted).toEqual(["gzip, deflate", "gzip, deflate"]);
  server.close();
});

test("a request with a long timeout gets its response, and ends with its signal", async () => {
  const server = createServer(async (request, response) => {
    if (request.url === "/never") return;
    if (request.url === "/away")
      return void response.writeHead(302, { Location: "http://other.example/" }).end();
    const body = String(await readAtMost({ body: request }, 1000));
    response.end(`${request.method} ${request.headers["x-own"]} ${body}`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const ask = (path: string, init: RequestInit = {}) => {
    const { port } = server.address() as AddressInfo;
    return fetchBody(`http://127.0.0.1:${port}${path}`, init, { most: 1000, timeout: 3_600_000 });
  };
  const init = { method: "POST", headers: { "X-Own": "header" }, body: "asked" };
  expect(String(await ask("/", init))).toBe("POST header asked");
  await expect(ask("/away")).rejects.toThrow("redirects to other.example");
  const given = new AbortController();
  const asked = once(server, "request");
  const never = ask("/never", { signal: given.signal });
  await asked;
  given.abort();
  await expect(never).rejects.toThrow(/aborted/);
  server.closeAllConnections();
  server.close();
});

test("a refusal is quoted only on demand, and only if it is short", async () => {
  const page = "<p>Bad gateway</p>".repeat(100);
  const server = createServer(({ url }, response) => {
    response.writeHead(503).end(url === "/page" ? page : "Work queue depth exceeded\r\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const ask = (path: string, quoted?: number) => {
    const { port } = server.address() as AddressInfo;
    const limits = { most: 1000, timeout: EVENT_TIMEOUT, ...(quoted !== undefined && { quoted }) };
    return fetchBody(`http://127.0.0.1:${port}${path}`, {}, limits);
  };
  await expect(ask("/", 100)).rejects.toThrow(/^HTTP 503: Work queue depth exceeded$/);
  await expect(ask("/page", 100)).rejects.toThrow(/^HTTP 503$/);
  await expect(ask("/")).rejects.toThrow(/^HTTP 503$/);
  server.close();
});

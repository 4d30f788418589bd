import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { PATIENCE } from "#lib/testing/patience.ts";
import { fetchAnswer, fetchBody, readAtMost } from "./http.ts";

test("Brotli of another host is not asked for, and not decoded if it comes", async () => {
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
    return readAtMost(await fetchAnswer(`http://127.0.0.1:${port}${path}`, {}), 1000);
  };
  expect(await ask("/br")).toEqual(bodies.br);
  expect(String(await ask("/gzip"))).toBe("an answer");
  expect(accepted).toEqual(["gzip, deflate", "gzip, deflate"]);
  server.close();
});

test("a refusal is quoted only if that is asked for, and only if it is short", async () => {
  const page = "<p>Bad gateway</p>".repeat(100);
  const server = createServer(({ url }, response) => {
    response.writeHead(503).end(url === "/page" ? page : "Work queue depth exceeded\r\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const ask = (path: string, quoted?: number) => {
    const { port } = server.address() as AddressInfo;
    const limits = { most: 1000, timeout: PATIENCE, ...(quoted !== undefined && { quoted }) };
    return fetchBody(`http://127.0.0.1:${port}${path}`, {}, limits);
  };
  await expect(ask("/", 100)).rejects.toThrow(/^HTTP 503: Work queue depth exceeded$/);
  await expect(ask("/page", 100)).rejects.toThrow(/^HTTP 503$/);
  await expect(ask("/")).rejects.toThrow(/^HTTP 503$/);
  server.close();
});

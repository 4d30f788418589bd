import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

const APP = "https://app.example";
const ADDRESS = encodeAddress(
  { code_hash: `0x${"9b".repeat(32)}`, hash_type: "type", args: "0x01" },
  "testnet",
);

let store: Store;
let token: string;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  store = await openStore("sqlite::memory:");
  const ledger = new Ledger();
  ledger.block([{ create: [{ to: { key: "0x01", text: "a" }, capacity: 1n }] }]);
  await store.write(identify, identity);
  await storeBlocks(store, ledger.blocks);
  ({ token } = await issueToken(store, { name: "page", scopes: [], expiresAt: null, now: 0 }));
});

afterAll(async () => {
  for (const end of ends) await end();
  await store.close();
});

/** Sends requests with an `Origin` to a server with these settings. */
async function serve(settings: Record<string, string>) {
  const config = readConfig({ LOG_LEVEL: "silent", RATE_LIMIT_PER_MINUTE: "100", ...settings });
  const service: Service = await createService(store, config);
  const server = createServer(
    service,
    new Framework(async (_, response) => void response.end("from the framework")),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(async () => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(origin + path, { method, headers: { origin: APP, authorization: `Bearer ${token}`, ...headers } });
}

/** Header fields that scripts of other origins may always read, or never need. */
const UNLISTED = new Set([
  ...["cache-control", "content-length", "content-type"],
  ...["access-control-allow-origin", "access-control-expose-headers"],
  ...["connection", "content-encoding", "date", "keep-alive", "transfer-encoding", "vary"],
  ...["strict-transport-security", "x-accel-buffering", "x-content-type-options"],
]);

describe("the API for pages of other sites", () => {
  test("is not readable unless their origin is listed", async () => {
    const closed = await serve({});
    const open = await serve({ CORS_ORIGINS: `https://other.example, ${APP}` });
    const path = "/v0/blocks/tip/asset-changes";
    const fields = async (answer: Promise<Response>) => {
      const { headers } = await answer;
      return [headers.get("access-control-allow-origin"), /\bOrigin$/.test(headers.get("vary") ?? "")];
    };
    expect(await fields(closed(path))).toEqual([null, false]);
    expect(await fields(open(path))).toEqual([APP, true]);
    for (const origin of ["https://evil.example", "http://app.example", "https://app.example:8443", "null"]) {
      expect(await fields(open(path, { origin })), origin).toEqual([null, true]);
    }
  });

  test("shows them every header field of every response, errors included, and never takes cookies", async () => {
    const send = await serve({ CORS_ORIGINS: APP });
    const blocks = "/v0/blocks/tip/asset-changes";
    const { headers } = await send(blocks);
    const answers: [status: number, Promise<Response>][] = [
      [200, send(blocks)],
      [200, send(`/v0/addresses/${ADDRESS}/utxos`, { accept: "application/x-ndjson" })],
      [200, send("/v0/events", {}, "HEAD")],
      [304, send(blocks, { "if-none-match": headers.get("etag") ?? "" })],
      [400, send(`${blocks}?page=0`)],
      [401, send(blocks, { authorization: "" })],
      [401, send("/v0/events", { authorization: "" })],
      [404, send("/v0/nothing")],
      [405, send(blocks, {}, "POST")],
    ];
    const busy = await serve({ CORS_ORIGINS: APP, MAX_CONCURRENT_REQUESTS: "0" });
    answers.push([503, busy(blocks)], [503, busy("/v0/events")]);
    const poor = await serve({ CORS_ORIGINS: APP, RATE_LIMIT_PER_MINUTE: "1" });
    await poor(blocks);
    answers.push([429, poor(blocks)]);
    for (const [status, pending] of answers) {
      const answer = await pending;
      expect(answer.status).toBe(status);
      expect(answer.headers.get("access-control-allow-origin"), `${status}`).toBe(APP);
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      const listed = (answer.headers.get("access-control-expose-headers") ?? "").toLowerCase().split(", ");
      const hidden = [...answer.headers.keys()].filter(
        (name) => !UNLISTED.has(name) && !listed.includes(name),
      );
      expect(hidden, `${status}`).toEqual([]);
      await answer.body?.cancel();
    }
  });

  test("responds to preflights with 204, without a token, also while it is busy", async () => {
    const preflight = {
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization,if-none-match",
    };
    for (const settings of [{}, { MAX_CONCURRENT_REQUESTS: "0" }] as Record<string, string>[]) {
      const send = await serve({ CORS_ORIGINS: APP, ...settings });
      for (const path of ["/v0/blocks/tip/asset-changes", "/v0/events", "/v0/nothing"]) {
        const answer = await send(path, { ...preflight, authorization: "" }, "OPTIONS");
        expect([answer.status, await answer.text()]).toEqual([204, ""]);
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          "access-control-allow-origin": APP,
          "access-control-allow-methods": "GET, HEAD",
          "access-control-allow-headers": "Authorization, If-None-Match, Last-Event-ID, X-Request-Id",
          "access-control-max-age": "7200",
          vary: "Origin",
          "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
        });
      }
      if ("MAX_CONCURRENT_REQUESTS" in settings) continue;
      const stranger = await send("/v0/x", { ...preflight, origin: "https://evil.example" }, "OPTIONS");
      expect([stranger.status, stranger.headers.get("access-control-allow-origin")]).toEqual([404, null]);
      expect((await send("/v0/blocks/tip/asset-changes", {}, "OPTIONS")).status).toBe(405);
    }
  });

  test("has its specification open to every site, and no page", async () => {
    const send = await serve({});
    const openTo = async (path: string) => (await send(path)).headers.get("access-control-allow-origin");
    expect(await openTo("/openapi.json")).toBe("*");
    expect(await openTo("/docs")).toBeNull();
  });
});

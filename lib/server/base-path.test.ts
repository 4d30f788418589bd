import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { identity, Ledger, native, storeBlocks } from "#lib/testing/ledger.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

let store: Store;
let server: Server;
let send: (path: string, headers?: Record<string, string>) => Promise<Response>;
/** The URLs that reached the framework, and the paths that were looked up. */
const pages: string[] = [];
const asked: string[] = [];

beforeAll(async () => {
  store = await openStore("sqlite::memory:");
  const ledger = new Ledger();
  ledger.block([{ create: [{ to: { key: "0x01", text: "a" }, capacity: 1n }] }]);
  await store.write(identify, identity);
  await storeBlocks(store, ledger.blocks);
  await store.write(replaceRegistry, [], [{ assetId: native.id, picture: new Uint8Array(1), etag: '"a"' }]);
  const { token } = await issueToken(store, { name: "reader", scopes: [], expiresAt: null, now: 0 });
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent", BASE_PATH: "/chains/one" }));
  const isPage = (path: string) => {
    asked.push(path);
    return path !== "/nothing";
  };
  server = createServer(
    service,
    new Framework(async (request, response) => {
      pages.push(request.url ?? "");
      response.end("page");
    }),
    { isPage, files: new Map() },
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  send = (path, headers) =>
    fetch(origin + path, { headers: { authorization: `Bearer ${token}`, ...headers } });
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await store.close();
});

test("the API is below the base path, and its URLs begin with it", async () => {
  const answer = await send("/chains/one/v0/blocks/tip/asset-changes?page=1");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-location")).toMatch(
    /^\/chains\/one\/v0\/blocks\/0x\w{64}\/asset-changes\?page=1$/,
  );
  const { result } = (await answer.json()) as { result: { asset: { icon: string } }[] };
  expect(result[0]?.asset.icon).toMatch(/^\/chains\/one\/asset-icons\//);
});

test("pages reach the framework with the base path, and are known without it", async () => {
  for (const [path, given] of [
    ["/chains/one", "/chains/one/"],
    ["/chains/one/", "/chains/one/"],
    ["/chains/one/docs?a=b", "/chains/one/docs?a=b"],
  ] as const) {
    expect([(await send(path)).status, pages.at(-1)]).toEqual([200, given]);
  }
  expect(asked.slice(-3)).toEqual(["/", "/", "/docs"]);
  const unknown = await send("/chains/one/nothing");
  expect([unknown.status, await unknown.text()]).toEqual([
    404,
    expect.stringContaining('href="/chains/one/"'),
  ]);
});

test.each(["/", "/docs", "/v0/blocks/tip/asset-changes", "/chains/ones", "/chains/one/%2e./docs", "/chains"])(
  "nothing is at %s, outside the base path",
  async (path) => {
    const before = pages.length;
    const answer = await send(path);
    expect([answer.status, pages.length]).toEqual([404, before]);
  },
);

test("health checks work with and without the base path", async () => {
  for (const path of ["/healthz", "/chains/one/healthz", "/readyz", "/chains/one/readyz"]) {
    expect((await send(path)).status, path).toBe(200);
  }
});

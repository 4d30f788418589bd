import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { outPointText } from "#lib/contract/ledger.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { apiRequests, PAGE_ORIGIN, readResponse, type SentRequest } from "#lib/testing/api-requests.ts";
import { at, identity, Ledger, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { askRouteFiles, routeFiles } from "#lib/testing/route-files.ts";
import { addressOf } from "#lib/testing/v0.ts";
import { apiPaths, matchRoute } from "./api-routes.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Serves a few outputs below this base path, and makes the requests for them. */
async function serve(BASE_PATH: string) {
  const store = await openStore("sqlite::memory:");
  const asset = tokenOf("one");
  const ledger = new Ledger();
  const block = ledger.block([
    { create: [1n, 2n, 3n].map((amount) => ({ to: addressOf(1), token: asset, amount, capacity: 142n })) },
  ]);
  await store.write(identify, identity);
  await storeBlocks(store, ledger.blocks);
  const issue = async (scopes: "utxos:read"[]) =>
    (await issueToken(store, { name: "test", scopes, expiresAt: null, now: 0 })).token;
  const requests = apiRequests({
    address: addressOf(1).text,
    blockHash: block.hash,
    hash: block.transactions[0]!.hash,
    outPoint: outPointText(at(block, 0, 1)),
    id: asset.id,
    tokens: { full: await issue([]), utxosOnly: await issue(["utxos:read"]) },
  });

  const service = await createService(
    store,
    readConfig({ LOG_LEVEL: "silent", BASE_PATH, CORS_ORIGINS: PAGE_ORIGIN }),
  );
  (globalThis as { aqsService?: Promise<Service> }).aqsService = Promise.resolve(service);
  const framework = new Framework(async (_request, response) => void response.writeHead(404).end());
  const server = createServer(service, framework).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE_PATH}`;
  ends.push(() => {
    service.stopping.abort();
    server.close();
    server.closeAllConnections();
    delete (globalThis as { aqsService?: Promise<Service> }).aqsService;
    return store.close();
  });
  return {
    requests,
    askServer: async ({ path, ...sent }: SentRequest) => readResponse(await fetch(origin + path, sent)),
    askRoutes: async ({ path, ...sent }: SentRequest) =>
      readResponse(await askRouteFiles(new Request(origin + path, sent), BASE_PATH)),
  };
}

describe("the route files", () => {
  test("are one for each path of the API, with its parameters, and one for all other paths", () => {
    const declared = Object.values(apiPaths).map((path) => path.replaceAll("{", "[").replaceAll("}", "]"));
    expect(routeFiles).toEqual([...declared, "/v0/[[...path]]"].sort());
  });

  test.each(["", "/chains/one"])("respond below '%s' like the server, byte for byte", async (basePath) => {
    const { requests, askServer, askRoutes } = await serve(basePath);
    const statuses = new Set<number>();
    /** The paths that have answered with data: other answers could be the same by accident. */
    const found = new Set<string>();
    for (const request of requests) {
      const expected = await askServer(request);
      statuses.add(expected.status);
      if (expected.status === 200) found.add(matchRoute(request.path.split("?")[0]!)!.path);
      expect({ request, answer: await askRoutes(request) }).toEqual({ request, answer: expected });
    }
    expect([...statuses].sort()).toEqual([200, 204, 304, 400, 401, 403, 404, 405, 406]);
    expect([...found].sort()).toEqual(Object.values(apiPaths).sort());
  });
});

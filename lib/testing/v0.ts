import type { Server } from "node:http";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { readConfig } from "#lib/config.ts";
import { errorTable } from "#lib/contract/errors.ts";
import type { Block } from "#lib/contract/ledger.ts";
import { revokeAccessToken } from "#lib/queries/access-tokens.ts";
import { Framework } from "#lib/server/framework.ts";
import { createServer } from "#lib/server/server.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { parseExactJson } from "#lib/util/json.ts";
import { type Engine, engines } from "./engines.ts";
import { at, identity, Ledger, storeBlocks, tokenOf } from "./ledger.ts";
import { askRouteFiles } from "./route-files.ts";

export interface V0Response {
  status: number;
  headers: Record<string, string | undefined>;
  raw: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  json: any;
}

type Ask = (
  path: string,
  options?: { method?: string; headers?: Record<string, string> },
) => Promise<V0Response>;

const SECP = "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8";
export const lock = (n: number) => ({
  code_hash: SECP,
  hash_type: "type" as const,
  args: `0x${n.toString(16).padStart(40, "0")}`,
});
export const addressText = (n: number) => encodeAddress(lock(n), "testnet");
export const addressOf = (n: number) => parseAddress(addressText(n), "testnet");

export const usd = tokenOf("usd");
export const U128_MAX = 2n ** 128n - 1n;
export const NOW = Date.UTC(2026, 0, 1);

let server: Server;
/** The served data. */
export const v0 = {} as { store: Store; service: Service; blocks: Block[] };
export const tokens: Record<"full" | "utxosOnly" | "expired" | "revoked", string> = {
  full: "",
  utxosOnly: "",
  expired: "",
  revoked: "",
};

/** Serves a few blocks, a registry, a price and tokens from a database of this engine. */
async function start(engine: Engine): Promise<void> {
  const store = await engine.open();
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent" }), { now: () => NOW });
  (globalThis as { aqsService?: Promise<Service> }).aqsService = Promise.resolve(service);

  const ledger = new Ledger();
  const first = ledger.block([
    {
      create: Array.from({ length: 30 }, (_, i) => ({ to: addressOf(1), capacity: 10n ** 10n + BigInt(i) })),
    },
    { create: [{ to: addressOf(1), token: usd, amount: U128_MAX, capacity: 142n }] },
  ]);
  ledger.block([
    {
      spend: [at(first, 0, 0)],
      create: Array.from({ length: 12 }, (_, i) => ({
        to: addressOf(2),
        token: tokenOf(`t${i}`),
        amount: BigInt(i),
      })),
    },
  ]);
  const { blocks } = ledger;
  Object.assign(v0, { store, service, blocks });
  await store.write(identify, identity);
  await storeBlocks(store, blocks);
  await store.write(replaceRegistry, [
    { id: usd.id, name: 'A "dollar" \\ ☃', tags: ["stable"], decimals: 6 },
  ]);
  await store.write(loadPrices, [{ assetId: usd.id, time: 0, usd: 10n ** 18n + 1n }]);

  const issue = async (options: Partial<Parameters<typeof issueToken>[1]> = {}) =>
    issueToken(store, { name: "test", scopes: [], expiresAt: null, now: NOW, ...options });
  tokens.full = (await issue()).token;
  tokens.utxosOnly = (await issue({ scopes: ["utxos:read"] })).token;
  tokens.expired = (await issue({ expiresAt: NOW })).token;
  const revoked = await issue();
  tokens.revoked = revoked.token;
  await store.record(revokeAccessToken, revoked.record.id, NOW);

  server = createServer(
    service,
    new Framework(async (_request, response) => void response.writeHead(404).end("a page")),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

async function stop(): Promise<void> {
  server.close();
  server.closeAllConnections();
  await v0.store.close();
}

function toResponse(status: number, headers: Record<string, string | undefined>, raw: Buffer): V0Response {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[headers["content-encoding"] ?? ""];
  const text = (decode ? decode(raw) : raw).toString();
  const isJson = headers["content-type"]?.startsWith("application/json") && text !== "";
  return { status, headers, raw, text, json: isJson ? parseExactJson(text) : undefined };
}

const askRouteHandler: Ask = async (path, { method = "GET", headers = {} } = {}) => {
  const response = await askRouteFiles(new Request(`http://localhost${path}`, { method, headers }));
  return toResponse(
    response.status,
    Object.fromEntries(response.headers),
    Buffer.from(await response.arrayBuffer()),
  );
};

const askServer: Ask = (path, { method = "GET", headers = {} } = {}) =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const request = httpRequest({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      buffer(response)
        .then((raw) => toResponse(response.statusCode!, response.headers as V0Response["headers"], raw))
        .then(resolve, reject);
    });
    request.on("error", reject).end();
  });

/** The framework drops the header that names an encoding, so the route handlers compress nothing. */
const doors: { name: string; ask: Ask; compresses: boolean }[] = [
  { name: "the route handlers", ask: askRouteHandler, compresses: false },
  { name: "the production server", ask: askServer, compresses: true },
];

const stages = engines.flatMap((engine) =>
  doors.map((door) => ({ ...door, name: `${door.name} on ${engine.name}`, engine })),
);

/** Runs the tests through each way in, on every storage engine. `ask` sends no token, `get` one that may do everything. */
export function describeV0(tests: (ask: Ask, door: { compresses: boolean }) => void): void {
  describe.each(stages)("/v0 through $name", ({ ask, compresses, engine }) => {
    beforeAll(() => {
      through = ask;
      return start(engine);
    });
    afterAll(stop);
    tests(ask, { compresses });
  });
}

let through: Ask;

export const get = (path: string, token: string | null = tokens.full, headers: Record<string, string> = {}) =>
  through(path, { headers: { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...headers } });
export const utxos = (query = "", n = 1) => `/v0/addresses/${addressText(n)}/utxos${query}`;
export const changes = (query = "", block = 0) =>
  `/v0/blocks/${v0.blocks[block]!.hash}/asset-changes${query}`;

export function expectError(response: V0Response, code: keyof typeof errorTable, issues: unknown[] = []) {
  expect(response.status).toBe(errorTable[code].status);
  expect(response.json).toEqual({ code, message: errorTable[code].message, issues });
  expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
  expect(response.headers["x-request-id"]).toBeTruthy();
}

export const issue = (part: string, name: string) =>
  expect.objectContaining({ path: [part, name], message: expect.any(String) });

import type { Server } from "node:http";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { readConfig } from "#lib/config.ts";
import { type AssetChange, endpoints, type UtxoEntry } from "#lib/contract/endpoints.ts";
import { errorTable } from "#lib/contract/errors.ts";
import { parseExactJson } from "#lib/contract/json.ts";
import type { Block } from "#lib/contract/ledger.ts";
import { revokeAccessToken } from "#lib/questions/access-tokens.ts";
import type { Store } from "#lib/store/engine.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { type Engine, engines } from "#lib/testing/engines.ts";
import { at, hashOf, identity, Ledger, native, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

interface Answer {
  status: number;
  headers: Record<string, string | undefined>;
  raw: Buffer;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  json: any;
}

type Ask = (path: string, options?: { method?: string; headers?: Record<string, string> }) => Promise<Answer>;

const SECP = "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8";
const lock = (n: number) => ({
  code_hash: SECP,
  hash_type: "type" as const,
  args: `0x${n.toString(16).padStart(40, "0")}`,
});
const addressText = (n: number) => encodeAddress(lock(n), "testnet");
const addressOf = (n: number) => parseAddress(addressText(n), "testnet");

const usd = tokenOf("usd");
const U128_MAX = 2n ** 128n - 1n;
const NOW = Date.UTC(2026, 0, 1);

let store: Store;
let service: Service;
let server: Server;
let blocks: Block[];
const tokens: Record<"full" | "utxosOnly" | "expired" | "revoked", string> = {
  full: "",
  utxosOnly: "",
  expired: "",
  revoked: "",
};

/** Serves a few blocks, a registry, a price and tokens from a database of this engine. */
async function start(engine: Engine): Promise<void> {
  store = await engine.open();
  service = await createService(store, readConfig({ LOG_LEVEL: "silent" }), { now: () => NOW });

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
  blocks = ledger.blocks;
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
  await store.close();
}

function toAnswer(status: number, headers: Record<string, string | undefined>, raw: Buffer): Answer {
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[headers["content-encoding"] ?? ""];
  const text = (decode ? decode(raw) : raw).toString();
  const isJson = headers["content-type"]?.startsWith("application/json") && text !== "";
  return { status, headers, raw, text, json: isJson ? parseExactJson(text) : undefined };
}

const ask: Ask = (path, { method = "GET", headers = {} } = {}) =>
  new Promise((resolve, reject) => {
    const { port } = server.address() as AddressInfo;
    const request = httpRequest({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve(toAnswer(response.statusCode!, response.headers as Answer["headers"], Buffer.concat(chunks)));
      });
    });
    request.on("error", reject).end();
  });

describe.each(engines)("/v0 on $name", (engine) => {
  beforeAll(() => start(engine));
  afterAll(stop);

  const get = (path: string, token: string | null = tokens.full, headers: Record<string, string> = {}) =>
    ask(path, { headers: { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...headers } });
  const utxos = (query = "", n = 1) => `/v0/addresses/${addressText(n)}/utxos${query}`;
  const changes = (query = "", block = 0) => `/v0/blocks/${blocks[block]!.hash}/asset-changes${query}`;

  function expectError(reply: Answer, code: keyof typeof errorTable, issues: unknown[] = []) {
    expect(reply.status).toBe(errorTable[code].status);
    expect(reply.json).toEqual({ code, message: errorTable[code].message, issues });
    expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(reply.headers["x-request-id"]).toBeTruthy();
  }

  const issue = (part: string, name: string) =>
    expect.objectContaining({ path: [part, name], message: expect.any(String) });

  describe("the unspent outputs of an address", () => {
    test("are what the contract's schema describes, all 13 fields of the token included", async () => {
      const { status, json } = await get(utxos("?pageSize=1000"));
      expect(status).toBe(200);
      expect(endpoints.addressUtxos.response.strict().parse(json)).toEqual(json);
      expect(json.result).toHaveLength(30);
      const last = json.result.at(-1);
      expect(Object.keys(last)).toEqual([
        "token",
        "tokenInfo",
        "blockHeight",
        "outPoint",
        "amount",
        "capacity",
      ]);
      expect(last).toEqual({
        token: usd.id,
        tokenInfo: {
          layer: 2,
          parentId: "",
          totalSupply: U128_MAX.toString(),
          description: "",
          public: true,
          firstFoundBlock: blocks[0]!.hash,
          firstMintAt: new Date(blocks[0]!.timestamp).toISOString(),
          keywords: "",
          id: usd.id,
          name: 'A "dollar" \\ ☃',
          icon: "",
          symbol: "",
          decimals: 6,
        },
        blockHeight: 0,
        outPoint: `${blocks[0]!.transactions[1]!.hash}:0`,
        amount: U128_MAX.toString(),
        capacity: "142",
      });
    });

    test("give the same list whatever the page size, and the cursor that was sent for an empty page", async () => {
      const whole = (await get(utxos("?pageSize=1000"))).json.result;
      for (const pageSize of [1, 7, 30]) {
        const walked: unknown[] = [];
        let cursor = "";
        for (;;) {
          const { json } = await get(utxos(`?pageSize=${pageSize}&cursor=${cursor}`));
          walked.push(...json.result);
          cursor = json.lastCursor;
          if (!json.hasNext) break;
        }
        expect(walked).toEqual(whole);
        expect((await get(utxos(`?cursor=${cursor}`))).json).toEqual({
          result: [],
          hasNext: false,
          lastCursor: cursor,
        });
      }
    });

    test("are an empty page for a valid address that was never seen, with no cursor", async () => {
      expect((await get(utxos("", 99))).json).toEqual({ result: [], hasNext: false, lastCursor: "" });
    });

    test("are the same through every form of the address", async () => {
      const { raw } = await get(utxos());
      expect((await get(`/v0/addresses/${addressText(1).toUpperCase()}/utxos`)).raw).toEqual(raw);
      for (const colon of [":", "%3A"]) {
        expect((await get(`/v0/addresses/lock-hash${colon}${addressOf(1).key}/utxos`)).raw).toEqual(raw);
      }
    });

    test("can be asked for one token, newest first", async () => {
      const { json } = await get(utxos(`?token=${usd.id.toUpperCase().replace("0X", "0x")}&order=desc`));
      expect(json.result).toHaveLength(1);
      const desc = (await get(utxos("?order=desc&pageSize=1000"))).json.result;
      expect(desc).toEqual((await get(utxos("?pageSize=1000"))).json.result.toReversed());
    });

    test("say what kind they are if asked, and nothing of it otherwise", async () => {
      const plain = (await get(utxos("?pageSize=1000"))).json.result as UtxoEntry[];
      const told = (await get(utxos("?include=kind&pageSize=1000"))).json.result as UtxoEntry[];
      const kindOf = (token: string) => (token === native.id ? "plain" : "xUDT");
      const state = { until: "", compensation: "" };
      expect(told).toEqual(plain.map((entry) => ({ ...entry, kind: kindOf(entry.token), ...state })));
      expect(plain.every((entry) => !("kind" in entry))).toBe(true);
      const lines = (await get(utxos("?include=kind"), undefined, { accept: "application/x-ndjson" })).text;
      expect(lines.match(/"kind":/g)).toHaveLength(told.length);
      expectError(await get(utxos("?include=x")), "BAD_REQUEST", [issue("query", "include")]);
      const changed = (await get(changes("?include=kind&pageSize=100"))).json.result as AssetChange[];
      expect(changed[0]).toMatchObject({ asset: { id: native.id }, kind: "native" });
    });

    describe("as NDJSON", () => {
      const stream = (query: string, accept = "application/x-ndjson") =>
        get(utxos(query), undefined, { accept });
      const linesOf = ({ text }: Answer) =>
        text
          .trimEnd()
          .split("\n")
          .map((line) => parseExactJson(line) as UtxoEntry & { cursor: string });

      test("are all entries, one a line, and then the cursor that continues after them", async () => {
        const whole = (await get(utxos("?pageSize=1000"))).json;
        for (const accept of ["application/x-ndjson", "text/html, Application/X-NDJSON;q=0.5"]) {
          const reply = await stream("", accept);
          expect(reply.status).toBe(200);
          expect(reply.headers).toMatchObject({
            "content-type": "application/x-ndjson",
            "cache-control": "no-store",
            "x-tip-height": "1",
          });
          const lines = linesOf(reply);
          expect(lines.slice(0, -1)).toEqual(whole.result);
          expect(lines.at(-1)).toEqual({ cursor: whole.lastCursor });
        }
        const rest = linesOf(await stream(`?cursor=${(await get(utxos("?pageSize=7"))).json.lastCursor}`));
        expect(rest.slice(0, -1)).toEqual(whole.result.slice(7));
        expect(linesOf(await stream(`?cursor=${whole.lastCursor}`))).toEqual([{ cursor: whole.lastCursor }]);
      });

      test("continue after the last line that arrived, by its out point", async () => {
        const lines = linesOf(await stream("?order=desc"));
        const rest = await stream(`?order=desc&after=${lines[4]!.outPoint}`);
        expect(linesOf(rest)).toEqual(lines.slice(5));
        const page = (await get(utxos(`?order=desc&after=${lines[4]!.outPoint}&pageSize=3`))).json;
        expect(page.result).toEqual(lines.slice(5, 8));
        for (const wrong of [
          "x",
          `0x${"00".repeat(32)}:0`,
          `${lines[4]!.outPoint}&cursor=${lines.at(-1)!.cursor}`,
        ]) {
          expectError(
            await get(utxos(`?after=${wrong}`)),
            "BAD_REQUEST",
            expect.arrayContaining([issue("query", "after")]),
          );
        }
      });

      test("are JSON to a client that does not name the format, and errors are JSON too", async () => {
        for (const accept of ["*/*", "application/x-ndjson;q=0", "application/json"]) {
          expect((await stream("", accept)).headers["content-type"]).toBe("application/json; charset=utf-8");
        }
        expectError(await stream("?cursor=x"), "BAD_REQUEST", [issue("query", "cursor")]);
      });
    });

    test("refuse a cursor of another address, order, token, or that was altered", async () => {
      const { lastCursor } = (await get(utxos("?pageSize=1"))).json;
      const refused = [issue("query", "cursor")];
      expectError(await get(utxos(`?cursor=${lastCursor}`, 2)), "BAD_REQUEST", refused);
      expectError(await get(utxos(`?cursor=${lastCursor}&order=desc`)), "BAD_REQUEST", refused);
      expectError(await get(utxos(`?cursor=${lastCursor}&token=${usd.id}`)), "BAD_REQUEST", refused);
      for (let i = 0; i < lastCursor.length; i++) {
        const altered =
          lastCursor.slice(0, i) + (lastCursor[i] === "A" ? "B" : "A") + lastCursor.slice(i + 1);
        expectError(await get(utxos(`?cursor=${altered}`)), "BAD_REQUEST", refused);
      }
      expectError(await get(utxos("?cursor=x")), "BAD_REQUEST", refused);
    });
  });

  describe("the asset changes of a block", () => {
    test("are what the contract's schema describes, with integers exact to the last digit", async () => {
      const { status, json, text } = await get(changes());
      expect(status).toBe(200);
      expect(endpoints.blockAssetChanges.response.strict().parse(json)).toEqual(json);
      expect(json.total).toBe(2);
      expect(text).toContain(`"amount":${U128_MAX},`);
      const usdText = ((U128_MAX * (10n ** 18n + 1n)) / 10n ** 16n).toString().replace(/(\d{8})$/, ".$1");
      expect(json.result[1]).toEqual({
        amount: U128_MAX,
        amountUsd: usdText,
        amountExact: String(U128_MAX),
        amountUsdExact: usdText,
        asset: { id: usd.id, name: 'A "dollar" \\ ☃', icon: "", symbol: "", decimals: 6 },
        tags: ["stable"],
      });
      expect(json.result[0].amountUsd).toBe("0");
    });

    test("take the hash with or without 0x, in any case", async () => {
      const { raw } = await get(changes());
      const bare = blocks[0]!.hash.slice(2).toUpperCase();
      expect((await get(`/v0/blocks/${bare}/asset-changes`)).raw).toEqual(raw);
    });

    test("are also found by height and at the tip, and the headers say which block it is", async () => {
      const [lower, tip] = blocks as [(typeof blocks)[0], (typeof blocks)[0]];
      const byHash = await get(changes("?pageSize=3", 1));
      for (const form of ["1", "tip"]) {
        const reply = await get(`/v0/blocks/${form}/asset-changes?pageSize=3`);
        expect(reply.raw).toEqual(byHash.raw);
        expect(reply.headers).toMatchObject({
          etag: byHash.headers.etag,
          "content-location": `/v0/blocks/${tip.hash}/asset-changes?pageSize=3`,
          "x-block-height": "1",
          "x-block-hash": tip.hash,
          "x-parent-hash": lower.hash,
          "x-block-time": new Date(tip.timestamp).toISOString(),
        });
      }
      expect(byHash.headers).toMatchObject({ "x-block-height": "1", "x-block-hash": tip.hash });
      expect(byHash.headers["content-location"]).toBeUndefined();
      for (const unknown of ["2", "9".repeat(40)]) {
        expectError(await get(`/v0/blocks/${unknown}/asset-changes`), "NOT_FOUND");
      }
      for (const wrong of ["01", "-1", "1.0", "0x1", "Tip", "latest"]) {
        expectError(await get(`/v0/blocks/${wrong}/asset-changes`), "BAD_REQUEST", [
          issue("path", "blockHash"),
        ]);
      }
    });

    test("page by number, with the same total past the end", async () => {
      const whole = (await get(changes("?pageSize=100", 1))).json.result;
      const pages = await Promise.all([1, 2, 3].map((page) => get(changes(`?pageSize=5&page=${page}`, 1))));
      expect(pages.flatMap((page) => page.json.result)).toEqual(whole);
      expect((await get(changes("", 1))).json.result).toHaveLength(10);
      for (const page of ["4", "99999999999999999999999"]) {
        expect((await get(changes(`?pageSize=5&page=${page}`, 1))).json).toEqual({ result: [], total: 13 });
      }
    });

    test("filter by tags, given once or more, in either form, and by name", async () => {
      const total = async (query: string) => (await get(changes(query))).json.total;
      expect(await total("?tags=stable")).toBe(1);
      expect(await total("?tags=none&tags=stable")).toBe(1);
      expect(await total("?tags[]=stable")).toBe(1);
      expect(await total("?tags[0]=none&tags[1]=stable")).toBe(1);
      expect(await total("?tags[0]=none")).toBe(0);
      expect(await total("?tags[x]=none")).toBe(2);
      expect(await total("?tags%5B%5D=stable&tags=none")).toBe(1);
      expect(await total("?tags=")).toBe(2);
      expect(await total("?assetName=DOLLAR")).toBe(1);
      expect(await total(`?assetName=${encodeURIComponent('"')}`)).toBe(1);
      expect(await total("?assetName=%25")).toBe(0);
    });

    test("sort by volume in both directions", async () => {
      const first = async (query: string) => (await get(changes(query))).json.result[0].asset.id;
      expect(await first("?orderKey=volume")).toBe(usd.id);
      expect(await first("?orderKey=volume&orderDirection=asc")).toBe(native.id);
      expect(await first("?orderDirection=asc")).toBe(native.id);
    });
  });

  describe("access", () => {
    test("without a bearer token is 401 with no issues", async () => {
      for (const headers of [
        {},
        { Authorization: "Basic abc" },
        { Authorization: "Bearer " },
        { Authorization: "Bearer" },
      ]) {
        const reply = await ask(utxos(), { headers: headers as Record<string, string> });
        expectError(reply, "UNAUTHORIZED");
        expect(reply.headers["www-authenticate"]).toBe("Bearer");
      }
    });

    test("with a token that is unknown, expired or revoked is 401 and says why", async () => {
      for (const token of ["nonsense", `${tokens.full}x`, tokens.expired, tokens.revoked]) {
        const reply = await get(changes(), token);
        expectError(reply, "UNAUTHORIZED", [
          { path: [], code: "invalid_token", message: expect.any(String) },
        ]);
        expect(reply.headers["www-authenticate"]).toContain('error="invalid_token"');
      }
    });

    test("without the operation's scope is 403", async () => {
      expect((await get(utxos(), tokens.utxosOnly)).status).toBe(200);
      const reply = await get(changes(), tokens.utxosOnly);
      expectError(reply, "FORBIDDEN");
      expect(reply.headers["www-authenticate"]).toContain('error="insufficient_scope"');
    });

    test("is checked before the input, so that a stranger learns nothing", async () => {
      expectError(await get("/v0/addresses/bad/utxos?pageSize=0", null), "UNAUTHORIZED");
      expectError(await get("/v0/blocks/bad/asset-changes?page=0", tokens.utxosOnly), "FORBIDDEN");
    });

    test("takes the scheme in any case, and a browser's session cookie as the bearer token", async () => {
      expect((await ask(utxos(), { headers: { Authorization: `bearer ${tokens.full}` } })).status).toBe(200);
      expect((await ask(utxos(), { headers: { Cookie: `a=b; aqs_session=${tokens.full}` } })).status).toBe(
        200,
      );
      const both = { Cookie: `aqs_session=${tokens.full}`, Authorization: "Bearer wrong" };
      expect((await ask(utxos(), { headers: both })).status).toBe(401);
    });

    test("ends with the request after a revocation", async () => {
      const { token, record } = await issueToken(store, { name: "x", scopes: [], expiresAt: null, now: NOW });
      expect((await get(utxos(), token)).status).toBe(200);
      await store.record(revokeAccessToken, record.id, NOW);
      expect((await get(utxos(), token)).status).toBe(401);
    });
  });

  describe("bad input", () => {
    test("names every violated parameter at once", async () => {
      expectError(await get("/v0/addresses/bad/utxos?pageSize=0&order=up&token=zz&cursor=x"), "BAD_REQUEST", [
        issue("query", "pageSize"),
        issue("query", "token"),
        issue("query", "order"),
        issue("path", "address"),
        issue("query", "cursor"),
      ]);
      expectError(
        await get("/v0/blocks/0x12/asset-changes?page=0&pageSize=101&orderKey=name&orderDirection=up"),
        "BAD_REQUEST",
        [
          issue("path", "blockHash"),
          issue("query", "orderKey"),
          issue("query", "orderDirection"),
          issue("query", "page"),
          issue("query", "pageSize"),
        ],
      );
    });

    test("covers every spelling of a number that is not a plain decimal integer", async () => {
      for (const value of [
        "1e2",
        "0x10",
        "10.0",
        "%2010",
        "10%20",
        "",
        "-1",
        "+1",
        "010",
        "1001",
        "0",
        "ten",
        "%D9%A1",
      ]) {
        expectError(await get(utxos(`?pageSize=${value}`)), "BAD_REQUEST", [issue("query", "pageSize")]);
      }
    });

    test("covers a scalar given twice, but not unknown parameters or an empty cursor", async () => {
      expectError(await get(utxos("?pageSize=1&pageSize=1")), "BAD_REQUEST", [issue("query", "pageSize")]);
      expect((await get(utxos("?cursor=&unknown=1&unknown=2"))).status).toBe(200);
    });

    test("covers addresses with a wrong checksum, of another network, and broken percent-encoding", async () => {
      const good = addressText(1);
      const last = good.at(-1) === "q" ? "p" : "q";
      const bad = [good.slice(0, -1) + last, encodeAddress(lock(1), "mainnet"), "%zz", "%00", "ckt1"];
      for (const address of bad) {
        expectError(await get(`/v0/addresses/${address}/utxos`), "BAD_REQUEST", [issue("path", "address")]);
      }
    });
  });

  describe("what is not there", () => {
    test("an unknown block is 404", async () => {
      expectError(await get(`/v0/blocks/${hashOf("unknown")}/asset-changes`), "NOT_FOUND");
    });

    test("any other path under /v0 is 404 with the error body", async () => {
      for (const path of [
        "/v0",
        "/v0/",
        "/v0/nothing",
        "/v0/addresses",
        `${utxos()}/more`,
        "/v0/blocks//asset-changes",
      ]) {
        expectError(await get(path, null), "NOT_FOUND");
      }
    });

    test("another method is 405 and names the allowed ones", async () => {
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const reply = await ask(utxos(), { method });
        expectError(reply, "METHOD_NOT_ALLOWED");
        expect(reply.headers.allow).toBe("GET, HEAD");
      }
    });
  });

  describe("every answer", () => {
    test("names the request and the tip, errors too", async () => {
      for (const reply of [await get(utxos()), await get(changes(), null), await get("/v0/x")]) {
        expect(reply.headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
        expect(reply.headers["x-tip-height"]).toBe("1");
        expect(reply.headers["x-tip-hash"]).toBe(blocks[1]!.hash);
      }
      expect((await get(utxos(), tokens.full, { "X-Request-Id": "mine-1" })).headers["x-request-id"]).toBe(
        "mine-1",
      );
    });

    test("carries a strong ETag, and is 304 without a body for who has it", async () => {
      const first = await get(utxos());
      const { etag } = first.headers;
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect(first.headers["cache-control"]).toBe("private");
      expect(first.headers.vary).toBe("Authorization, Accept-Encoding, Cookie, Accept");
      for (const tag of [etag!, `"other", W/${etag}`, "*"]) {
        const again = await get(utxos(), tokens.full, { "If-None-Match": tag });
        expect([again.status, again.raw.length, again.headers.etag]).toEqual([304, 0, etag]);
      }
      expect((await get(utxos(), tokens.full, { "If-None-Match": '"other"' })).status).toBe(200);
      expect((await get(utxos("?pageSize=2"))).headers.etag).not.toBe(etag);
      expect((await get(utxos(), null, { "If-None-Match": etag! })).status).toBe(401);
    });

    test("is compressed with what the client accepts, each coding under its own ETag", async () => {
      const plain = await get(utxos());
      expect(plain.headers["content-encoding"]).toBeUndefined();
      const codings = {
        gzip: "gzip",
        "gzip, br": "br",
        "br;q=0.5, gzip;q=0.8": "gzip",
        "*": "br",
        "br;q=0": undefined,
      };
      for (const [accept, coding] of Object.entries(codings)) {
        const reply = await get(utxos(), tokens.full, { "Accept-Encoding": accept });
        expect(reply.headers["content-encoding"]).toBe(coding);
        expect(reply.text).toBe(plain.text);
        expect(reply.headers.etag === plain.headers.etag).toBe(coding === undefined);
      }
    });

    test("is left as it is while short, unless the client refuses that", async () => {
      for (const [accept, coding] of [
        ["gzip, br", undefined],
        ["gzip, identity;q=0", "gzip"],
      ] as const) {
        const reply = await get(utxos("?pageSize=1"), tokens.full, { "Accept-Encoding": accept });
        expect([reply.status, reply.headers["content-encoding"]]).toEqual([200, coding]);
      }
    });

    test("to HEAD is that to GET without the body", async () => {
      const headers = { Authorization: `Bearer ${tokens.full}` };
      const head = await ask(utxos(), { method: "HEAD", headers });
      const { headers: expected } = await get(utxos());
      expect([head.status, head.raw.length, head.headers.etag]).toEqual([200, 0, expected.etag]);
    });
  });

  test("a bug below is 500, tells nothing of itself and is logged with the request's id", async () => {
    const logged: unknown[] = [];
    const { error: logError } = service.log;
    service.log.error = ((entry: unknown) => logged.push(entry)) as typeof logError;
    const asked = vi.spyOn(store, "ask").mockRejectedValueOnce(new Error("secret detail"));
    try {
      // A page that is not kept yet.
      const reply = await get(utxos("?pageSize=29"));
      expectError(reply, "INTERNAL_SERVER_ERROR");
      expect(reply.text).not.toContain("secret");
      expect(logged).toEqual([expect.objectContaining({ requestId: reply.headers["x-request-id"] })]);
    } finally {
      asked.mockRestore();
      service.log.error = logError;
    }
  });
});

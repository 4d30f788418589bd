import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { readConfig } from "#lib/config.ts";
import type { ErrorBody } from "#lib/contract/errors.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { Framework } from "#lib/server/framework.ts";
import { createServer } from "#lib/server/server.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { issueToken } from "./access-tokens.ts";
import { createService, type Service } from "./service.ts";

const addressOf = (n: number) => {
  const args = `0x${n.toString(16).padStart(2, "0")}`;
  return encodeAddress({ code_hash: `0x${"00".repeat(32)}`, hash_type: "data", args }, "testnet");
};

let store: Store;
let service: Service;
let server: Server;
let origin: string;
const closing: AbortController[] = [];

beforeEach(async () => {
  store = await openStore("sqlite::memory:");
  const settings = {
    MAX_CONCURRENT_REQUESTS: "1",
    MAX_EVENT_STREAMS_PER_TOKEN: "2",
    RATE_LIMIT_PER_MINUTE: "50",
  };
  service = await createService(store, readConfig({ LOG_LEVEL: "silent", ...settings }));
  server = createServer(service, new Framework(async (_, response) => void response.end()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const each of closing.splice(0)) each.abort();
  server.closeAllConnections();
  server.close();
  await store.close();
});

async function tokenWith(...scopes: Scope[]): Promise<string> {
  return (await issueToken(store, { name: "test", scopes, expiresAt: null, now: Date.now() })).token;
}

async function ask(query: string, token: string | null, method = "GET", lastId?: string) {
  const controller = new AbortController();
  closing.push(controller);
  const { signal } = controller;
  const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
  if (lastId !== undefined) headers["Last-Event-ID"] = lastId;
  const response = await fetch(`${origin}/v0/events${query}`, { method, headers, signal });
  return { response, close: () => controller.abort() };
}

async function fault(query: string, token: string | null, method?: string) {
  const { response } = await ask(query, token, method);
  const { code, issues } = (await response.json()) as ErrorBody;
  return [response.status, code, issues.map((issue) => [...issue.path, issue.code])];
}

test("a stream of blocks needs the scope of blocks, and one with addresses that of outputs", async () => {
  const [changes, utxos] = [await tokenWith("asset-changes:read"), await tokenWith("utxos:read")];
  const watching = `?address=${addressOf(1)}&address=${addressOf(2)}`;
  expect((await ask("", changes)).response.status).toBe(200);
  expect((await ask(watching, utxos)).response.status).toBe(200);
  expect((await ask(`?address[]=${addressOf(1)}`, utxos)).response.status).toBe(200);
  expect(await fault("", utxos)).toEqual([403, "FORBIDDEN", []]);
  expect(await fault(watching, changes)).toEqual([403, "FORBIDDEN", []]);
  expect(await fault(`?address[0]=${addressOf(1)}`, changes)).toEqual([403, "FORBIDDEN", []]);
  expect(await fault("", null)).toEqual([401, "UNAUTHORIZED", []]);
});

test("a stream says what it is, and holds no slot of the server", async () => {
  const token = await tokenWith();
  const { response } = await ask("", token);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
    "x-content-type-options": "nosniff",
    "ratelimit-remaining": "49",
    "x-request-id": expect.any(String),
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("data:")) text += (await reader.read()).value;
  expect(text).toBe(
    'retry: 2000\n\nid: none\nevent: start\ndata: {"type":"start","height":null,"hash":null}\n\n',
  );
  const other = await fetch(`${origin}/v0/blocks/tip/asset-changes`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  expect(other.status).toBe(404);

  const ended = reader.closed;
  service.events.close();
  await ended;
  expect(await fault("", token)).toEqual([503, "SERVICE_UNAVAILABLE", []]);
});

test("what cannot be watched is refused in the error body", async () => {
  const token = await tokenWith();
  expect(await fault("?address=x&address=y", token)).toEqual([
    400,
    "BAD_REQUEST",
    [
      ["query", "address", expect.any(String)],
      ["query", "address", expect.any(String)],
    ],
  ]);
  const many = Array.from({ length: 101 }, () => `address=${addressOf(1)}`).join("&");
  expect(await fault(`?${many}`, token)).toEqual([400, "BAD_REQUEST", [["query", "address", "too_big"]]]);
  expect(await fault("", token, "POST")).toEqual([405, "METHOD_NOT_ALLOWED", []]);
  const { response } = await ask("", token, "HEAD");
  expect([response.status, await response.text(), service.streams.size]).toEqual([200, "", 0]);
});

test("a token has so many streams at once, and one more when one of them is closed", async () => {
  const token = await tokenWith();
  const first = await ask("", token);
  await ask("", token);
  expect(await fault("", token)).toEqual([429, "TOO_MANY_REQUESTS", [["too_many_streams"]]]);
  first.close();
  while (service.streams.size > 1) await new Promise((resolve) => setImmediate(resolve));
  expect((await ask("", token)).response.status).toBe(200);
});

test("a stream of 100 addresses, each of which every block changes, gets all of them at its own speed", async () => {
  const texts = Array.from({ length: 100 }, (_, n) => addressOf(n));
  const create = texts.map((text) => ({ to: { key: parseAddress(text, "testnet").key, text } }));
  const ledger = new Ledger();
  const add = async (count: number) => {
    const blocks = Array.from({ length: count }, () => ledger.block([{ create }]));
    await storeBlocks(store, blocks);
  };
  await store.write(identify, identity);
  await add(301);
  const first = ledger.blocks[0]!;
  const watching = `?${texts.map((text) => `address=${text}`).join("&")}`;
  const { response } = await ask(watching, await tokenWith(), "GET", `${first.height}-${first.hash}`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const heights: number[] = [];
  let touched = 0;
  let rest = "";
  const readUntil = async (height: number) => {
    while (heights.at(-1) !== height) {
      const lines = (rest + (await reader.read()).value).split("\n");
      rest = lines.pop()!;
      for (const line of lines) {
        if (line === "event: address") touched += 1;
        const block = /"block","height":(\d+),/.exec(line);
        if (block) heights.push(Number(block[1]));
      }
    }
  };
  await readUntil(300);
  // Some batches at once, as from an index that catches up.
  for (let batch = 0; batch < 5; batch++) await add(20);
  await readUntil(400);
  expect(heights).toEqual(Array.from({ length: 400 }, (_, n) => n + 1));
  expect(touched).toBe(400 * 100);
});

import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, get } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createService } from "#lib/api/service.ts";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import { readConfig } from "#lib/config.ts";
import { ApiError, type ErrorBody } from "#lib/contract/errors.ts";
import { Framework } from "#lib/server/framework.ts";
import { createServer as createOurServer } from "#lib/server/server.ts";
import { openStore } from "#lib/store/open.ts";
import { serveStore } from "#lib/testing/demo-server.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { lock } from "#lib/testing/v0.ts";
import { freePort } from "#lib/util/free-port.ts";
import { NGINX, startNginx } from "./proxy.ts";

describe.skipIf(!existsSync(NGINX))("nginx, as documented", () => {
  let folder: string;
  let server: Server;
  let port: number;
  let upstreams: [number, number];
  let stop: () => Promise<void>;
  /** The server does not answer requests for `/held` by itself. */
  let held: ServerResponse[];

  beforeEach(async () => {
    held = [];
    folder = mkdtempSync(join(tmpdir(), "aqs-nginx-"));
    server = createServer(({ url }, response) => {
      if (url === "/own") response.writeHead(429).end("the server's own");
      else if (url === "/held") held.push(response);
      else response.end("an answer");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const upstream = (server.address() as AddressInfo).port;
    port = await freePort();
    upstreams = [upstream, upstream];
    stop = await startNginx(folder, port, upstreams);
    await vi.waitFor(() => ask("/"), EVENT_TIMEOUT);
  });
  afterEach(async () => {
    await stop();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  async function ask(path: string, agent = new Agent(), { to = port, headers = {} } = {}) {
    const target = { host: "127.0.0.1", port: to, path, agent, headers, rejectUnauthorized: false };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(target, resolve).on("error", reject);
    });
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  test("refuses one client's excess requests with the API's error, and passes on the server's own refusals", async () => {
    // At the documented rate, a slow machine might have no request refused.
    await stop();
    stop = await startNginx(folder, port, upstreams, 1);
    await vi.waitFor(() => ask("/"), EVENT_TIMEOUT);
    const own = await ask("/own");
    expect([own.status, own.body]).toEqual([429, "the server's own"]);
    const agent = new Agent({ keepAlive: true, maxSockets: 20 });
    const answers = await Promise.all(Array.from({ length: 600 }, () => ask("/", agent)));
    agent.destroy();
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.length - refused.length).toBeGreaterThan(190);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refused) {
      expect(status).toBe(429);
      expect(JSON.parse(body)).toEqual(new ApiError("TOO_MANY_REQUESTS").body);
      expect(headers).toMatchObject({ "content-type": "application/json", "retry-after": "1" });
    }
  });

  test("serves others while one client has more idle connections than the server may have", async () => {
    const store = await openStore("sqlite::memory:");
    const config = readConfig({ LOG_LEVEL: "silent", MAX_CONNECTIONS: "64" });
    const ours = createOurServer(await createService(store, config), new Framework(async () => {}));
    server.removeAllListeners("request").on("request", (...passed) => ours.emit("request", ...passed));
    server.on("connection", (socket) => ours.emit("connection", socket));
    // The proxy may still have a connection that ours has not seen.
    server.closeAllConnections();
    const idle = Array.from({ length: 2_100 }, () => connect(port, "127.0.0.1").on("error", () => {}));
    await Promise.all(idle.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    for (let i = 0; i < 100; i++) expect((await ask("/healthz")).status).toBe(200);
    for (const socket of idle) socket.destroy();
    await store.close();
  });

  test("passes on the longest URL that the API takes, and the server's own refusal of a longer head", async () => {
    const served = await serveStore(await openStore("sqlite::memory:"));
    const upstream = Number(new URL(served.origin).port);
    const inside = join(folder, "api");
    mkdirSync(inside);
    const to = await freePort();
    const stopApi = await startNginx(inside, to, [upstream, upstream]);
    // Browsers also send this header.
    const headers = { Authorization: `Bearer ${served.token}`, "User-Agent": "x".repeat(1_000) };
    const asked = (path: string, more = {}) =>
      ask(path, new Agent(), { to, headers: { ...headers, ...more } });
    try {
      await vi.waitFor(() => asked("/healthz"), EVENT_TIMEOUT);
      const addresses = Array.from({ length: 100 }, (_, n) => {
        const args = `0x${n.toString(16).padStart(78, "0")}`;
        return encodeAddress({ ...lock(n), args }, "testnet");
      });
      const path = `/v0/utxos?address=${addresses.join("&address=")}`;
      expect(addresses[0]!.length).toBeGreaterThan(125);
      expect(path.length).toBeGreaterThan(13_000);
      for (const target of [path, `${path}&x=`.padEnd(14_000, "x")]) {
        const { status, body } = await asked(target);
        expect([status, body]).toEqual([200, '{"result":[],"hasNext":false,"lastCursor":""}']);
      }
      // Each line is one that nginx takes, and together they are longer than what the server takes.
      for (const length of [27_000, 30_000]) {
        const long = "x".repeat(length);
        const { status, body } = await asked(path, { "X-One": long, "X-Other": long });
        expect([status, (JSON.parse(body) as ErrorBody).code]).toEqual([431, "BAD_REQUEST"]);
      }
    } finally {
      await stopApi();
      await served.close();
    }
  });

  test("refuses one client's excess connections", async () => {
    const waiting = Array.from({ length: 100 }, () => ask("/held"));
    await vi.waitFor(() => expect(held).toHaveLength(100), EVENT_TIMEOUT);
    expect((await ask("/")).status).toBe(429);
    for (const response of held) response.end();
    await Promise.all(waiting);
    expect((await ask("/")).status).toBe(200);
  });
});

import { Agent, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createService, type Service } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { storeFirstBlock } from "#lib/testing/ledger.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";
import { stopServer } from "./stop.ts";

let store: Store;
let service: Service;
let server: ReturnType<typeof createServer>;
let port: number;
let agent: Agent;
/** Ends the pages that wait. */
let answer: () => void;
/** Resolves when a page is asked for. */
let asked: Promise<unknown>;

beforeEach(async () => {
  store = await openStore("sqlite::memory:");
  await storeFirstBlock(store);
  service = await createService(store, readConfig({ LOG_LEVEL: "silent" }));
  agent = new Agent({ keepAlive: true });
  const released = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  answer = released.resolve;
  asked = arrived.promise;
  server = createServer(
    service,
    new Framework(async (_request, response) => {
      arrived.resolve();
      await released.promise;
      response.end("a page");
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  agent.destroy();
  server.close();
  server.closeAllConnections();
  await store.close();
});

/** Asks on a connection that is kept alive, if the server keeps it. */
async function ask(path: string) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, path, agent }, resolve).on("error", reject);
  });
  const { statusCode, headers } = response;
  return { status: statusCode, connection: headers.connection, body: await text(response) };
}

function silentConnection(): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
  });
}

test("a server that stops is not ready, closes connections after their responses, and finishes what it has begun", async () => {
  expect(await ask("/readyz")).toMatchObject({ status: 200, connection: "keep-alive" });
  const page = ask("/some-page");
  await asked;
  const stopped = stopServer(server, service.stopping, 30);
  const [ready, healthy, missing] = [await ask("/readyz"), await ask("/healthz"), await ask("/v0/x")];
  expect(ready).toEqual({ status: 503, connection: "close", body: '{"status":"stopping"}' });
  expect(healthy).toMatchObject({ status: 200, connection: "close" });
  expect(missing).toMatchObject({ status: 404, connection: "close" });
  answer();
  expect(await page).toEqual({ status: 200, connection: "close", body: "a page" });
  expect(await stopped).toBe(0);
  expect(server.listening).toBe(false);
});

test("a server without connections stops at once", async () => {
  // If it waited for its hour, the test would time out.
  expect(await stopServer(server, service.stopping, 3_600)).toBe(0);
});

test("after a third of the time, idle connections are closed and new ones refused", async () => {
  await ask("/healthz");
  const page = ask("/some-page");
  await asked;
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(0);
  const idle = connect(port, "127.0.0.1");
  const closed = new Promise((resolve) => idle.resume().once("close", resolve));
  await new Promise<void>((resolve) => {
    idle.once("data", () => resolve());
    idle.write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
  });
  const stopped = stopServer(server, service.stopping, 6);
  await closed;
  await expect(ask("/healthz")).rejects.toThrow("ECONNREFUSED");
  answer();
  expect((await page).status).toBe(200);
  expect(await stopped).toBe(0);
});

test("at the end of the time, requests in progress and silent connections are cut", async () => {
  const silent = await silentConnection();
  const closed = new Promise((resolve) => silent.resume().once("close", resolve));
  const page = ask("/some-page").then(
    () => "answered",
    () => "cut",
  );
  await asked;
  expect(await stopServer(server, service.stopping, 0.2)).toBe(2);
  expect(await page).toBe("cut");
  await closed;
});

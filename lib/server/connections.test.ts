import { get, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

const MOST = 20;
let store: Store;
let server: Server;
let sockets: Socket[];
/** Number of requested pages, none of which ever arrives. */
let views: number;

beforeEach(async () => {
  [sockets, views] = [[], 0];
  store = await openStore("sqlite::memory:");
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  server.closeAllConnections();
  await store.close();
});

async function serve(settings: Record<string, string>): Promise<void> {
  const config = readConfig({
    LOG_LEVEL: "silent",
    MAX_CONNECTIONS: String(MOST),
    // One network gets half of them.
    MAX_CONCURRENT_PAGES: String(2 * MOST),
    ...settings,
  });
  const hangs = async () => {
    views += 1;
    await new Promise(() => {});
  };
  server = createServer(await createService(store, config), new Framework(hangs));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

const port = () => (server.address() as AddressInfo).port;

/** A connection from this address, once the server has it. */
async function open(localAddress: string, request = ""): Promise<Socket> {
  const taken = new Promise((resolve) => server.once("connection", resolve));
  const socket = connect({ port: port(), host: "127.0.0.1", localAddress });
  socket.on("error", () => {}).resume();
  sockets.push(socket);
  socket.write(request);
  await taken;
  return socket;
}

async function openMany(count: number, localAddress: string, request?: string): Promise<Socket[]> {
  const opened: Socket[] = [];
  for (let i = 0; i < count; i++) opened.push(await open(localAddress, request));
  return opened;
}

/** Uses a connection of its own. */
const statusFor = (localAddress: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const target = { port: port(), host: "127.0.0.1", path: "/healthz", agent: false as const, localAddress };
    get(target, (response: IncomingMessage) => {
      response.resume().once("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });

const VIEW = "GET /docs HTTP/1.1\r\nHost: a\r\n\r\n";
const isOpen = (socket: Socket) => !socket.closed;

test("idle connections give way to new ones, first those that have been idle longest", async () => {
  await serve({});
  const idle = await openMany(MOST, "127.0.0.1");
  for (let i = 0; i < MOST / 2; i++) expect(await statusFor("127.0.0.1")).toBe(200);
  await vi.waitFor(() => expect(idle.filter(isOpen).length).toBeLessThan(MOST), EVENT_TIMEOUT);
  const left = idle.filter(isOpen);
  expect(left).toEqual(idle.slice(-left.length));
});

test("connections with a request in progress do not give way", async () => {
  await serve({});
  const busy = await openMany(MOST - 1, "127.0.0.1", VIEW);
  await vi.waitFor(() => expect(views).toBe(MOST - 1), EVENT_TIMEOUT);
  const idle = await open("127.0.0.1");
  expect(await statusFor("127.0.0.1")).toBe(200);
  await vi.waitFor(() => expect(isOpen(idle)).toBe(false), EVENT_TIMEOUT);
  expect(busy.every(isOpen)).toBe(true);
});

test("a network holds no more connections than are left for others, and only its own give way to it", async () => {
  await serve({ TRUST_PROXY: "10.0.0.0/8" });
  const other = await open("127.0.0.3");
  const idle = await openMany(MOST, "127.0.0.2");
  await vi.waitFor(() => expect(idle.filter(isOpen).length).toBeLessThanOrEqual(MOST / 2), EVENT_TIMEOUT);
  expect(isOpen(other)).toBe(true);
  const busy = await openMany(MOST, "127.0.0.2", VIEW);
  await vi.waitFor(() => expect(busy.filter(isOpen).length).toBeLessThanOrEqual(MOST / 2), EVENT_TIMEOUT);
  expect(isOpen(other)).toBe(true);
  for (let i = 0; i < MOST; i++) expect(await statusFor("127.0.0.3")).toBe(200);
});

test("a trusted proxy may hold all connections", async () => {
  await serve({ TRUST_PROXY: "127.0.0.2" });
  const busy = await openMany(MOST, "127.0.0.2", VIEW);
  await vi.waitFor(() => expect(views).toBe(MOST), EVENT_TIMEOUT);
  expect(busy.every(isOpen)).toBe(true);
});

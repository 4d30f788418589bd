import { createServer as createHttpServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { createService } from "#lib/api/service.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import {
  Admission,
  type Exchange,
  MAX_EXCHANGE_MS,
  MAX_UNFINISHED_PER_SOCKET,
  MAX_UNREAD_BYTES,
} from "./admission.ts";
import { createServer, type PageHandler } from "./server.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of endings.splice(0).reverse()) await end();
});

interface Target {
  port: number;
  ask(path: string): Promise<{ status: number; text: string }>;
  /** A connection on which `requests` are sent and whose answers are not read. */
  deaf(requests: string): Socket;
}

async function serve(settings: Record<string, string>, page: PageHandler): Promise<Target> {
  const store = await openStore("sqlite::memory:");
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent", ...settings }));
  endings.push(() => store.close());
  return listen(createServer(service, page));
}

async function listen(server: Server): Promise<Target> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async ask(path) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return { status: response.status, text: await response.text() };
    },
    deaf(requests) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {}).pause();
      socket.write(requests);
      endings.push(() => socket.destroy());
      return socket;
    },
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.resume().once("close", () => resolve()));

/** Never answers requests for `/docs/…`, answers `/status` with 50 MB, and others with a word. */
function somePages() {
  const seen: string[] = [];
  let notify = () => {};
  const page: PageHandler = async ({ url = "" }, response) => {
    seen.push(url);
    notify();
    if (url.startsWith("/docs/")) await new Promise(() => {});
    response.end(url.startsWith("/status") ? Buffer.alloc(50_000_000) : "a page");
  };
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      notify = () => seen.length >= count && resolve();
      notify();
    });
  return { page, seen, until };
}

test("a connection is closed if more requests are unfinished on it than may be, and none of one packet is answered", async () => {
  const { page, seen, until } = somePages();
  const { deaf, ask } = await serve({}, page);
  await closed(deaf(Array.from({ length: 300 }, (_, i) => get(`/docs/${i}`)).join("")));
  expect(seen).toEqual([]);
  expect((await ask("/healthz")).status).toBe(200);
  const patient = deaf(
    Array.from({ length: MAX_UNFINISHED_PER_SOCKET }, (_, i) => get(`/docs/${i}`)).join(""),
  );
  await until(MAX_UNFINISHED_PER_SOCKET);
  patient.write(get("/docs/more"));
  await closed(patient);
  expect(seen.length).toBe(MAX_UNFINISHED_PER_SOCKET);
});

test("requests on one connection that follow finished ones are not limited", async () => {
  const { page, seen } = somePages();
  const { port } = await serve({}, page);
  const socket = connect(port, "127.0.0.1");
  endings.push(() => socket.destroy());
  for (let i = 0; i < 20; i++) {
    const answered = new Promise((resolve) => socket.once("data", resolve));
    socket.write(get("/sign-in"));
    await answered;
  }
  expect(seen.length).toBe(20);
});

test("a slot is free only when its answer is flushed, or its connection is closed", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_REQUESTS: "1" }, page);
  const reader = deaf(get("/status"));
  await until(1);
  expect((await ask("/sign-in")).status).toBe(503);
  expect((await ask("/v0/x")).text).toContain("SERVICE_UNAVAILABLE");
  expect((await ask("/healthz")).status).toBe(200);
  expect((await ask("/readyz")).status).not.toBe(500);
  let bytes = 0;
  reader.on("data", (chunk) => {
    bytes += chunk.length;
    if (bytes > 50_000_000) reader.emit("all");
  });
  await new Promise<void>((resolve) => reader.once("all", resolve).resume());
  await vi.waitFor(async () => expect((await ask("/sign-in")).status).toBe(200));

  const other = deaf(get("/status"));
  await until(3);
  expect((await ask("/sign-in")).status).toBe(503);
  other.destroy();
  await vi.waitFor(async () => expect((await ask("/sign-in")).status).toBe(200));
});

test("pages have a limit of their own, which the API and the health checks do not share", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_PAGES: "2" }, page);
  deaf(get("/docs/1") + get("/docs/2"));
  await until(2);
  for (const path of ["/", "/docs", "/blocks/x", "/addresses/x/opengraph-image", "/sign-in"]) {
    const refused = await ask(path);
    expect([path, refused.status]).toEqual([path, 503]);
    expect(refused.text).toContain("The server is busy");
  }
  expect((await ask("/v0/x")).status).toBe(404);
  expect((await ask("/healthz")).status).toBe(200);
});

test("a page keeps its place while it is rendered for a reader who has gone", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_PAGES: "1" }, page);
  const reader = deaf(get("/docs/never"));
  await until(1);
  reader.destroy();
  await closed(reader);
  expect((await ask("/docs")).status).toBe(503);
});

test("an answer that is not taken in time is cut, and its slot is free", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_REQUESTS: "1" }, page);
  const reader = deaf(get("/docs/never"));
  await until(1);
  expect((await ask("/sign-in")).status).toBe(503);
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + MAX_EXCHANGE_MS);
  await closed(reader);
  expect((await ask("/sign-in")).status).toBe(200);
});

test("a stream holds no slot, and is cut once its reader has taken no piece for too long", async () => {
  const admission = new Admission(readConfig({ MAX_CONCURRENT_REQUESTS: "1" }));
  // Whole, so that no difference is rounded.
  const began = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, "now").mockReturnValue(began);
  const open = new Map<string, Exchange>();
  const server = createHttpServer((request, response) => {
    const exchange = admission.begin(request, response)!;
    admission.admit(exchange);
    // More than the operating system takes.
    const body = Readable.from(request.url === "/much" ? [Buffer.alloc(50_000_000)] : silence());
    admission.leave(exchange, "ndjson");
    pipeline(body, response, (error) => error && cut.resolve());
    open.set(request.url!, exchange);
  });
  const cut = Promise.withResolvers<void>();
  async function* silence() {
    yield "word";
    await new Promise(() => {});
  }
  // Every check for overdue answers reads the clock.
  const swept = () => {
    clock.mockClear();
    return vi.waitFor(() => expect(clock).toHaveBeenCalled(), 5_000);
  };
  admission.watch(server);
  const { deaf } = await listen(server);
  const idle = deaf(get("/")).resume();
  deaf(get("/much"));
  await vi.waitFor(() => expect(open.size).toBe(2));
  clock.mockReturnValue(began + MAX_EXCHANGE_MS - 1);
  await swept();
  const { socket } = open.get("/much")!;
  expect(socket.destroyed).toBe(false);
  // It has taken a piece.
  admission.progressed(open.get("/much")!);
  clock.mockReturnValue(began + 2 * MAX_EXCHANGE_MS - 2);
  await swept();
  expect(socket.destroyed).toBe(false);
  clock.mockReturnValue(began + 2 * MAX_EXCHANGE_MS - 1);
  await cut.promise;
  expect(idle.closed).toBe(false);
});

test("a reader that is slow gives way if there is no other slot", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_REQUESTS: "1" }, page);
  const reader = deaf(get("/status"));
  await until(1);
  expect((await ask("/sign-in")).status).toBe(503);
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + 5_000);
  expect((await ask("/sign-in")).status).toBe(200);
  await closed(reader);
});

test("answers that are not read have so many bytes together, and then give way to others one by one", async () => {
  const bytes = MAX_UNREAD_BYTES / 2;
  const admission = new Admission(readConfig({}));
  const server = createHttpServer((request, response) => {
    const exchange = admission.begin(request, response)!;
    try {
      admission.admit(exchange);
      admission.hold(exchange, bytes + 1);
      response.end(Buffer.alloc(bytes + 1));
    } catch {
      response.writeHead(503).end();
    }
  });
  admission.watch(server);
  const { ask, deaf } = await listen(server);
  const reader = deaf(get("/"));
  await new Promise((resolve) => server.once("request", resolve));
  expect((await ask("/")).status).toBe(503);
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + 5_000);
  expect((await ask("/")).text.length).toBe(bytes + 1);
  await closed(reader);
  expect((await ask("/")).status).toBe(200);
});

test("a connection more than the limit is closed", async () => {
  const { page, until } = somePages();
  const { deaf } = await serve({ MAX_CONNECTIONS: "2" }, page);
  const first = deaf(get("/docs/1"));
  deaf(get("/docs/2"));
  await until(2);
  await closed(deaf(get("/docs/3")));
  first.destroy();
  await vi.waitFor(async () => {
    deaf(get("/docs/4"));
    await Promise.race([until(3), new Promise((_, reject) => setTimeout(reject, 200, "no place yet"))]);
  });
});

import { createServer as createHttpServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { createService } from "#lib/api/service.ts";
import { EventLoopTicks, WorkQueue } from "#lib/api/work-queue.ts";
import { readConfig } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";
import {
  Admission,
  type Exchange,
  MAX_BODIES,
  MAX_EXCHANGE_MS,
  MAX_UNFINISHED_PER_SOCKET,
  MAX_UNREAD_BYTES,
} from "./admission.ts";
import { Framework } from "./framework.ts";
import { createServer } from "./server.ts";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of endings.splice(0).reverse()) await end();
});

type Page = ConstructorParameters<typeof Framework>[0];

interface Target {
  port: number;
  /** Errors in the server's log. */
  logged: unknown[];
  ask(path: string): Promise<{ status: number; text: string }>;
  /** A connection on which `requests` are sent and whose answers are not read. */
  deaf(requests: string): Socket;
}

async function serve(settings: Record<string, string>, page: Page, options = {}): Promise<Target> {
  const store = await openStore("sqlite::memory:");
  const service = await createService(store, readConfig({ LOG_LEVEL: "silent", ...settings }));
  const logged: unknown[] = [];
  service.log.error = (entry: unknown) => logged.push(entry);
  endings.push(() => store.close());
  return { logged, ...(await listen(createServer(service, new Framework(page, options)))) };
}

async function listen(server: Server): Promise<Omit<Target, "logged">> {
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

function gate(settings = {}) {
  const ticks = new EventLoopTicks();
  const admission = new Admission({ config: readConfig(settings), ticks });
  return { admission, queue: new WorkQueue(10, ticks) };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.resume().once("close", () => resolve()));

/** More than the operating system takes. */
const BIG = Buffer.alloc(20_000_000);

/** Never responds to `/docs/…`, responds to `/blocks/big` with a large body, and to others with a word. */
function somePages() {
  const seen: string[] = [];
  let notify = () => {};
  const page: Page = async ({ url = "" }, response) => {
    seen.push(url);
    notify();
    if (url.startsWith("/docs/")) await new Promise(() => {});
    response.end(url === "/blocks/big" ? BIG : "a page");
  };
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      notify = () => seen.length >= count && resolve();
      notify();
    });
  return { page, seen, until };
}

test("a connection with too many unfinished requests is closed, and none of one packet gets a response", async () => {
  const { page, seen, until } = somePages();
  const { deaf, ask } = await serve({ MAX_CONCURRENT_PAGES: "9" }, page);
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
    socket.write(get("/blocks/x"));
    await answered;
  }
  expect(seen.length).toBe(20);
});

test("a slot is free only when its response is flushed, or its connection is closed", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_REQUESTS: "1" }, page);
  const reader = deaf(get("/blocks/big"));
  await until(1);
  expect((await ask("/blocks/x")).status).toBe(503);
  expect((await ask("/v0/x")).text).toContain("SERVICE_UNAVAILABLE");
  expect((await ask("/healthz")).status).toBe(200);
  expect((await ask("/readyz")).status).not.toBe(500);
  let bytes = 0;
  reader.on("data", (chunk) => {
    bytes += chunk.length;
    if (bytes > BIG.length) reader.emit("all");
  });
  await new Promise<void>((resolve) => reader.once("all", resolve).resume());
  await vi.waitFor(async () => expect((await ask("/blocks/x")).status).toBe(200), EVENT_TIMEOUT);

  const other = deaf(get("/blocks/big"));
  await until(3);
  expect((await ask("/blocks/x")).status).toBe(503);
  other.destroy();
  await vi.waitFor(async () => expect((await ask("/blocks/x")).status).toBe(200), EVENT_TIMEOUT);
});

test("everything but health checks passes the same gate", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_REQUESTS: "1" }, page);
  deaf(get("/docs/never"));
  await until(1);
  for (const path of ["/v0/x", "/docs", "/session", "/status", "/openapi.json", "/sign-in", "/blocks/x"]) {
    expect([path, (await ask(path)).status]).toEqual([path, 503]);
  }
  expect((await ask("/healthz")).status).toBe(200);
});

const post = (body: string, length = body.length) =>
  `POST /session HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
const answerOn = (socket: Socket) =>
  new Promise<string>((resolve) => socket.resume().once("data", (chunk) => resolve(String(chunk))));

test("a body takes no slot while it is on its way, however many are", async () => {
  const { page } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_REQUESTS: "2" }, page);
  const late = Array.from({ length: 9 }, () => deaf(post("{", 2)));
  // The server has read what came before.
  for (let i = 0; i < 3; i++) expect((await ask("/session")).status).toBe(200);
  for (const socket of late) {
    const answer = answerOn(socket);
    socket.write("}");
    expect(await answer).toContain("invalid_body");
  }
});

test("a body whose sender goes leaves its place to another, and no error in the log", async () => {
  const { page } = somePages();
  const { deaf, ask, logged } = await serve({}, page);
  for (let i = 0; i < MAX_BODIES; i++) {
    const socket = deaf(post("{", 2));
    await ask("/session");
    socket.destroy();
    await closed(socket);
  }
  expect((await ask("/session")).status).toBe(200);
  expect(logged).toEqual([]);
  const last = deaf(post("{", 2));
  await ask("/session");
  last.write("}");
  expect(await answerOn(last)).toContain("invalid_body");
});

test("one client has half of the bodies on their way; what has come with its head is always taken", async () => {
  const { page } = somePages();
  const { deaf, ask } = await serve({}, page);
  const late = Array.from({ length: MAX_BODIES + 1 }, () => deaf(post("{", 2)));
  const refused = await Promise.all(late.slice(MAX_BODIES / 2).map(answerOn));
  expect(new Set(refused.map((answer) => answer.slice(9, 12)))).toEqual(new Set(["503"]));
  expect(await answerOn(deaf(post("{}")))).toContain("invalid_body");
  expect((await ask("/session")).status).toBe(200);
});

test("pages have a queue of their own, for which nothing else waits", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_PAGES: "2" }, page);
  deaf(get("/docs/1") + get("/docs/2"));
  await until(2);
  for (const refused of await Promise.all(
    ["/", "/docs", "/blocks/x", "/addresses/x/opengraph-image"].map(ask),
  )) {
    expect(refused.status).toBe(503);
    expect(refused.text).toContain("The server is busy");
  }
  for (const [path, status] of [
    ["/v0/x", 404],
    ["/status", 401],
    ["/session", 200],
    ["/openapi.json", 200],
    ["/healthz", 200],
  ] as const) {
    expect([path, (await ask(path)).status]).toEqual([path, status]);
  }
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

test("a response that is not read in time is cut, and its slot is free", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_REQUESTS: "1" }, page);
  const reader = deaf(get("/docs/never"));
  await until(1);
  expect((await ask("/blocks/x")).status).toBe(503);
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + MAX_EXCHANGE_MS);
  await closed(reader);
  expect((await ask("/blocks/x")).status).toBe(200);
});

test("pages that are compiled first may take longer, and are cut in their own time", async () => {
  const { page, until } = somePages();
  const { ask, deaf } = await serve({ MAX_CONCURRENT_REQUESTS: "1" }, page, { pageMs: 3 * MAX_EXCHANGE_MS });
  const reader = deaf(get("/docs/never"));
  await until(1);
  const now = performance.now();
  const clock = vi.spyOn(performance, "now").mockReturnValue(now + 2 * MAX_EXCHANGE_MS);
  await vi.waitFor(() => expect(clock.mock.calls.length).toBeGreaterThan(3), EVENT_TIMEOUT);
  expect((await ask("/blocks/x")).status).toBe(503);
  clock.mockReturnValue(now + 3 * MAX_EXCHANGE_MS);
  await closed(reader);
  const never = new Framework(() => new Promise(() => {}), { pageMs: 1 });
  await expect(never.render("GET", "/", {})).rejects.toThrow("aborted");
});

test("a stream holds no slot, and is cut once its reader has taken no piece for too long", async () => {
  const { admission, queue } = gate({ MAX_CONCURRENT_REQUESTS: "1" });
  // Whole, so that no difference is rounded.
  const began = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, "now").mockReturnValue(began);
  const open = new Map<string, Exchange>();
  const server = createHttpServer(async (request, response) => {
    const exchange = admission.begin(request, response)!;
    await admission.admit(exchange, queue, async () => {});
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
  // Every check for overdue responses reads the clock.
  const swept = () => {
    clock.mockClear();
    return vi.waitFor(() => expect(clock).toHaveBeenCalled(), EVENT_TIMEOUT);
  };
  admission.watch(server);
  const { deaf } = await listen(server);
  const idle = deaf(get("/")).resume();
  deaf(get("/much"));
  await vi.waitFor(() => expect(open.size).toBe(2), EVENT_TIMEOUT);
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
  const reader = deaf(get("/blocks/big"));
  await until(1);
  expect((await ask("/blocks/x")).status).toBe(503);
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now + 5_000);
  expect((await ask("/blocks/x")).status).toBe(200);
  await closed(reader);
});

test("unread responses have limited bytes together, and beyond that the oldest are cut", async () => {
  const bytes = MAX_UNREAD_BYTES / 2;
  const { admission, queue } = gate();
  const server = createHttpServer(async (request, response) => {
    const exchange = admission.begin(request, response)!;
    try {
      await admission.admit(exchange, queue, async () => {});
      admission.hold(exchange, bytes);
      response.end(Buffer.alloc(bytes));
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
  expect((await ask("/")).text.length).toBe(bytes);
  await closed(reader);
  expect((await ask("/")).status).toBe(200);
});

test("a connection more than the limit is closed", async () => {
  const { page, until } = somePages();
  const { deaf } = await serve({ MAX_CONNECTIONS: "2", MAX_CONCURRENT_PAGES: "9" }, page);
  const first = deaf(get("/docs/1"));
  deaf(get("/docs/2"));
  await until(2);
  await closed(deaf(get("/docs/3")));
  first.destroy();
  await vi.waitFor(async () => {
    deaf(get("/docs/4"));
    await Promise.race([until(3), new Promise((_, reject) => setTimeout(reject, 200, "no place yet"))]);
  }, EVENT_TIMEOUT);
});

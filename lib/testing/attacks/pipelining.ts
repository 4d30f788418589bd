/**
 * `npm run build && npm run attack -- pipelining`: 20 connections send 300 requests each without waiting, for `/docs`,
 * pages and lists of 1,000 outputs. Health checks must answer within a second, and memory must stay bounded.
 */
import { healthDelay, report, type ServedApp, serveApp } from "./served-app.ts";

const CONNECTIONS = 20;
const REQUESTS = 300;
/** A closed connection is opened again after this time. */
const REOPEN_MS = 250;
const SECONDS = 10;
const MAX_DELAY_MS = 1000;
const MAX_MEMORY_MB = 600;
/** Timeout of a health check. */
const TIMEOUT_MS = 30_000;

/** Keeps the connections busy until the time is over; returns the longest waits for health checks. */
async function attack(app: ServedApp, path: string, headers: string): Promise<number> {
  const requests = `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`.repeat(REQUESTS);
  let isOver = false;
  const flood = () => {
    const socket = app.connect();
    socket.write(requests);
    socket.resume();
    socket.once("close", () => !isOver && setTimeout(flood, REOPEN_MS));
    const end = setTimeout(() => socket.destroy(), TIMEOUT_MS + SECONDS * 1000);
    socket.once("close", () => clearTimeout(end));
    sockets.add(socket);
  };
  const sockets = new Set<ReturnType<ServedApp["connect"]>>();
  for (let i = 0; i < CONNECTIONS; i++) flood();
  let slowest = 0;
  const end = performance.now() + SECONDS * 1000;
  while (performance.now() < end) {
    for (const check of ["/healthz", "/readyz"]) {
      slowest = Math.max(slowest, await healthDelay(app, check, TIMEOUT_MS));
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  isOver = true;
  for (const socket of sockets) socket.destroy();
  return slowest;
}

interface Target {
  what: string;
  path(app: ServedApp): string;
  signedIn: boolean;
}

const targets: Target[] = [
  { what: "/docs without a token", path: () => "/docs", signedIn: false },
  { what: "an address's page", path: ({ notable }) => `/addresses/${notable.busyAddress}`, signedIn: true },
  {
    what: "1,000 outputs",
    path: ({ notable }) => `/v0/addresses/${notable.busyAddress}/utxos?pageSize=1000`,
    signedIn: true,
  },
];

for (const { what, path, signedIn } of targets) {
  const app = await serveApp({ LOG_LEVEL: "silent" });
  const before = app.memory();
  const delay = await attack(app, path(app), signedIn ? `Cookie: aqs_session=${app.token}\r\n` : "");
  report([
    [`${what}: slowest health check`, `${delay} ms`, delay <= MAX_DELAY_MS],
    [
      `${what}: memory before, at most`,
      `${before} MB, ${app.peakMemory()} MB`,
      app.peakMemory() < MAX_MEMORY_MB,
    ],
  ]);
  await app.stop();
}

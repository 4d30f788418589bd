/**
 * `npm run build && npm run attack -- idle-streams [STREAMS]`: one token holder opens 10,000 streams of events. The
 * process may take at most 250 MB for them, and health checks must answer within a second.
 */
import { once } from "node:events";
import { healthDelay, report, serveApp } from "./served-app.ts";

const STREAMS = Number(process.argv[2] ?? 10_000);
const AT_ONCE = 100;
const MAX_MEMORY_MB = 250;
const MAX_DELAY_MS = 1_000;
const TIMEOUT_MS = 30_000;
/** Time for two heartbeats and a check of the tokens. */
const KEPT_MS = 40_000;

const app = await serveApp({
  LOG_LEVEL: "silent",
  MAX_CONNECTIONS: String(STREAMS + 100),
  MAX_EVENT_STREAMS: String(STREAMS),
  MAX_EVENT_STREAMS_PER_TOKEN: String(STREAMS),
});
const request = `GET /v0/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.token}\r\n\r\n`;
let open = 0;
let closed = 0;
let beats = 0;

async function openStream(): Promise<void> {
  const socket = app.connect();
  const started = Promise.withResolvers<void>();
  socket.setEncoding("latin1");
  socket.on("data", (text: string) => {
    if (text.includes("event: start")) started.resolve();
    if (text.includes(":\n\n")) beats++;
  });
  socket.once("close", () => {
    closed++;
    started.resolve();
  });
  await once(socket, "connect");
  socket.write(request);
  await started.promise;
  open++;
}

await healthDelay(app, "/healthz", TIMEOUT_MS);
const before = app.memory();
let slowest = 0;
while (open < STREAMS) {
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, STREAMS - open) }, openStream));
  slowest = Math.max(slowest, await healthDelay(app, "/healthz", TIMEOUT_MS));
}
const opened = app.memory();
for (const end = performance.now() + KEPT_MS; performance.now() < end; ) {
  slowest = Math.max(slowest, await healthDelay(app, "/healthz", TIMEOUT_MS));
  await new Promise((resolve) => setTimeout(resolve, 200));
}
const kept = app.memory();
report([
  ["streams open, closed by the server", `${open}, ${closed}`, closed === 0],
  ["comments received", beats, beats >= 2 * STREAMS],
  [
    "memory before, with all streams open, after they were kept",
    `${before} MB, ${opened} MB, ${kept} MB`,
    kept - before < MAX_MEMORY_MB,
  ],
  ["slowest health check", `${slowest} ms`, slowest < MAX_DELAY_MS],
]);
await app.stop();
process.exit();

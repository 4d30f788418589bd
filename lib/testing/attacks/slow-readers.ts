/**
 * `npm run build && npm run attack -- slow-readers`: 400 connections ask for 1,000 outputs twice and read nothing.
 * Responses must not pile up in memory, health checks must respond within a second, and the readers must be cut. Another
 * reader must get a response after half a minute.
 */
import { healthDelay, report, serveApp } from "./served-app.ts";

const CONNECTIONS = 400;
const SECONDS = 40;
const MAX_DELAY_MS = 1000;
const MAX_MEMORY_MB = 500;
const TIMEOUT_MS = 30_000;

const app = await serveApp({ LOG_LEVEL: "silent" });
const path = `/v0/addresses/${app.notable.busyAddress}/utxos?pageSize=1000`;
const request = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${app.token}\r\n\r\n`;
const before = app.memory();
let cut = 0;
const sockets = Array.from({ length: CONNECTIONS }, () => {
  const socket = app.connect();
  socket.pause();
  socket.once("close", () => cut++);
  // A client that does not read learns only by writing that the server closed the connection.
  for (const left of [4, 2]) setTimeout(() => socket.write("\r\n"), (SECONDS - left) * 1000);
  socket.write(request.repeat(2));
  return socket;
});

let slowest = 0;
let unanswered = 0;
const start = performance.now();
let answeredAt: number | null = null;
while (performance.now() - start < SECONDS * 1000) {
  slowest = Math.max(slowest, await healthDelay(app, "/healthz", TIMEOUT_MS));
  const response = await fetch(`${app.origin}/v0/blocks/tip/asset-changes`, {
    headers: { Authorization: `Bearer ${app.token}` },
  });
  await response.text();
  if (response.status === 503) unanswered++;
  else answeredAt = Math.round(performance.now() - start);
  await new Promise((resolve) => setTimeout(resolve, 200));
}
report([
  ["slowest health check", `${slowest} ms`, slowest <= MAX_DELAY_MS],
  ["memory before, at most", `${before} MB, ${app.peakMemory()} MB`, app.peakMemory() < MAX_MEMORY_MB],
  [
    "requests of another reader refused, last one answered after",
    `${unanswered}, ${answeredAt} ms`,
    answeredAt !== null && answeredAt > 30_000,
  ],
  ["connections cut", `${cut} of ${CONNECTIONS}`, cut === CONNECTIONS],
]);
for (const socket of sockets) socket.destroy();
await app.stop();

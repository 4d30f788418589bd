/**
 * `npm run build && npm run attack -- restarts`: restarts two servers behind `deploy/nginx.conf` in turn, ten times,
 * while clients send requests without a pause. No request may fail, and each server must exit with 0, the last one in
 * spite of a silent connection.
 */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { freePort } from "#lib/util/free-port.ts";
import { quantile } from "./drill.ts";
import { startNginx } from "./proxy.ts";
import { demoDatabase, report, startServer } from "./served-app.ts";

const RESTARTS = 10;
const CLIENTS = 4;
/** Characters of nginx's log that are printed if requests failed. */
const MAX_LOG = 4_000;
/** Between two restarts, in milliseconds. */
const BETWEEN_MS = 1_000;

const folder = mkdtempSync(join(tmpdir(), "aqs-restarts-"));
const database = await demoDatabase();
const ports: [number, number] = [await freePort(), await freePort()];
const proxyPort = await freePort();
const start = (port: number) => startServer(database.url, { PORT: String(port), LOG_LEVEL: "warn" });
const servers = [await start(ports[0]), await start(ports[1])];
const stopNginx = await startNginx(folder, proxyPort, ports, 100_000);
await setTimeout(500);

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
const paths = [
  `/v0/addresses/${database.notable.busyAddress}/utxos`,
  "/v0/blocks/tip/asset-changes",
  "/healthz",
  "/docs",
];
let answered = 0;
const failures: string[] = [];
const waits: number[] = [];
let isOver = false;

async function client(offset: number): Promise<void> {
  for (let i = offset; !isOver; i++) {
    const path = paths[i % paths.length]!;
    const began = performance.now();
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = {
          Authorization: `Bearer ${database.token}`,
          Cookie: `aqs_session=${database.token}`,
        };
        get({ port: proxyPort, host: "127.0.0.1", path, agent, headers }, resolve).on("error", reject);
      });
      await text(response);
      if (response.statusCode === 200) answered++;
      else failures.push(`${path}: status ${response.statusCode}`);
    } catch (error) {
      failures.push(`${path}: ${error}`);
    }
    waits.push(performance.now() - began);
  }
}

const clients = Array.from({ length: CLIENTS }, (_, i) => client(i));
const codes: (number | null)[] = [];
const durations: number[] = [];
for (let i = 0; i < RESTARTS; i++) {
  await setTimeout(BETWEEN_MS);
  const at = i % 2;
  const silent = i === RESTARTS - 1 ? servers[at]!.connect() : null;
  if (silent) await once(silent, "connect");
  const began = performance.now();
  codes.push(await servers[at]!.stop("SIGTERM"));
  durations.push(Math.round(performance.now() - began));
  silent?.destroy();
  servers[at] = await start(ports[at]!);
}
await setTimeout(BETWEEN_MS);
isOver = true;
await Promise.all(clients);
agent.destroy();

for (const failure of failures.slice(0, 10)) console.log(failure);
if (failures.length > 0) {
  const lines = readFileSync(join(folder, "error.log"), "utf8").split("\n");
  // A server that restarts refuses connections, as expected.
  const others = lines.filter((line) => !line.includes("111: Connection refused"));
  console.log(others.join("\n").slice(0, MAX_LOG));
}
report([
  ["requests answered with 200, failed", `${answered}, ${failures.length}`, failures.length === 0],
  ["exit codes", codes.join(" "), codes.every((code) => code === 0)],
  ["milliseconds to stop; the last one with a silent connection", durations.join(" "), true],
  [
    "milliseconds for a request: median, 99 %, slowest",
    [0.5, 0.99, 1].map((part) => Math.round(quantile(waits, part))).join(" "),
    true,
  ],
]);
for (const server of servers) await server.stop();
await stopNginx();
database.remove();
rmSync(folder, { recursive: true, force: true });

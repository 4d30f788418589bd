/**
 * `npm run build && npm run attack -- overload [SECONDS]`: 2,000 connections request lists without a pause, each
 * a different one. The server must refuse excess requests with 503, pass health checks, and stay small.
 *
 * It needs `wrk` (Debian's package), which takes half of the processor. Times are printed; only the checks fail the
 * script.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "#lib/util/free-port.ts";
import { quantile } from "./drill.ts";
import { healthDelay, report, type ServedApp, serveApp } from "./served-app.ts";

const CONNECTIONS = 2_000;
const MAX_SECONDS = 600;
/** A health check that takes longer has failed. The server cuts responses after the same time. */
const HEALTH_LIMIT_MS = 30_000;
const HEALTH_EVERY_MS = 250;
/** The aim for memory, in MB. */
const MAX_MB = 512;
/** The aims for times, in milliseconds. */
const AIM_MS = 250;

const seconds = Number(process.argv[2] ?? 60);
if (!(seconds >= 5 && seconds <= MAX_SECONDS)) throw new Error(`Seconds: 5 to ${MAX_SECONDS}`);

const metricsPort = await freePort();
const app = await serveApp({ METRICS_PORT: String(metricsPort), LOG_LEVEL: "error" });
const folder = mkdtempSync(join(tmpdir(), "aqs-overload-"));
const script = join(folder, "lists.lua");
writeFileSync(
  script,
  `local sizes = 0
   request = function()
     sizes = (sizes + 1) % 901
     return wrk.format("GET", "/v0/addresses/${app.notable.busyAddress}/utxos?order=desc&pageSize=" .. (100 + sizes))
   end`,
);

/** Durations of consecutive requests, in milliseconds. */
async function latencies({ origin, token, notable }: ServedApp, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const began = performance.now();
    const answer = await fetch(`${origin}/v0/addresses/${notable.busyAddress}/utxos?pageSize=${200 + i}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await answer.text();
    times.push(answer.status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY);
  }
  return times;
}

async function readMetrics(): Promise<string> {
  const url = `http://127.0.0.1:${metricsPort}/metrics`;
  return (await fetch(url, { headers: { connection: "close" } })).text();
}

/** Counts of list requests by status, and of successful ones within the aim. */
async function counts(): Promise<{ served: number; refused: number; withinAim: number }> {
  const text = await readMetrics();
  const value = (name: string, ...labels: string[]) => {
    const line = text
      .split("\n")
      .find((each) => each.startsWith(`${name}{`) && labels.every((label) => each.includes(label)));
    return Number(line?.split(" ").at(-1) ?? 0);
  };
  const name = "aqs_request_duration_seconds";
  const route = 'route="addressUtxos"';
  return {
    served: value(`${name}_count`, route, 'status="200"'),
    refused: value(`${name}_count`, route, 'status="503"'),
    withinAim: value(`${name}_bucket`, route, 'status="200"', `le="${AIM_MS / 1000}"`),
  };
}

await latencies(app, 20);
const before = await latencies(app, 50);
const start = await counts();

const words = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--latency", "--timeout", "10s", "-s", script];
let isOver = false;
const driven = promisify(execFile)("wrk", [...words, "-H", `Authorization: Bearer ${app.token}`, app.origin]);
const over = driven.finally(() => {
  isOver = true;
});
/** Checks health on a port until the driver ends. */
async function probe(port: number): Promise<number[]> {
  const delays: number[] = [];
  const origin = `http://127.0.0.1:${port}`;
  while (!isOver) {
    delays.push(await healthDelay({ origin }, "/healthz", HEALTH_LIMIT_MS));
    await setTimeout(HEALTH_EVERY_MS);
  }
  return delays;
}
/** The process's memory figures at their peak, in MB. */
let largest: Record<string, number> = { process_resident_memory_bytes: 0 };
async function weigh(): Promise<void> {
  while (!isOver) {
    const names = [
      "process_resident_memory_bytes",
      "nodejs_heap_size_total_bytes",
      "nodejs_heap_size_used_bytes",
      "nodejs_external_memory_bytes",
      "aqs_unread_bytes",
      "aqs_cached_response_bytes",
    ];
    const text = await readMetrics();
    const now = Object.fromEntries(
      names.map((name) => [
        name,
        Math.round(Number(new RegExp(`^${name} (\\S+)`, "m").exec(text)?.[1] ?? 0) / 1e6),
      ]),
    );
    if (now[names[0]!]! > largest[names[0]!]!) largest = now;
    await setTimeout(1_000);
  }
}
const [health, publicHealth] = await Promise.all([probe(metricsPort), probe(app.port), weigh()]);
const { stdout } = await over;
const end = await counts();
await setTimeout(1_000);
const after = await latencies(app, 50);

console.log(stdout);
const served = end.served - start.served;
const refused = end.refused - start.refused;
const median = (times: number[]) => quantile(times, 0.5).toFixed(1);
report([
  ["answered with 200, refused with 503", `${served}, ${refused}`, served > 0 && refused > 0],
  [
    `of the answered ones, sent within ${AIM_MS} ms (aim: 99 %)`,
    `${((100 * (end.withinAim - start.withinAim)) / served).toFixed(1)} %`,
    true,
  ],
  [
    "milliseconds of health checks on METRICS_PORT: median, 99 %, slowest",
    [0.5, 0.99, 1].map((part) => quantile(health, part)).join(" "),
    health.every((delay) => delay < HEALTH_LIMIT_MS),
  ],
  [
    "the same on PORT, by new connections",
    [0.5, 0.99, 1].map((part) => quantile(publicHealth, part)).join(" "),
    true,
  ],
  ["peak memory, MB", app.peakMemory(), app.peakMemory() < MAX_MB],
  ["of it, MB", JSON.stringify(largest), true],
  [
    "median milliseconds of a request before, and a second afterwards",
    `${median(before)}, ${median(after)}`,
    after.every(Number.isFinite),
  ],
]);
await app.stop();
rmSync(folder, { recursive: true, force: true });

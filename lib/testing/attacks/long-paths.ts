/**
 * `npm run build && npm run attack -- long-paths [REQUESTS]`: a stranger asks for 20,000 different paths of 2 KB that
 * do not exist. The server's memory must stay flat.
 */
import { Agent, request } from "node:http";
import { report, serveApp } from "./served-app.ts";

const REQUESTS = Number(process.argv[2] ?? 20_000);
const CLIENTS = 4;
/** Number of requests before memory must stay flat. */
const WARM_UP = Math.round(REQUESTS / 10);
const MAX_GROWTH_MB = 100;
const MINUTES = 8;
const shapes = [
  "/*",
  "/*/a",
  "/_next/static/*.js",
  "/_next/*",
  "/blocks/*",
  "/addresses/*",
  "/docs/*",
  "/asset-icons/*",
];

const app = await serveApp({ LOG_LEVEL: "silent" });
const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
const statuses = new Map<number, number>();

function ask(number: number): Promise<void> {
  const path = shapes[number % shapes.length]!.replace("*", `${number}-${"x".repeat(2000)}`);
  return new Promise((resolve, reject) => {
    request({ port: app.port, path, agent }, (response) => {
      statuses.set(response.statusCode!, (statuses.get(response.statusCode!) ?? 0) + 1);
      response.resume().once("end", resolve);
    })
      .once("error", reject)
      .end();
  });
}

const end = performance.now() + MINUTES * 60_000;
let sent = 0;
let before = 0;
await Promise.all(
  Array.from({ length: CLIENTS }, async () => {
    while (sent < REQUESTS && performance.now() < end) {
      const number = sent++;
      await ask(number);
      if (number === WARM_UP) before = app.memory();
      if (number % 10_000 === 0) console.log(`${number} requests: ${app.memory()} MB`);
    }
  }),
);
const after = app.memory();
report([
  [
    "requests answered",
    `${sent}: ${[...statuses].map(([status, count]) => `${count} with ${status}`).join(", ")}`,
    true,
  ],
  [
    "memory after the first tenth, and at the end",
    `${before} MB, ${after} MB`,
    after - before < MAX_GROWTH_MB,
  ],
]);
agent.destroy();
await app.stop();

/**
 * `npm run build && npm run attack -- together [--seconds 60] [--only docs,status] [--without lines,events]`: runs all
 * attacks of the table below at once. Meanwhile it checks health on both ports, each time on a new connection, and
 * requests lists and pages as another token holder. With `--each` the parts run one after another. With
 * `--postgres` the database is a temporary PostgreSQL server.
 *
 * It runs `wrk` (Debian's package) and `crowd.ts` at the lowest priority, so that the server has the processor.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { issueToken } from "#lib/api/access-tokens.ts";
import { blockHashAt, chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { startPostgres } from "#lib/testing/postgres.ts";
import { freePort } from "#lib/util/free-port.ts";
import type { Crowd } from "./crowd.ts";
import { storeCrowded } from "./crowded.ts";
import { quantile } from "./drill.ts";
import { demoDatabase, report, startServer } from "./served-app.ts";

/** The aims: in milliseconds for 99 of 100 health checks and for all, and in MB. */
const HEALTH_MS = 250;
const SLOWEST_HEALTH_MS = 1_000;
const MAX_MB = 512;
/** Intervals of health checks and of the other token holder's requests, in milliseconds. Nothing waits for a response. */
const HEALTH_EVERY_MS = 100;
const CALL_EVERY_MS = 250;
const PAGE_EVERY_MS = 1_000;
/** Requests that take longer have failed. In milliseconds. */
const TIMEOUT_MS = 30_000;
/** Streams of events that one token may have. */
const STREAMS_PER_TOKEN = 100;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    only: { type: "string" },
    without: { type: "string", default: "" },
    each: { type: "boolean", default: false },
    postgres: { type: "boolean", default: false },
  },
});

const postgres = values.postgres ? startPostgres() : null;
const database = await demoDatabase(postgres?.url("postgres"));
const { notable } = database;
const store = await openStore(database.url);
const options = { name: "attack", scopes: [], expiresAt: null, now: Date.now() };
const issue = async () => (await issueToken(store, options)).token;
const [lister, reader, slowReader, digger] = [await issue(), await issue(), await issue(), await issue()];
const followers = await Promise.all(Array.from({ length: 10 }, issue));
const tip = (await store.query(chainTip))!;
const first = (await store.query(blockHashAt, 0))!;
const { addresses, rare, held, heights } = await storeCrowded(store);
await store.close();

const metricsPort = await freePort();
const server = await startServer(database.url, {
  METRICS_PORT: String(metricsPort),
  LOG_LEVEL: "error",
  // All parts together need more than the default.
  MAX_CONNECTIONS: "8000",
});
const folder = mkdtempSync(join(tmpdir(), "aqs-together-"));
const list = `/v0/addresses/${notable.busyAddress}/utxos`;

/** The program of a part, and its arguments. */
type Driver = [program: string, ...words: string[]];

const wrk = (connections: number, path: string, ...words: string[]): Driver => [
  "wrk",
  "-t1",
  `-c${connections}`,
  `-d${values.seconds}s`,
  "--timeout=30s",
  ...words,
  `${server.origin}${path}`,
];

/** Requests different paths, so that no response is cached. `path` is a Lua expression with the request's number, `n`. */
function wrkOfMany(connections: number, name: string, path: string, ...words: string[]): Driver {
  const script = join(folder, `${name}.lua`);
  writeFileSync(script, `local n = 0\nrequest = function() n = n + 1 return wrk.format("GET", ${path}) end`);
  return wrk(connections, "/", "-s", script, ...words);
}

const crowd = (connections: number, request: string, of: Partial<Crowd> = {}): Driver => [
  process.execPath,
  fileURLToPath(new URL("crowd.ts", import.meta.url)),
  JSON.stringify({ port: server.port, connections, request, bytesASecond: null, end: null, ...of }),
];

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, "Host: a", ...headers, "", ""].join("\r\n");
const bearer = (token: string) => `Authorization: Bearer ${token}`;
const lines = (token: string) => get(list, bearer(token), "Accept: application/x-ndjson");
/** Long responses about the blocks of `crowded.ts`. Each request has a different page size. */
const dig = (name: string, path: string, most = 1_000) =>
  wrkOfMany(8, name, `"${path}pageSize=" .. (${most} - n % ${most})`, "-H", bearer(digger));
const slowBody =
  "POST /session HTTP/1.1\r\nHost: a\r\nOrigin: http://a\r\nContent-Type: application/json\r\nContent-Length: 8000\r\n\r\n{";

const parts: Record<string, Driver[]> = {
  session: [wrk(50, "/session")],
  status: [wrk(400, "/status")],
  docs: [wrk(400, "/docs")],
  "sign-in": [wrkOfMany(100, "sign-in", '"/sign-in?next=/blocks/" .. n')],
  pictures: [wrkOfMany(50, "pictures", `"/addresses/${notable.busyAddress}/opengraph-image?" .. n`)],
  slashes: [wrk(50, "/status%2f"), wrk(50, "/%2f")],
  bodies: [crowd(1_000, slowBody)],
  lists: [
    wrkOfMany(2_000, "lists", `"${list}?order=desc&pageSize=" .. (100 + n % 901)`, "-H", bearer(lister)),
  ],
  lines: [crowd(100, lines(reader), { end: "\r\n0\r\n\r\n" })],
  "slow-lines": [crowd(64, lines(slowReader), { bytesASecond: 16_384 })],
  events: followers.map((token) =>
    crowd(STREAMS_PER_TOKEN, get("/v0/events", bearer(token), `Last-Event-ID: 0-${first}`), {
      end: `id: ${tip.height}-${tip.hash}`,
    }),
  ),
  "rare-changes": [dig("rare-changes", `/v0/addresses/${addresses.many}/changes?token=${rare}&`)],
  "giant-changes": [dig("giant-changes", `/v0/addresses/${addresses.giant}/changes?token=${rare}&`)],
  "first-changes": [dig("first-changes", `/v0/addresses/${addresses.giant}/changes?`, 10)],
  statements: [dig("statements", `/v0/addresses/${addresses.many}/statement?value=usd&`)],
  holdings: [
    dig("holdings", `/v0/addresses/${addresses.many}/holdings?at=${heights.past}&`),
    dig("giant-holdings", `/v0/addresses/${addresses.giant}/holdings?at=${heights.past}&`),
  ],
  "past-lists": [
    dig("past-lists", `/v0/addresses/${addresses.many}/utxos?at=${heights.past}&token=${rare}&`),
  ],
  collector: [dig("collector", `/v0/addresses/${addresses.collector}/holdings?`)],
  holders: [dig("holders", `/v0/assets/${held}/holders?`)],
  assets: [
    dig("assets", `/v0/blocks/${heights.assets}/asset-changes?orderKey=volume&`, 100),
    dig("ranges", `/v0/asset-changes?from=${heights.before}&orderKey=volume&`, 100),
  ],
};

const without = values.without.split(",");
const chosen = (values.only?.split(",") ?? Object.keys(parts)).filter((name) => !without.includes(name));
for (const name of [...chosen, ...without]) {
  if (name !== "" && !parts[name]) throw new Error(`Parts are ${Object.keys(parts).join(", ")}`);
}

interface Answered {
  status: number;
  milliseconds: number;
}

/** Uses a new connection. Status 0 means no response, or none in time. */
function ask(port: number, path: string, headers: Record<string, string> = {}): Promise<Answered> {
  const began = performance.now();
  const answered = Promise.withResolvers<Answered>();
  const end = (status: number) => answered.resolve({ status, milliseconds: performance.now() - began });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = request({ port, host: "127.0.0.1", path, headers, agent: false, signal }, (response) => {
    response.resume().once("end", () => end(response.statusCode!));
  });
  sent.once("error", () => end(0)).end();
  return answered.promise;
}

/** Sends requests at fixed times until the attack is over, however long the responses take. */
async function repeat(
  everyMs: number,
  over: AbortSignal,
  once: (turn: number) => Promise<Answered>,
): Promise<Answered[]> {
  const asked: Promise<Answered>[] = [];
  while (!over.aborted) {
    asked.push(once(asked.length));
    await setTimeout(everyMs);
  }
  return Promise.all(asked);
}

const own = { authorization: `Bearer ${database.token}` };
const session = { cookie: `aqs_session=${database.token}` };
const calls = [`${list}?pageSize=100`, "/v0/blocks/tip/asset-changes"];
const pages = ["/docs", `/blocks/${notable.busyBlockHash}`, "/"];
const call = (turn: number) => ask(server.port, calls[turn % calls.length]!, own);
// Warms up the server before the attack, so that it knows its readers.
for (let turn = 0; turn < 20; turn++) await call(turn);
for (const page of pages) await ask(server.port, page, session);

const times = (answers: Answered[]) => answers.map(({ milliseconds }) => milliseconds);
const figures = (answers: Answered[]) =>
  [0.5, 0.99, 1].map((part) => Math.round(quantile(times(answers), part))).join(" ");
const answered = (answers: Answered[]) => answers.filter(({ status }) => status === 200);
const healthy = (answers: Answered[]) =>
  answered(answers).length === answers.length &&
  quantile(times(answers), 0.99) <= HEALTH_MS &&
  Math.max(...times(answers)) <= SLOWEST_HEALTH_MS;
const share = (answers: Answered[]) =>
  `${answered(answers).length} of ${answers.length}, ${figures(answered(answers))} ms`;
/** Runs these parts at once, and prints what they and the others get. Returns the lines of the report. */
async function attack(names: string[]): Promise<Parameters<typeof report>[0]> {
  const drivers = names.flatMap((name) =>
    parts[name]!.map(([program, ...words]) => {
      const driver = spawn("nice", ["-n19", program, ...words], { stdio: ["pipe", "pipe", "inherit"] });
      return { name, driver, output: text(driver.stdout) };
    }),
  );
  process.once("exit", () => {
    for (const { driver } of drivers) driver.kill();
  });
  const over = AbortSignal.timeout(Number(values.seconds) * 1_000);
  const [onPort, onMetricsPort, called, viewed] = await Promise.all([
    repeat(HEALTH_EVERY_MS, over, () => ask(server.port, "/healthz")),
    repeat(HEALTH_EVERY_MS, over, () => ask(metricsPort, "/healthz")),
    repeat(CALL_EVERY_MS, over, call),
    repeat(PAGE_EVERY_MS, over, (turn) => ask(server.port, pages[turn % pages.length]!, session)),
  ]);
  for (const { driver } of drivers) driver.stdin.end();
  for (const { name, output } of drivers) {
    const said = /\d+ requests in.*|Non-2xx.*|Socket errors.*|\d+ connections opened.*/g;
    console.log(`${name}: ${(await output).match(said)?.join("; ")}`);
  }

  return [
    ["health on PORT: median, 99 %, slowest", `${figures(onPort)} ms`, healthy(onPort)],
    ["health on METRICS_PORT", `${figures(onMetricsPort)} ms`, healthy(onMetricsPort)],
    ["calls of another token answered", share(called), answered(called).length === called.length],
    ["its pages shown (no aim)", share(viewed), true],
    ["peak memory", `${server.peakMemory()} MB`, server.peakMemory() < MAX_MB],
  ];
}

const rows: Parameters<typeof report>[0] = [];
for (const names of values.each ? chosen.map((name) => [name]) : [chosen]) {
  const of = values.each ? `${names[0]}: ` : "";
  for (const [what, ...rest] of await attack(names)) rows.push([of + what, ...rest]);
}
report(rows);
await server.stop();
rmSync(folder, { recursive: true, force: true });
database.remove();
await postgres?.stop();
process.exit();

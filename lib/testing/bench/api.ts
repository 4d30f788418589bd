/**
 * `npm run bench -- api`: compares the API with a bare `node:http` server that sends a body of the same size, one that
 * writes the same page with `JSON.stringify`, and a plain Fastify service over the same database. `wrk` (Debian's package)
 * sends the requests over loopback.
 *
 * - `--quick`: 200,000 live outputs instead of 5 million, short runs
 * - `--engine sqlite|postgres`, `--outputs 50000`, `--connections 1,16`, `--processes 2` (`WEB_CONCURRENCY`)
 * - `--only TEXT`: the cases whose names contain it, or one of several texts between `|`
 * - `--profile FOLDER`: a CPU profile of each case of ours
 * - `--json FILE`: the file for the figures (`bench-api.json`)
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import pg from "pg";
import { issueToken } from "#lib/api/access-tokens.ts";
import { openStore } from "#lib/store/open.ts";
import { BENCH_SETTINGS, NO_POSTGRES, postgresBinaries, startPostgres } from "#lib/testing/postgres.ts";
import { type Asked, type BenchData, fill, oursOnly, type Size } from "./api-data.ts";
import { type RunningServer, type ServerKind, startServer } from "./api-servers.ts";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    engine: { type: "string" },
    outputs: { type: "string" },
    connections: { type: "string" },
    processes: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    profile: { type: "string" },
    json: { type: "string", default: "bench-api.json" },
  },
});

interface Plan {
  size: Size;
  connections: number[];
  /** Seconds of each run, and runs of each case, of which the median counts. With 0 there is only the warm-up. */
  seconds: number;
  rounds: number;
  /** Pages of the one address that are walked, 1,000 entries each. */
  walked: number;
  /** The cache is too small for any list of pages that are requested in turn. */
  cacheMb: string;
}

const plan: Plan = options.quick
  ? {
      size: { outputs: 200_000, blocks: 2_000, pages: 150, depth: 20_000 },
      connections: [16],
      seconds: 1,
      rounds: 0,
      walked: 40,
      cacheMb: "4",
    }
  : {
      size: { outputs: 5_000_000, blocks: 10_000, pages: 2_000, depth: 500_000 },
      connections: [16],
      seconds: 3,
      rounds: 3,
      walked: 1_000,
      cacheMb: "32",
    };

if (options.connections !== undefined) plan.connections = options.connections.split(",").map(Number);
if (options.outputs !== undefined) {
  const outputs = Number(options.outputs);
  plan.size = {
    outputs,
    blocks: Math.max(1_000, outputs / 500),
    pages: Math.min(2_000, outputs / 1_000),
    depth: outputs / 10,
  };
  // The lists of the smallest database do not fit into the cache either.
  plan.cacheMb = "1";
}
if (options.profile !== undefined && options.processes !== "1") {
  throw new Error("--profile looks into one process: leave --processes out");
}

const print = (text = "") => process.stdout.write(`${text}\n`);

// --- the cases -------------------------------------------------------------------------------------------

interface Case {
  name: string;
  /** Paths that are requested in turn. */
  asked: Asked[];
  /** Text that follows each path. */
  query?: string;
  headers?: Record<string, string>;
  /** Sends no access token. */
  anonymous?: boolean;
  status?: number;
  /** Only our server is measured: for cases that compare with another one of ours, or with none. */
  alone?: boolean;
  /** Its requests fit into the cache. Otherwise the ignored parameter `n` makes each request unique. */
  isCached?: boolean;
  /** A block a second is written meanwhile. */
  growing?: boolean;
  /** The name of an earlier case: by how many times this one takes longer. */
  than?: string;
}

/** Stands for the tag in `If-None-Match` until the first response names it. */
const OWN_ETAG = "its own";

const SHALLOW = "first pages of one address";
const ONE_ENTRY = "1 entry, each another page";
const TRADER = "pages of an address that spent 99 of 100 outputs";
const BLOCK_CHANGES = "changes, each another block";
const LARGE_BLOCK = "changes of 10,000, each another page";

const pagesOf = (path: string): string[] => Array.from({ length: 100 }, (_, i) => `${path}page=${i + 1}&`);
const ourPages = ({ ours }: Asked): Asked[] => pagesOf(ours).map(oursOnly);

function casesOf(data: BenchData): Case[] {
  const { first, large, recent } = data;
  const hundred = "pageSize=100";
  const byVolume = `${hundred}&orderKey=volume`;
  const ours = { alone: true };
  return [
    { name: "first page, the same again", asked: [first], query: hundred },
    { name: "pages of many addresses, each another", asked: data.spread, query: hundred },
    { name: SHALLOW, asked: data.shallow, query: hundred },
    { name: "its deep pages", asked: data.deep, query: hundred },
    { name: TRADER, asked: data.trader, query: hundred, ...ours },
    ...data.asOf.flatMap(({ share, first, deep, newest }) => [
      { name: `its pages as of ${share} of the blocks`, asked: first, query: hundred, than: TRADER, ...ours },
      {
        name: `its deep pages as of ${share} of the blocks`,
        asked: deep,
        query: hundred,
        than: TRADER,
        ...ours,
      },
      {
        name: `its newest pages as of ${share} of the blocks`,
        asked: newest,
        query: hundred,
        than: TRADER,
        ...ours,
      },
    ]),
    { name: "1 entry, many pages in turn", asked: data.spread, query: "pageSize=1", isCached: true },
    { name: ONE_ENTRY, asked: data.spread, query: "pageSize=1", ...ours },
    { name: "one output", asked: data.outputs, than: ONE_ENTRY, ...ours },
    {
      name: "100 outputs of a transaction",
      asked: data.transactions,
      query: hundred,
      than: SHALLOW,
      ...ours,
    },
    { name: "a block by its height", asked: data.named.byHeight, ...ours },
    { name: "by its time", asked: data.named.byTime, than: "a block by its height", ...ours },
    ...data.lists.flatMap(({ list, one, wallet }) => [
      { name: `${list}, of one address`, asked: one, query: hundred, ...ours },
      {
        name: `${list}, of a wallet of 20`,
        asked: wallet,
        query: hundred,
        than: `${list}, of one address`,
        ...ours,
      },
    ]),
    { name: "1,000 entries, each another page", asked: data.deep, query: "pageSize=1000" },
    { name: "1,000 entries, the same again", asked: [first], query: "pageSize=1000", ...ours },
    {
      name: "304",
      asked: [first],
      query: hundred,
      headers: { "If-None-Match": OWN_ETAG },
      status: 304,
      ...ours,
    },
    {
      name: "gzip, the same again",
      asked: [first],
      query: hundred,
      headers: { "Accept-Encoding": "gzip" },
      ...ours,
    },
    {
      name: "brotli, the same again",
      asked: [first],
      query: hundred,
      headers: { "Accept-Encoding": "br" },
      ...ours,
    },
    {
      name: "gzip, each another",
      asked: data.spread,
      query: hundred,
      headers: { "Accept-Encoding": "gzip" },
      ...ours,
    },
    {
      name: "brotli, each another",
      asked: data.spread,
      query: hundred,
      headers: { "Accept-Encoding": "br" },
      ...ours,
    },
    { name: "401", asked: [first], anonymous: true, status: 401, ...ours },
    { name: "400", asked: [first], query: "pageSize=0", status: 400, ...ours },
    { name: "changes, final block, the same again", asked: [large], query: hundred },
    { name: "changes, highest block, the same again", asked: [recent], query: hundred },
    { name: BLOCK_CHANGES, asked: data.blocks, query: hundred },
    {
      name: "changes of a range, as many",
      asked: data.plainRanges,
      query: hundred,
      than: BLOCK_CHANGES,
      ...ours,
    },
    {
      name: LARGE_BLOCK,
      asked: pagesOf(large.ours).map((ours, i) => ({ ours, plain: pagesOf(large.plain)[i]! })),
      query: hundred,
    },
    { name: "the same by volume", asked: ourPages(large), query: byVolume, than: LARGE_BLOCK, ...ours },
    {
      name: "the same by name, each another",
      asked: Array.from({ length: 1000 }, (_, i) => oursOnly(`${large.ours}assetName=token+${i}&`)),
      query: hundred,
      than: LARGE_BLOCK,
      ...ours,
    },
    {
      name: "changes of a range, each another page",
      asked: ourPages(data.ranges[0]!),
      query: hundred,
      than: LARGE_BLOCK,
      ...ours,
    },
    {
      name: "the same range by volume",
      asked: ourPages(data.ranges[0]!),
      query: byVolume,
      than: LARGE_BLOCK,
      ...ours,
    },
    { name: "changes of a range, each another", asked: data.ranges, query: hundred, ...ours },
    {
      name: "changes of a range, by volume, each another",
      asked: data.ranges,
      query: byVolume,
      ...ours,
    },
    { name: "first page, a block a second", asked: [first], query: hundred, growing: true, ...ours },
    {
      name: "pages of many addresses, a block a second",
      asked: data.spread,
      query: hundred,
      growing: true,
      ...ours,
    },
    {
      name: "changes, final block, a block a second",
      asked: [large],
      query: hundred,
      growing: true,
      ...ours,
    },
  ];
}

// --- the driver ------------------------------------------------------------------------------------------

interface Run {
  /** Requests a second. */
  rate: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Microseconds of the server's processor time a request. */
  cpu: number;
  /** Resident memory of the server afterwards, in MB. */
  memory: number;
}

const LUA = `
local paths, requests, count, isCached = {}, {}, 0, false
function init(args)
  isCached = args[2] == "cached"
  -- Those of another run may still be cached.
  count = tonumber(args[3])
  for path in io.lines(args[1]) do
    paths[#paths + 1] = path
    requests[#requests + 1] = wrk.format("GET", path)
  end
end
function request()
  count = count + 1
  local at = count % #requests + 1
  return isCached and requests[at] or wrk.format("GET", paths[at] .. "&n=" .. count)
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('\\n{"requests":%d,"us":%d,"p50":%d,"p99":%d,"failed":%d,"refused":%d}\\n', summary.requests,
    summary.duration, latency:percentile(50), latency:percentile(99), e.connect + e.read + e.write + e.timeout, e.status))
end
`;

/** A server's response to a case was wrong. */
class RefusedError extends Error {}

interface How extends Pick<Case, "isCached"> {
  connections: number;
  seconds: number;
  refused?: boolean;
}

/** Far more than the requests of a run. */
const MAX_REQUESTS = 10_000_000;

/** Requests the paths from one server in turn, repeatedly. */
class Driver {
  readonly #script: string;
  readonly #list: string;
  #runs = 0;

  constructor(folder: string) {
    this.#script = join(folder, "driver.lua");
    this.#list = join(folder, "paths");
    writeFileSync(this.#script, LUA);
  }

  async run(
    server: RunningServer,
    paths: string[],
    headers: Record<string, string>,
    { connections, seconds, isCached, refused = false }: How,
  ): Promise<Run> {
    writeFileSync(this.#list, paths.map((path) => `${path}\n`).join(""));
    const words = ["-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", this.#script];
    for (const [name, value] of Object.entries(headers)) words.push("-H", `${name}: ${value}`);
    const before = server.cpu();
    const mode = isCached || paths.length === 1 ? "cached" : "new";
    const given = [this.#list, mode, `${this.#runs++ * MAX_REQUESTS}`];
    const { stdout } = await promisify(execFile)("wrk", [...words, server.origin, "--", ...given]);
    const cpu = server.cpu() - before;
    const summary = JSON.parse(stdout.trim().split("\n").at(-1)!) as Record<
      "requests" | "us" | "p50" | "p99" | "failed" | "refused",
      number
    >;
    if (summary.failed > 0 || summary.refused > (refused ? summary.requests : 0) || summary.requests === 0) {
      throw new RefusedError(`not all requests were answered as they should be: ${JSON.stringify(summary)}`);
    }
    return {
      rate: (summary.requests / summary.us) * 1e6,
      p50: summary.p50 / 1000,
      p99: summary.p99 / 1000,
      cpu: cpu / summary.requests,
      memory: server.memory(),
    };
  }
}

const median = (runs: Run[]): Run => runs.toSorted((a, b) => a.rate - b.rate)[Math.floor(runs.length / 2)]!;

// --- one engine ------------------------------------------------------------------------------------------

interface Measured {
  case: string;
  connections: number;
  /** Size of the first response in bytes. */
  bytes: number;
  ours: Run;
  /** Those of the servers that it is compared with. */
  others: Record<Exclude<ServerKind, "ours">, Run> | null;
}

interface Report {
  engine: string;
  measured: Measured[];
  /** Cases with a wrong response. If there are any, the benchmark ends with 1. */
  refused: { case: string; connections: number; fault: string }[];
  /** Entries a second of a walk over the one address, 1,000 a page, one page after another. */
  walk: number;
}

type Servers = Record<ServerKind, RunningServer>;

async function measureEngine(
  engine: string,
  url: string,
  folder: string,
  settled: () => Promise<void>,
): Promise<Report> {
  const store = await openStore(url);
  const began = performance.now();
  const { data, grow } = await fill(store, plan.size);
  await settled();
  const { token } = await issueToken(store, { name: "bench", scopes: [], expiresAt: null, now: Date.now() });
  print(`\n${engine}: stored and listed in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const settings = { DATABASE_URL: url, CACHE_MB: plan.cacheMb };
  const servers: Servers = {
    ours: await startServer("ours", { ...settings, WEB_CONCURRENCY: options.processes }),
    bare: await startServer("bare", {}),
    stringify: await startServer("stringify", {}),
    fastify: await startServer("fastify", settings),
  };
  const report: Report = { engine, measured: [], refused: [], walk: 0 };
  const driver = new Driver(folder);
  try {
    printHead();
    for (const connections of plan.connections) {
      for (const each of casesOf(data)) {
        if (!options.only.split("|").some((part) => each.name.includes(part))) continue;
        const stop = each.growing ? growing(grow) : async () => {};
        try {
          const measured = await measureCase(driver, servers, each, token, connections);
          report.measured.push(measured);
          const base = report.measured.find(
            (one) => one.case === each.than && one.connections === connections,
          );
          printLine(measured, base);
          if (options.profile) await profileCase(driver, servers.ours, each, token, options.profile);
        } catch (error) {
          if (!(error instanceof RefusedError)) throw error;
          report.refused.push({ case: each.name, connections, fault: error.message });
          print(`| ${each.name} | ${connections} | refused: ${error.message} |`);
          process.exitCode = 1;
        } finally {
          await stop();
        }
      }
    }
    if (options.only === "") {
      report.walk = await walk(servers.ours, data.first.ours, token);
      print(`\nA walk of ${plan.walked} pages of 1,000: ${Math.round(report.walk)} entries a second.`);
    }
  } finally {
    for (const server of Object.values(servers)) await server.stop();
    await store.close();
  }
  return report;
}

/** The header fields and paths of a case, with values from the response to its first request. */
async function prepare(server: RunningServer, each: Case, token: string) {
  const headers: Record<string, string> = { ...each.headers };
  if (!each.anonymous) headers.Authorization = `Bearer ${token}`;
  const paths = each.asked.map(({ ours }) => ours + (each.query ?? ""));
  if (headers["If-None-Match"] === OWN_ETAG) {
    const { "If-None-Match": _, ...others } = headers;
    headers["If-None-Match"] = (await fetchOnce(server.origin + paths[0], others)).etag;
  }
  const { status, bytes, text } = await fetchOnce(server.origin + paths[0], headers);
  if (status !== (each.status ?? 200)) throw new RefusedError(`the answer is ${status}`);
  return { headers, paths, bytes, text };
}

async function measureCase(
  driver: Driver,
  servers: Servers,
  each: Case,
  token: string,
  connections: number,
): Promise<Measured> {
  const { headers, paths, bytes, text } = await prepare(servers.ours, each, token);
  const refused = (each.status ?? 200) >= 400;
  if (!each.alone) await fetch(servers.stringify.origin, { method: "PUT", body: text });
  const runs: Record<ServerKind, Run[]> = { ours: [], bare: [], stringify: [], fastify: [] };
  const kinds: ServerKind[] = each.alone ? ["ours"] : ["bare", "stringify", "fastify", "ours"];
  const asked = {
    ours: paths,
    bare: [`/${bytes}`],
    stringify: ["/"],
    fastify: each.asked.map(({ plain }) => plain + (each.query ?? "")),
  };
  const run = async (kind: ServerKind, seconds: number) => {
    const how = { connections, seconds, isCached: each.isCached, refused };
    const done = await driver.run(servers[kind], asked[kind], headers, how);
    runs[kind].push(done);
  };
  for (let round = 0; round <= plan.rounds; round++) {
    // The first run of each warms it up, and counts only if it is the only one.
    const seconds = round === 0 ? 1 : plan.seconds;
    for (const kind of kinds) await run(kind, seconds);
  }
  const counted = (kind: ServerKind) => median(plan.rounds === 0 ? runs[kind] : runs[kind].slice(1));
  return {
    case: each.name,
    connections,
    bytes,
    ours: counted("ours"),
    others: each.alone
      ? null
      : { bare: counted("bare"), stringify: counted("stringify"), fastify: counted("fastify") },
  };
}

/** Stores a block a second until the returned function is called. */
function growing(grow: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve();
  const timer = setInterval(() => {
    last = last.then(grow);
  }, 1000);
  return () => {
    clearInterval(timer);
    return last;
  };
}

function fetchOnce(url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; etag: string; bytes: number; text: string }>((resolve, reject) => {
    get(url, { headers, agent }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.once("error", reject);
      response.once("end", () => {
        const body = Buffer.concat(parts);
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, etag: answered.etag ?? "", bytes: body.length, text: body.toString() });
      });
    }).once("error", reject);
  });
}
const agent = new Agent({ keepAlive: true });

/** Entries a second. */
async function walk(server: RunningServer, path: string, token: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  const began = performance.now();
  let entries = 0;
  let cursor = "";
  for (let page = 0; page < plan.walked; page++) {
    const { text } = await fetchOnce(`${server.origin}${path}pageSize=1000&cursor=${cursor}`, headers);
    // Parsing all of it would be measured, too.
    const end = /"hasNext":(\w+),"lastCursor":"([^"]*)"\}$/.exec(text);
    if (!end) throw new Error(`A walk got ${text.slice(0, 200)}`);
    entries += 1000;
    cursor = end[2]!;
    if (end[1] === "false") break;
  }
  return entries / ((performance.now() - began) / 1000);
}

// --- profiles --------------------------------------------------------------------------------------------

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

async function profileCase(
  driver: Driver,
  server: RunningServer,
  each: Case,
  token: string,
  folder: string,
): Promise<void> {
  const { headers, paths } = await prepare(server, each, token);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${each.name.replaceAll(/\W+/g, "-")}.cpuprofile`);
  const stop = await server.profile(file);
  await driver.run(server, paths, headers, {
    connections: 16,
    seconds: 3,
    refused: (each.status ?? 200) >= 400,
  });
  await stop();
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as Profile;
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => [
      id,
      `${functionName || "(anonymous)"} ${url.replace(/^.*\/(lib|node_modules)\//, "$1/")}:${lineNumber + 1}`,
    ]),
  );
  const times = new Map<string, number>();
  for (const [i, sample] of samples.entries()) {
    const name = names.get(sample)!;
    times.set(name, (times.get(name) ?? 0) + timeDeltas[i]!);
  }
  const total = timeDeltas.reduce((sum, time) => sum + time, 0);
  print(`\n  where the time of "${each.name}" goes, in percent of the process's own:`);
  for (const [name, time] of [...times].toSorted(([, a], [, b]) => b - a).slice(0, 25)) {
    print(`  ${((time / total) * 100).toFixed(1).padStart(5)}  ${name}`);
  }
  print();
}

// --- the report ------------------------------------------------------------------------------------------

const COLUMNS = [
  "case",
  "connections",
  "KB",
  "bare/s",
  "stringify/s",
  "Fastify/s",
  "ours/s",
  "p50 ms",
  "p99 ms",
  "CPU µs",
  "MB",
  "ours/bare",
  "by CPU",
  "ours/stringify",
  "by CPU",
  "ours/Fastify",
  "by CPU",
  "times the live page or block, by CPU",
];

function printHead(): void {
  print(`\n| ${COLUMNS.join(" | ")} |\n|${COLUMNS.map((_, i) => (i === 0 ? "---" : "---:")).join("|")}|`);
}

function printLine(
  { case: name, connections, bytes, ours, others }: Measured,
  base: Measured | undefined,
): void {
  const whole = (value: number) => Math.round(value).toLocaleString("en-US");
  const times = (other: Run | undefined, digits: number) =>
    other ? [ours.rate / other.rate, other.cpu / ours.cpu].map((ratio) => ratio.toFixed(digits)) : ["", ""];
  const cells = [
    name,
    String(connections),
    (bytes / 1000).toFixed(1),
    others ? whole(others.bare.rate) : "",
    others ? whole(others.stringify.rate) : "",
    others ? whole(others.fastify.rate) : "",
    whole(ours.rate),
    ours.p50.toFixed(2),
    ours.p99.toFixed(2),
    whole(ours.cpu),
    whole(ours.memory),
    ...times(others?.bare, 2),
    ...times(others?.stringify, 2),
    ...times(others?.fastify, 1),
    base ? (ours.cpu / base.ours.cpu).toFixed(1) : "",
  ];
  print(`| ${cells.join(" | ")} |`);
}

async function main(): Promise<void> {
  await promisify(execFile)("wrk", ["-v"]).catch((error) => {
    // It prints its version and ends with 1.
    if (error.code === "ENOENT") throw new Error("wrk is not installed: apt-get install wrk");
  });
  const { outputs, blocks } = plan.size;
  print(
    `${outputs.toLocaleString("en-US")} live outputs, ${blocks.toLocaleString("en-US")} blocks, cache of ${plan.cacheMb} MB; ` +
      `Node ${process.versions.node}, wrk. ${options.quick ? "A quick run: only the ratios say something." : ""}`,
  );
  const folder = mkdtempSync(join(tmpdir(), "aqs-bench-api-"));
  const reports: Report[] = [];
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  try {
    if (options.engine !== "postgres") {
      const url = `sqlite:${join(folder, "bench.db")}`;
      reports.push(await measureEngine("SQLite", url, folder, async () => {}));
    }
    if (options.engine !== "sqlite") {
      if (postgresBinaries() === null) print(`\nPostgreSQL is left out: ${NO_POSTGRES}`);
      else reports.push(await measurePostgres(folder));
    }
  } finally {
    agent.destroy();
  }
  writeFileSync(options.json, `${JSON.stringify({ plan, reports }, null, 2)}\n`);
  print(`\nWritten to ${options.json}.`);
}

async function measurePostgres(folder: string): Promise<Report> {
  const server = startPostgres(BENCH_SETTINGS);
  try {
    const url = server.url("bench");
    await server.run("CREATE DATABASE bench");
    const settled = async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query("VACUUM ANALYZE");
      await client.end();
    };
    return await measureEngine("PostgreSQL", url, folder, settled);
  } finally {
    await server.stop();
  }
}

await main();

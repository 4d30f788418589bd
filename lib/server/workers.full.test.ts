import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { issueToken } from "#lib/api/access-tokens.ts";
import { openStore } from "#lib/store/open.ts";
import { storeFirstBlock } from "#lib/testing/ledger.ts";
import { EVENT_TIMEOUT } from "#lib/testing/timeouts.ts";

const SERVER = fileURLToPath(new URL("../testing/api-server.ts", import.meta.url));
const PATH = "/v0/blocks/0/asset-changes";

let folder: string;
let database: string;
let token: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "aqs-workers-"));
  database = `sqlite:${join(folder, "aqs.db")}`;
  const store = await openStore(database);
  await storeFirstBlock(store);
  token = (
    await issueToken(store, {
      name: "test",
      scopes: ["asset-changes:read"],
      expiresAt: null,
      now: Date.now(),
      ratePerMinute: 5,
    })
  ).token;
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Entry = { msg: string; worker?: number; workers?: unknown; port?: number };

let server: ChildProcess;
let origin: string;
/** Lines of the log so far. */
let log: Entry[];

beforeEach(async () => {
  log = [];
  server = spawn(process.execPath, [SERVER], {
    env: { ...process.env, DATABASE_URL: database, PORT: "0", WEB_CONCURRENCY: "2", METRICS_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  createInterface(server.stderr!).on("line", (line: string) => log.push(JSON.parse(line) as Entry));
  const [line] = await once(createInterface(server.stdout!), "line");
  origin = line.replace("Listening on ", "");
  await said("all workers are ready");
});
afterEach(() => {
  server.kill("SIGKILL");
});

const said = (msg: string, times = 1) =>
  vi.waitFor(() => expect(log.filter((entry) => entry.msg === msg)).toHaveLength(times), EVENT_TIMEOUT);

/** Uses a connection of its own, because connections are distributed to the workers in turn. */
async function ask(path: string, agent = new Agent()) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(origin + path, { agent, headers: { authorization: `Bearer ${token}` } }, resolve).on("error", reject);
  });
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** Values by name and labels. */
async function readMetrics(): Promise<Map<string, number>> {
  const { port } = log.find(({ msg }) => msg === "metrics are served")!;
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(200);
  const lines = (await response.text()).split("\n").filter((line) => /^\w/.test(line));
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(line.replace(/^.* /, ""))]));
}

/** Reads the metrics without a pause until it is told to stop; then returns all sums that fell. */
function watchSums(): () => Promise<string[]> {
  let done = false;
  const watched = (async () => {
    const fallen: string[] = [];
    for (let last = await readMetrics(); !done; ) {
      const metrics = await readMetrics();
      for (const [name, value] of last) {
        // Some gauges are named like sums.
        const isSum = /_(total|bucket|sum|count)(\{|$)/.test(name) && !name.startsWith("nodejs_active_");
        if (isSum && !((metrics.get(name) ?? 0) >= value))
          fallen.push(`${name}: ${value}, ${metrics.get(name)}`);
      }
      last = metrics;
    }
    return fallen;
  })();
  return () => {
    done = true;
    return watched;
  };
}

const workersOf = (msg: string) => log.filter((entry) => entry.msg === msg).map(({ worker }) => worker);

test("workers share the port, one rate limit for each token, one log and one /metrics, and end together", async () => {
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push(await ask(PATH));
  expect(answers.map(({ headers }) => headers["ratelimit-remaining"])).toEqual([
    "4",
    "3",
    "2",
    "1",
    "0",
    "0",
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(new Set(workersOf("request"))).toEqual(new Set([1, 2]));

  await vi.waitFor(async () => {
    const metrics = await readMetrics();
    expect(metrics.get('aqs_request_duration_seconds_count{route="blockAssetChanges",status="200"}')).toBe(5);
    expect(metrics.get("aqs_ready")).toBe(1);
  }, EVENT_TIMEOUT);

  const ended = once(server, "exit");
  server.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(new Set(workersOf("stopping"))).toEqual(new Set([1, 2]));
});

async function killWorker(): Promise<void> {
  const { stdout } = spawn("pgrep", ["-P", String(server.pid)]);
  process.kill(Number((await text(stdout)).split("\n")[0]), "SIGKILL");
  await said("a worker died");
}

test("a worker that dies is replaced while the others serve", async () => {
  await killWorker();
  expect((await ask("/healthz")).status).toBe(200);
  await said("ready", 3);
  await vi.waitFor(async () => {
    const metrics = await readMetrics();
    expect(
      ["aqs_workers", "aqs_workers_wanted", "aqs_worker_deaths_total"].map((name) => metrics.get(name)),
    ).toEqual([2, 2, 1]);
    expect(metrics.get("process_start_time_seconds")).toBeLessThan(Date.now() / 1000);
  }, EVENT_TIMEOUT);
});

test("no sum in /metrics falls while a worker is killed and all are replaced", async () => {
  const counted = async () =>
    (await readMetrics()).get('aqs_request_duration_seconds_count{route="healthz",status="200"}');
  for (let i = 0; i < 20; i++) await ask("/healthz");
  await vi.waitFor(async () => expect(await counted()).toBe(20), EVENT_TIMEOUT);
  const stop = watchSums();
  await killWorker();
  await said("ready", 3);
  for (let i = 0; i < 20; i++) await ask("/healthz");
  server.kill("SIGUSR2");
  await said("restarted");
  expect(await stop()).toEqual([]);
  // The last two workers reported their counts before they exited.
  expect(await counted()).toBe(40);
});

test("SIGUSR2 replaces every worker, and no request fails, on connections that are kept alive either", async () => {
  let done = false;
  const agent = new Agent({ keepAlive: true });
  const client = async () => {
    const statuses = new Set<number | undefined>();
    while (!done) statuses.add((await ask("/healthz", agent)).status);
    return statuses;
  };
  const clients = Promise.all(Array.from({ length: 8 }, client));
  server.kill("SIGUSR2");
  await said("restarted");
  done = true;
  for (const statuses of await clients) expect(statuses).toEqual(new Set([200]));
  agent.destroy();
  expect(log.find(({ msg }) => msg === "restarted")?.workers).toEqual([3, 4]);
  expect(workersOf("stopping")).toEqual([1, 2]);
});

test("a worker that dies while the others are replaced leaves neither one too many nor an endless restart", async () => {
  server.kill("SIGUSR2");
  await killWorker();
  await said("restarted");
  // Two for the old ones, of which one was not needed, and one for the dead one.
  await said("ready", 5);
  expect(new Set(workersOf("stopping")).size).toBe(2);
  server.kill("SIGUSR2");
  await said("restarted", 2);
});

test("a database that does not exist ends it with the message of one process", async () => {
  const broken = spawn(process.execPath, [SERVER], {
    env: { ...process.env, DATABASE_URL: "sqlite:/no/such/file.db", PORT: "0", WEB_CONCURRENCY: "2" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [[code], words] = await Promise.all([once(broken, "exit"), text(broken.stderr)]);
  expect(code).toBe(1);
  expect(words.match(/no\/such\/file/g)).toHaveLength(1);
});

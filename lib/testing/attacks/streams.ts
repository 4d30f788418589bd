/**
 * `npm run build && npm run attack -- streams [SECONDS]`: streams must not harm other callers. In turn: 100 fast
 * readers of a long list, 64 readers that read nothing, 1,000 event streams that resume 368 blocks back, and 20 event
 * streams of 100 addresses beside an index that catches up. Health checks and another token must be answered, and no
 * event may be lost.
 *
 * Times depend on the machine, so they are printed; only the checks fail the script.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { issueToken } from "#lib/api/access-tokens.ts";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import type { Address } from "#lib/contract/ledger.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { freePort } from "#lib/util/free-port.ts";
import { quantile } from "./drill.ts";
import { healthDelay, report, startServer } from "./served-app.ts";

/** Requests of an attacker, each on a connection of its own. */
interface Attack {
  port: number;
  requests: string[];
  /** Sends the request again when its response has ended. */
  again: boolean;
  reads: boolean;
  /** The database to which blocks are added meanwhile. */
  adding?: string;
}
/** Counts for each connection: block events, and list responses that ended with a cursor. */
interface Progress {
  blocks: number[];
  lists: number;
  closed: number;
  refused: number;
  bytes: number;
}

const TOKENS = 10;
const LIST = 200_000;
const BLOCKS = 368;
const WATCHED = 100;
const RESUMING = 1_000;
const FOLLOWING = 20;
const ADDED = 300;
/** Number of blocks in a transaction, as of `sync` while it catches up. */
const ADDED_AT_ONCE = 20;
const ADDING_AFTER_MS = 2_000;
const RETRY_MS = 1_000;
const TIMEOUT_MS = 30_000;
/** Longest time of a health check. */
const MAX_DELAY_MS = 1_000;
const MAX_MB = 512;
const EVERY_MS = 100;

if (isMainThread) await main();
else attack(workerData as Attack);

/** Runs in a separate thread, so that only the server is measured. */
function attack({ port, requests, again, reads, adding }: Attack): void {
  if (adding !== undefined) void add(adding);
  const progress: Progress = { blocks: requests.map(() => 0), lists: 0, closed: 0, refused: 0, bytes: 0 };
  for (const [place, request] of requests.entries()) {
    const open = () => {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      socket.setEncoding("latin1").write(request);
      if (!reads) socket.pause();
      let rest = "";
      let isRefused = false;
      socket.on("data", (text: string) => {
        progress.bytes += text.length;
        if (text.startsWith("HTTP/1.1 503 ")) {
          isRefused = true;
          socket.destroy();
        }
        const seen = rest + text;
        progress.blocks[place]! += seen.split("event: block\n").length - 1;
        if (seen.includes('{"cursor":"')) progress.lists++;
        // The rest is shorter than the text that is searched for.
        rest = seen.slice(-11);
      });
      socket.once("close", () => {
        if (isRefused) {
          progress.refused++;
          setTimeout(open, RETRY_MS);
        } else {
          progress.closed++;
          if (again) open();
        }
      });
    };
    open();
  }
  setInterval(() => parentPort!.postMessage(progress), EVERY_MS);
}

/** Adds blocks as `sync` does while it catches up. */
async function add(url: string): Promise<void> {
  await sleep(ADDING_AFTER_MS);
  const store = await openStore(url);
  const { height, hash } = (await store.query(chainTip))!;
  const ledger = new Ledger("added", [
    { height, hash, parentHash: hash, headerFacts: "0x", timestamp: 0, transactions: [] },
  ]);
  for (let added = 0; added < ADDED; added += ADDED_AT_ONCE) {
    await storeBlocks(
      store,
      Array.from({ length: ADDED_AT_ONCE }, () => payAll(ledger)),
    );
  }
  await store.close();
}

async function main(): Promise<void> {
  const seconds = Number(process.argv[2] ?? 10);
  const folder = mkdtempSync(join(tmpdir(), "aqs-streams-"));
  const url = `sqlite:${join(folder, "streams.db")}`;
  const { tokens, ledger } = await fill(url);
  const metricsPort = await freePort();
  const server = await startServer(url, { LOG_LEVEL: "error", METRICS_PORT: String(metricsPort) });
  const head = (path: string, token: string, ...headers: string[]) =>
    [`GET ${path} HTTP/1.1`, "Host: a", `Authorization: Bearer ${token}`, ...headers, "", ""].join("\r\n");
  const other = tokens.pop()!;
  const tokenAt = (place: number) => tokens[place % tokens.length]!;

  /** Attacks until a condition holds, with health checks and requests of another token. Returns the final counts. */
  async function during(
    what: string,
    { requests, again = false, reads = true, adding }: Partial<Attack> & Pick<Attack, "requests">,
    isEnough: (progress: Progress, passed: number) => boolean,
  ): Promise<Progress> {
    const data = { port: server.port, requests, again, reads, adding };
    const worker = new Worker(new URL(import.meta.url), { workerData: data });
    let progress: Progress | undefined;
    worker.on("message", (message: Progress) => {
      progress = message;
    });
    const began = performance.now();
    const isOver = () => progress !== undefined && isEnough(progress, (performance.now() - began) / 1000);
    const probe = async (port: number): Promise<number[]> => {
      const delays: number[] = [];
      while (!isOver()) {
        delays.push(await healthDelay({ origin: `http://127.0.0.1:${port}` }, "/healthz", TIMEOUT_MS));
        await sleep(EVERY_MS);
      }
      return delays;
    };
    const calls = { answered: 0, refused: 0, slowest: 0 };
    const call = async () => {
      for (let n = 0; !isOver(); n++) {
        const start = performance.now();
        const response = await fetch(`${server.origin}/v0/addresses/${text(n % WATCHED)}/utxos`, {
          headers: { Authorization: `Bearer ${other}` },
        });
        await response.text();
        if (response.status === 200) calls.answered++;
        else calls.refused++;
        calls.slowest = Math.max(calls.slowest, Math.round(performance.now() - start));
        await sleep(EVERY_MS);
      }
    };
    const [health, metrics] = await Promise.all([probe(server.port), probe(metricsPort), call()]);
    await worker.terminate();
    const took = ((performance.now() - began) / 1000).toFixed(1);
    const times = (delays: number[]) => [0.5, 0.99, 1].map((part) => quantile(delays, part)).join(" ");
    report([
      [
        `${what}: seconds, MB that were read, requests refused, answers ended`,
        [took, (progress!.bytes / 1e6).toFixed(0), progress!.refused, progress!.closed].join(", "),
        true,
      ],
      [
        "  ms of health checks on PORT: median, 99 %, slowest",
        times(health),
        Math.max(...health) < MAX_DELAY_MS,
      ],
      ["  the same on METRICS_PORT", times(metrics), Math.max(...metrics) < MAX_DELAY_MS],
      [
        "  another token's calls answered, refused, ms of the slowest",
        `${calls.answered}, ${calls.refused}, ${calls.slowest}`,
        calls.refused === 0,
      ],
    ]);
    return progress!;
  }

  const list = `/v0/addresses/${text(WATCHED)}/utxos`;
  const lines = "Accept: application/x-ndjson";
  for (const [what, ...headers] of [
    ["100 readers of a list", lines, "Connection: close"],
    ["100 readers of a compressed list", lines, "Connection: close", "Accept-Encoding: gzip"],
  ] as [string, ...string[]][]) {
    const requests = Array.from({ length: 100 }, (_, n) => head(list, tokenAt(n), ...headers));
    await during(what, { requests, again: true }, (_, passed) => passed > seconds);
  }
  const silent = Array.from({ length: 64 }, () => head(list, tokenAt(0), lines));
  await during(
    "64 readers that read nothing",
    { requests: silent, reads: false },
    (_, passed) => passed > seconds,
  );

  const watching = Array.from({ length: WATCHED }, (_, n) => `address=${text(n)}`);
  const from = ledger.blocks.at(-1 - BLOCKS)!;
  const resuming = Array.from({ length: RESUMING }, (_, n) =>
    head(`/v0/events?${watching[n % WATCHED]}`, tokenAt(n), `Last-Event-ID: ${from.height}-${from.hash}`),
  );
  const replayed = await during(
    `${RESUMING} streams of events that resume`,
    { requests: resuming },
    ({ blocks }, passed) => blocks.every((count) => count >= BLOCKS) || passed > 6 * seconds,
  );
  const complete = (progress: Progress, count: number) =>
    progress.blocks.filter((blocks) => blocks === count).length;
  report([
    ["  streams that got every block", complete(replayed, BLOCKS), complete(replayed, BLOCKS) === RESUMING],
  ]);

  const following = Array.from({ length: FOLLOWING }, (_, n) =>
    head(`/v0/events?${watching.join("&")}`, tokenAt(n)),
  );
  const followed = await during(
    `${FOLLOWING} streams of ${WATCHED} addresses, all in each of ${ADDED} new blocks`,
    { requests: following, adding: url },
    ({ blocks }, passed) => blocks.every((count) => count >= ADDED) || passed > 3 * seconds,
  );
  report([
    ["  streams that got every block", complete(followed, ADDED), complete(followed, ADDED) === FOLLOWING],
    ["peak memory, MB", server.peakMemory(), server.peakMemory() < MAX_MB],
  ]);
  await server.stop();
  rmSync(folder, { recursive: true });
}

/** Addresses below WATCHED are paid in each block; that one has the long list. */
function text(n: number): string {
  const args = `0x${n.toString(16).padStart(40, "0")}`;
  return encodeAddress({ code_hash: `0x${"9b".repeat(32)}`, hash_type: "type", args }, "testnet");
}

function addressOf(n: number): Address {
  return { key: parseAddress(text(n), "testnet").key, text: text(n) };
}

/** The next block, which pays every watched address. */
function payAll(ledger: Ledger) {
  return ledger.block([{ create: Array.from({ length: WATCHED }, (_, n) => ({ to: addressOf(n) })) }]);
}

/** Stores the long list, and then blocks to resume from. */
async function fill(url: string): Promise<{ tokens: string[]; ledger: Ledger }> {
  const store = await openStore(url);
  await store.write(identify, identity);
  const ledger = new Ledger("streams");
  const to = addressOf(WATCHED);
  for (let outputs = 0; outputs < LIST; outputs += 10_000) {
    const plans = Array.from({ length: 2_500 }, () => ({
      create: Array.from({ length: 4 }, () => ({ to })),
    }));
    await storeBlocks(store, [ledger.block(plans)]);
  }
  for (let blocks = 0; blocks <= BLOCKS; blocks++) await storeBlocks(store, [payAll(ledger)]);
  const tokens: string[] = [];
  for (let n = 0; n <= TOKENS; n++) {
    const asked = { name: `streams ${n}`, scopes: [], expiresAt: null, now: Date.now() };
    tokens.push((await issueToken(store, asked)).token);
  }
  await store.close();
  return { tokens, ledger };
}

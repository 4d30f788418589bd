/**
 * `npm run attack -- strange-nodes`: `aqs sync` meets a node that sends one byte a second, a balancer over two
 * branches, huge odd responses, imported blocks of another branch, and a clock that jumps a day. Takes three minutes.
 *
 * `sync` must say in few lines what it waits for, end at once on a signal, store one branch at a time, and follow the
 * chain once the nodes agree.
 */

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { PriceFeed } from "#lib/indexer/price-feed.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { openStore } from "#lib/store/open.ts";
import { Aqs, aqs, check, grow, growingChain, heightOf, inFolder } from "./drill.ts";

const BALANCED_MS = 60_000;

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function slowNode(folder: string): Promise<void> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 1000);
    response.on("close", () => clearInterval(timer));
  });
  const run = new Aqs(["sync", "--rpc", await listening(server)], join(folder, "slow.db"));
  const told = await run.line(/no response within/);
  check(
    told !== null,
    "a node that sends one byte a second is named",
    `after 30 s: ${told?.replace(/^\S+Z /, "")}`,
  );
  const began = performance.now();
  const { code, peak } = await run.end("SIGTERM");
  const took = performance.now() - began;
  check(
    code === 0 && took < 2_000,
    "and sync ends at once when told to",
    `${took.toFixed(0)} ms, ${peak} MB, ${requests} requests`,
  );
  server.closeAllConnections();
  server.close();
}

async function balancer(folder: string): Promise<void> {
  const common = growingChain();
  grow(common, 100);
  const other = common.fork(90);
  // The branches differ in their first block.
  other.block();
  grow(common, 10);
  grow(other, 9);
  await using first = await StandInNode.start({ blocks: common.blocks });
  await using second = await StandInNode.start({ blocks: other.blocks });
  let turn = 0;
  const server = createServer((incoming, response) => {
    const node = turn++ % 2 === 0 ? first : second;
    const forwarded = request(node.url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on("error", () => response.destroy());
    incoming.pipe(forwarded);
  });
  const database = join(folder, "balanced.db");
  const run = new Aqs(["sync", "--rpc", await listening(server)], database);
  const hashes = new Set([...common.blocks, ...other.blocks].map(({ header }) => header.hash));
  const end = performance.now() + BALANCED_MS;
  while (run.running && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 500));
  const { lines } = run;
  const reorganisations = lines.filter((line) => /reorganisation/.test(line)).length;
  check(
    run.running,
    "sync runs on behind a balancer over two branches",
    `${BALANCED_MS / 1000} s: ${turn} requests, ${reorganisations} reorganisations, ${lines.length} lines`,
  );
  check(
    lines.length <= BALANCED_MS / 500,
    "it writes at most two lines a second",
    lines.at(-1)?.replace(/^\S+Z /, "") ?? "",
  );
  grow(other, 30);
  first.setChain(other.blocks);
  second.setChain(other.blocks);
  for (const { header } of other.blocks) hashes.add(header.hash);
  const agreed = performance.now();
  while (run.running && (await heightOf(database)) < other.height && performance.now() - agreed < 60_000) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const height = await heightOf(database);
  check(
    height === other.height,
    "it follows the chain once the nodes agree",
    `${((performance.now() - agreed) / 1000).toFixed(1)} s later, block ${height}`,
  );
  await run.end("SIGTERM");
  const verified = await aqs(["verify"], database);
  check(verified.code === 0, "and everything stored is of that chain", verified.lines.at(-1));
  server.closeAllConnections();
  server.close();
}

const MEGABYTE = 1_000_000;
/** Maximum length of a response. */
const LONGEST = 32 * 1024 * 1024;
const filled = (start: string, part: string, bytes: number): Buffer =>
  Buffer.concat([Buffer.from(start), Buffer.alloc(bytes - start.length, part)]);

/** Responses for blocks: one that is small as text and large in memory, and one of the maximum length. */
const oddAnswers: [what: string, body: Buffer][] = [
  ["32 MB of [1,1,", filled("[1", ",1", LONGEST)],
  ["32 MB of [[],[],", filled("[[]", ",[]", LONGEST)],
  ["5 MB of null,", filled("[null", ",null", 5 * MEGABYTE)],
  ["32 MB of [[[[", filled("", "[", LONGEST)],
  ["32 MB in one text", Buffer.concat([filled('[{"id":0,"result":"', "a", LONGEST - 3), Buffer.from('"}]')])],
];
/** Limit of resident memory in MB. Without odd responses it takes about 150. */
const MAX_MEMORY = 1_000;

async function oddNode(folder: string): Promise<void> {
  const chain = growingChain();
  grow(chain, 100);
  await using node = await StandInNode.start({ blocks: chain.blocks });
  for (const [what, odd] of oddAnswers) {
    let times = 0;
    const server = createServer(async (incoming, response) => {
      const asked = await buffer(incoming);
      if (times < 8 && asked.includes("get_block_by_number")) {
        times += 1;
        response.end(odd);
        return;
      }
      const forwarded = request(node.url, { method: "POST" }, (answer) => answer.pipe(response));
      forwarded.end(asked);
    });
    const database = join(folder, `odd-${oddAnswers.findIndex(([name]) => name === what)}.db`);
    const run = await aqs(["sync", "--rpc", await listening(server), "--once"], database);
    const right = run.code === 0 && run.peak < MAX_MEMORY && (await heightOf(database)) === chain.height;
    check(right, `${what}: refused, and asked again`, `exit ${run.code}, ${run.peak} MB, ${run.lines[0]}`);
    server.closeAllConnections();
    server.close();
  }
}

async function strayImport(folder: string): Promise<void> {
  const chain = growingChain();
  grow(chain, 500);
  const other = chain.fork(40);
  other.emptyBlocks(1);
  const file = join(folder, "stray.json");
  writeFileSync(file, JSON.stringify(other.blocks.at(-1)));
  await using node = await StandInNode.start({ blocks: chain.blocks });
  const database = join(folder, "stray.db");
  await aqs(["sync", "--rpc", node.url, "--from", "100", "--once"], database);
  const run = new Aqs(["sync", "--rpc", node.url], database);
  const waits = Promise.withResolvers<void>();
  const stop = node.onRequest((method) => method === "get_tip_header" && waits.resolve());
  await waits.promise;
  stop();
  const imported = await aqs(["import", file, "--network", "testnet"], database);
  const began = performance.now();
  const told = await run.line(/contradict/);
  const took = ((performance.now() - began) / 1000).toFixed(1);
  check(
    imported.code === 0 && told !== null,
    "a running sync drops an imported block of another branch below its first one",
    `after ${took} s: ${told?.replace(/^\S+Z /, "")}`,
  );
  const { code } = await run.end("SIGTERM");
  const verified = await aqs(["verify"], database);
  const store = await openStore(`sqlite:${database}`);
  const { blocks } = (await store.query(dataStatus)).counts;
  await store.close();
  check(
    code === 0 && verified.code === 0 && blocks === chain.height - 99,
    "and keeps all others",
    `${blocks} blocks; ${verified.lines.at(-1)}`,
  );
}

/** `deliver` receives the process's clock. */
async function jumpingClock(): Promise<void> {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end('{"ckb":{"usd":1}}');
  });
  const feed = new PriceFeed(await listening(server), new Map([["ckb", "0x80000135"]]), () => {});
  const day = 86_400_000;
  const start = Date.now();
  const asks: number[] = [];
  for (const now of [start, start + 61_000, start + day, start + day + 61_000, start, start + 61_000]) {
    const before = asked;
    await feed.deliver(now, async () => {});
    await feed.settled();
    asks.push(asked - before);
  }
  check(
    asks.every((n) => n === 1),
    "prices are requested on when the clock jumps a day, and back",
    `requests: ${asks.join(", ")}`,
  );
  server.close();
}

await inFolder(async (folder) => {
  await jumpingClock();
  await oddNode(folder);
  await strayImport(folder);
  await Promise.all([slowNode(folder), balancer(folder)]);
});

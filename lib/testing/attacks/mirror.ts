/**
 * `npm run build && npm run attack -- mirror [MINUTES]`: a program mirrors 40 addresses from `/v0/events`, and reads
 * an address again only when an event names it. The node reorganises its chain, streams are cut and resumed, and the
 * server restarts sometimes. At quiet moments the mirror must equal the node's chain, and no stream may have to
 * start over.
 */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { issueToken } from "#lib/api/access-tokens.ts";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import type { NodeScript } from "#lib/chains/ckb/schema.ts";
import { account, CKB } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import type { EventData, EventName } from "#lib/contract/events.ts";
import { Random } from "#lib/demo/ckb/random.ts";
import type { UtxoEntry, UtxoList } from "#lib/queries/address-utxos/contract.ts";
import { openStore } from "#lib/store/open.ts";
import { freePort } from "#lib/util/free-port.ts";
import { Aqs, heightOf, inFolder } from "./drill.ts";
import { report, startServer } from "./served-app.ts";

/** Few accounts are watched, so that a later event cannot hide a lost one. */
const ACCOUNTS = 400;
const WATCHED = 40;
/** Number of blocks that the node keeps. */
const KEPT_BLOCKS = 200;
const TRANSACTIONS = [1, 4] as const;
const BLOCK_MS = [50, 800] as const;
/** Number of blocks between reorganisations, and of blocks that one replaces. */
const BETWEEN_REORGANISATIONS = [3, 15] as const;
const REPLACED = [1, 6] as const;
/** Number of blocks and reorganisations between two comparisons. */
const BETWEEN_COMPARISONS = 30;
const STREAM_MS = [0, 8_000] as const;
const AWAY_MS = [0, 3_000] as const;
const RESTART_MS = 90_000;
/** Maximum time to reach the node's tip. */
const TIMEOUT_MS = 60_000;

const minutes = Number(process.argv[2] ?? 1);
const random = new Random(Date.now() % 2 ** 31);
console.log(`${minutes} minutes`);

/** A node's chain of payments between the accounts. */
class Chain {
  readonly #node: StandInNode;
  #builder = new ChainBuilder({
    genesis: accounts.map((lock) => ({ lock, capacity: 10n ** 6n * CKB })),
  });
  #untilReorganisation: number = BETWEEN_REORGANISATIONS[0];
  reorganisations = 0;

  constructor(node: StandInNode) {
    this.#node = node;
    this.#serve();
  }

  get tip(): string {
    return this.#builder.tip.header.hash;
  }

  /** Capacities by out point. */
  liveOutputs(lock: NodeScript): Map<string, string> {
    const cells = this.#builder.liveCells(lock);
    return new Map(
      cells.map(({ outPoint, capacity }) => [`${outPoint.tx_hash}:${Number(outPoint.index)}`, `${capacity}`]),
    );
  }

  mine(): void {
    if (this.#untilReorganisation-- > 0) this.#block();
    else this.#reorganise();
    this.#serve();
  }

  #serve(): void {
    this.#builder.keep(KEPT_BLOCKS);
    this.#node.setChain(this.#builder.blocks);
  }

  #block(): void {
    for (let left = random.between(...TRANSACTIONS); left > 0; left--) {
      const [from, to] = [random.pick(accounts), random.pick(accounts)];
      this.#builder.transfer({ from, to, amount: BigInt(random.between(100, 5_000)) * CKB });
    }
    this.#builder.block();
  }

  /** A branch that is one block longer replaces the last blocks. Half of their transactions come again. */
  #reorganise(): void {
    const depth = Math.min(random.between(...REPLACED), this.#builder.height - 1);
    const replaced = this.#builder.blocks.slice(-depth).flatMap(({ transactions }) => transactions.slice(1));
    this.#builder = this.#builder.fork(this.#builder.height - depth);
    for (const transaction of replaced.slice(0, replaced.length / 2)) this.#builder.include(transaction);
    for (let mined = 0; mined <= depth; mined++) this.#block();
    this.#untilReorganisation = random.between(...BETWEEN_REORGANISATIONS);
    this.reorganisations++;
  }
}

const accounts = Array.from({ length: ACCOUNTS }, (_, n) => account(`account ${n}`));
const watched = new Map(accounts.slice(0, WATCHED).map((lock) => [encodeAddress(lock, "testnet"), lock]));

/** The program that mirrors the addresses. */
class Mirror {
  readonly #port: number;
  readonly #token: string;
  /** Capacities by out point, by address. */
  readonly outputs = new Map<string, Map<string, string>>();
  /** The last block that it has read, and the id of its event. */
  head = "";
  #lastId: string | undefined;
  readonly #changed = new Set<string>();
  readonly counts = { block: 0, "block-removed": 0, address: 0, start: 0, reset: 0 };
  streams = 0;
  isOver = false;

  constructor(port: number, token: string) {
    this.#port = port;
    this.#token = token;
  }

  /** Follows one stream after another until it is over. */
  async run(): Promise<void> {
    while (!this.isOver) {
      try {
        await this.#stream();
      } catch (error) {
        // The stream was cut or the server restarts, so it tries again, as programs do.
        if (!/ECONN|socket hang up|aborted|Premature close|status 503/.test(String(error))) throw error;
      }
      await sleep(random.between(...AWAY_MS));
    }
  }

  async #ask(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const request = get({
      port: this.#port,
      path,
      agent: false,
      headers: { ...headers, Authorization: this.#token },
    });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    if (response.statusCode !== 200)
      throw new Error(`status ${response.statusCode}: ${await text(response)}`);
    return response;
  }

  /** Reads a stream until it ends, or is cut after a while. */
  async #stream(): Promise<void> {
    const query = [...watched.keys()].map((address) => `address=${address}`).join("&");
    const resumed: Record<string, string> =
      this.#lastId === undefined ? {} : { "Last-Event-ID": this.#lastId };
    const response = await this.#ask(`/v0/events?${query}`, resumed);
    this.streams++;
    const cut = setTimeout(() => response.destroy(), random.between(...STREAM_MS));
    try {
      let rest = "";
      for await (const chunk of response.setEncoding("utf8")) {
        const events = (rest + chunk).split("\n\n");
        rest = events.pop()!;
        for (const event of events) await this.#take(event);
      }
    } finally {
      clearTimeout(cut);
      this.#changed.clear();
    }
  }

  async #take(event: string): Promise<void> {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(event)?.[1];
    const name = field("event") as EventName | undefined;
    if (!name) return;
    this.counts[name]++;
    if (name === "address") {
      this.#changed.add((JSON.parse(field("data")!) as EventData<"address">).address);
      return;
    }
    const all = name === "start" || name === "reset";
    for (const address of all ? watched.keys() : this.#changed) await this.#read(address);
    this.#changed.clear();
    this.#lastId = field("id")!;
    this.head = this.#lastId.split("-")[1] ?? "";
  }

  /** Takes the list in one of its forms. */
  async #read(address: string): Promise<void> {
    const path = `/v0/addresses/${address}/utxos`;
    const entries: UtxoEntry[] = [];
    if (random.below(2) === 0) {
      const headers = { Accept: "application/x-ndjson", "Accept-Encoding": "gzip" };
      const response = await this.#ask(path, headers);
      const isSmall = response.headers["content-encoding"] === undefined;
      const lines = await text(isSmall ? response : response.pipe(createGunzip()));
      entries.push(
        ...lines
          .trimEnd()
          .split("\n")
          .slice(0, -1)
          .map((line) => JSON.parse(line) as UtxoEntry),
      );
    } else {
      for (let cursor = "", hasNext = true; hasNext; ) {
        const answer = await this.#ask(`${path}?pageSize=10&cursor=${cursor}`, {});
        const page = JSON.parse(await text(answer)) as UtxoList;
        entries.push(...page.result);
        ({ hasNext, lastCursor: cursor } = page);
      }
    }
    this.outputs.set(address, new Map(entries.map(({ outPoint, capacity }) => [outPoint, capacity])));
  }
}

await inFolder(async (folder) => {
  const database = join(folder, "mirror.db");
  const node = await StandInNode.start();
  const chain = new Chain(node);
  const sync = new Aqs(["sync", "--rpc", node.url], database);
  process.once("exit", () => sync.child.kill());
  while ((await heightOf(database)) < 0) await sleep(100);
  const store = await openStore(`sqlite:${database}`);
  const { token } = await issueToken(store, { name: "mirror", scopes: [], expiresAt: null, now: Date.now() });
  await store.close();
  const port = await freePort();
  const start = () => startServer(`sqlite:${database}`, { PORT: String(port), LOG_LEVEL: "error" });
  let server = await start();
  const mirror = new Mirror(port, `Bearer ${token}`);
  const running = mirror.run();

  let [comparisons, restarts] = [0, 0];
  const differences: string[] = [];
  const end = performance.now() + minutes * 60_000;
  let restarted = performance.now();
  while (performance.now() < end && differences.length === 0) {
    for (let mined = 0; mined < BETWEEN_COMPARISONS; mined++) {
      chain.mine();
      await sleep(random.between(...BLOCK_MS));
      if (performance.now() - restarted < RESTART_MS) continue;
      await server.stop("SIGTERM");
      server = await start();
      restarted = performance.now();
      restarts++;
    }
    const since = performance.now();
    while (mirror.head !== chain.tip && performance.now() - since < TIMEOUT_MS) await sleep(20);
    if (mirror.head !== chain.tip) differences.push(`at ${mirror.head} instead of ${chain.tip}`);
    for (const [address, lock] of watched) {
      const [has, truth] = [mirror.outputs.get(address), chain.liveOutputs(lock)];
      const shown = (outputs = new Map<string, string>()) => JSON.stringify([...outputs].toSorted());
      if (shown(has) !== shown(truth))
        differences.push(`${address}: ${shown(has)} instead of ${shown(truth)}`);
    }
    comparisons++;
  }
  mirror.isOver = true;
  await Promise.race([running, sleep(STREAM_MS[1] + AWAY_MS[1])]);

  for (const difference of differences.slice(0, 10)) console.log(difference);
  const { counts } = mirror;
  report([
    [
      "blocks, blocks reverted, addresses named",
      `${counts.block}, ${counts["block-removed"]}, ${counts.address}`,
      true,
    ],
    ["reorganisations of the node, restarts of the server", `${chain.reorganisations}, ${restarts}`, true],
    ["streams that were resumed", mirror.streams - 1, true],
    [
      "streams that had to begin anew",
      counts.reset + counts.start - 1,
      counts.reset === 0 && counts.start === 1,
    ],
    ["comparisons, differences", `${comparisons}, ${differences.length}`, differences.length === 0],
    ["sync goes on", sync.running ? "yes" : sync.lines.slice(-3).join(" "), sync.running],
  ]);
  await server.stop();
  await sync.end("SIGTERM");
  await node.close();
});
process.exit();

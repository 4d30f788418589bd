import { setImmediate } from "node:timers/promises";
import { issueToken } from "#lib/api/access-tokens.ts";
import { createService, type Service } from "#lib/api/service.ts";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { readConfig } from "#lib/config.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { handle } from "#lib/server/api-handler.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { at, identity, Ledger, storeBlocks } from "./ledger.ts";
import type { ThrowawayServer } from "./postgres.ts";
import { Draw } from "./random-requests.ts";

const SECP = "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8";
/** The first one has half of all outputs. */
const addresses = Array.from({ length: 6 }, (_, i) => {
  const text = encodeAddress(
    { code_hash: SECP, hash_type: "type", args: `0x0${i}`.padEnd(42, "0") },
    "testnet",
  );
  return parseAddress(text, "testnet");
});
/** Number of concurrent walks. */
const AT_ONCE = 8;
/** Attempts before a walk's next page is postponed. */
const TRIES = 4;

type Owned = { owner: string; outPoint: OutPoint };
const textOf = ({ transactionHash, outputIndex }: OutPoint) => `${transactionHash}:${outputIndex}`;

/** A chain that grows and reorganises in one database, with the content of each of its states. */
class Chain {
  /** The place of each state's tip among the states, by its hash. A tip comes once. */
  readonly places = new Map<string, number>();
  reorganisations = 0;
  readonly #store: Store;
  readonly #draw: Draw;
  #ledger = new Ledger();
  /** Live outputs after each block of the chain. */
  #live: Owned[][] = [];
  readonly #states: Map<string, Set<string>>[] = [];

  constructor(store: Store, draw: Draw) {
    this.#store = store;
    this.#draw = draw;
  }

  /** Adds a block, or replaces the last ones. */
  async move(): Promise<void> {
    const { tip } = this.#ledger;
    if (tip && tip.height > 4 && this.#draw.chance(0.15)) {
      const fork = tip.height - 1 - this.#draw.below(3);
      this.reorganisations += 1;
      this.#ledger = this.#ledger.fork(fork, `branch ${this.reorganisations}`);
      this.#live.length = fork + 1;
      const blocks = [this.#next(), this.#next(), this.#next()];
      await this.#store.atomically(async () => {
        await this.#store.write(revertTo, fork);
        await storeBlocks(this.#store, blocks);
      });
    } else await storeBlocks(this.#store, [this.#next()]);
    const owned = Map.groupBy(this.#live.at(-1)!, ({ owner }) => owner);
    this.places.set(this.#ledger.tip!.hash, this.#states.length);
    this.#states.push(
      new Map(
        [...owned].map(([owner, all]) => [owner, new Set(all.map(({ outPoint }) => textOf(outPoint)))]),
      ),
    );
  }

  #next() {
    const live = [...(this.#live.at(-1) ?? [])];
    const draw = this.#draw;
    const spent = live.length < 60 ? [] : draw.times(6, () => live.splice(draw.below(live.length), 1)[0]!);
    const owners = draw.times(5, () => (draw.chance(0.5) ? addresses[0]! : draw.pick(addresses)));
    const block = this.#ledger.block([
      { spend: spent.map(({ outPoint }) => outPoint), create: owners.map((to) => ({ to })) },
    ]);
    this.#live.push([...live, ...owners.map(({ key }, i) => ({ owner: key, outPoint: at(block, 0, i) }))]);
    return block;
  }

  /** Outputs that an address held in all states between those with these tips. */
  heldBetween(owner: string, ...tips: string[]): Set<string> {
    const [from, to] = tips.map((tip) => this.places.get(tip)!).sort((a, b) => a - b) as [number, number];
    const sets = this.#states.slice(from, to + 1).map((state) => state.get(owner) ?? new Set<string>());
    return sets.reduce((held, next) => held.intersection(next));
  }
}

/** A walk over an address's outputs. */
interface Walk {
  address: (typeof addresses)[number];
  order: string;
  cursor: string;
  seen: Set<string>;
  /** The tip of its first page. */
  began: string | null;
}

/**
 * Walks over pages of three servers, one on the primary and one on each of two replicas. Meanwhile blocks are written,
 * and the replicas pause and resume replay at random. Each page comes from a random server that does not respond with 503.
 * @returns figures, and the number of missing outputs that were live during the whole walk
 */
export async function walkReplicas(
  primary: ThrowawayServer,
  replicas: readonly ThrowawayServer[],
  { walks, seed }: { walks: number; seed: number },
) {
  const url = primary.url("postgres");
  const draw = new Draw(seed);
  const stores = await Promise.all(
    [undefined, ...replicas].map((replica) => openStore(url, { readUrl: replica?.url("postgres") })),
  );
  const [store] = stores as [Store];
  await store.write(identify, identity);
  // A replica without tables cannot say that it is behind.
  for (const each of stores) while ((await each.schemaFault()) !== null) await setImmediate();
  const config = readConfig({ LOG_LEVEL: "error" });
  const services = await Promise.all(stores.map((each) => createService(each, config)));
  const { token } = await issueToken(store, { name: "t", scopes: [], expiresAt: null, now: Date.now() });
  const chain = new Chain(store, draw);
  while (chain.places.size < 30) await chain.move();
  const { hash } = (await store.query(chainTip))!;
  // All begin with one state.
  const isThere = async (each: Store) => (await each.query(chainTip))?.hash === hash;
  for (const each of stores) while (!(await isThere(each))) await setImmediate();
  const paused = replicas.map(() => false);
  const toggle = async (replica: number) => {
    await replicas[replica]!.run(`SELECT pg_wal_replay_${paused[replica] ? "resume" : "pause"}()`);
    paused[replica] = !paused[replica];
  };

  const figures = { walks: 0, missing: 0, pages: 0, refused: 0, reorganisations: 0, blocks: 0 };
  /** The next page; null if the server is behind. */
  const ask = async (service: Service, { address, order, cursor }: Walk) => {
    const reply = await handle(service, "addressUtxos", {
      method: "GET",
      params: { address: address.text },
      query: String(new URLSearchParams({ order, cursor, pageSize: String(1 + draw.below(12)) })),
      header: (name) => (name === "authorization" ? `Bearer ${token}` : undefined),
    });
    if (reply.status === 503 && reply.headers["Retry-After"]) return null;
    if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.body}`);
    const page = JSON.parse(String(reply.body)) as {
      result: { outPoint: string }[];
      hasNext: boolean;
      lastCursor: string;
    };
    return { ...page, tip: reply.headers["X-Tip-Hash"]! };
  };
  const begin = (): Walk => ({
    address: draw.chance(0.6) ? addresses[0]! : draw.pick(addresses),
    order: draw.chance(0.7) ? "asc" : "desc",
    cursor: "",
    seen: new Set(),
    began: null,
  });
  /** True at the walk's end. */
  const step = async (walk: Walk): Promise<boolean> => {
    for (let tries = 0; tries < TRIES; tries++) {
      const page = await ask(draw.pick(services), walk);
      if (!page) {
        figures.refused += 1;
        continue;
      }
      figures.pages += 1;
      walk.began ??= page.tip;
      for (const { outPoint } of page.result) walk.seen.add(outPoint);
      walk.cursor = page.lastCursor;
      if (page.hasNext) return false;
      figures.missing += chain.heldBetween(walk.address.key, walk.began, page.tip).difference(walk.seen).size;
      figures.walks += 1;
      return true;
    }
    return false;
  };

  try {
    const underWay = Array.from({ length: AT_ONCE }, begin);
    while (figures.walks < walks) {
      if (draw.chance(0.08)) await chain.move();
      if (draw.chance(0.03)) await toggle(draw.below(replicas.length));
      const i = draw.below(AT_ONCE);
      if (await step(underWay[i]!)) underWay[i] = begin();
    }
  } finally {
    for (const [replica, isPaused] of paused.entries()) if (isPaused) await toggle(replica);
    for (const each of stores) await each.close();
  }
  return { ...figures, reorganisations: chain.reorganisations, blocks: chain.places.size };
}

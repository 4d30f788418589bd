import type { Block } from "#lib/contract/ledger.ts";
import type { ChainSource } from "#lib/contract/source.ts";
import type { DemoGuide, DemoLedger, DemoNode } from "#lib/demo/types.ts";
import { loadIcons } from "#lib/indexer/icons.ts";
import { parsePrices } from "#lib/indexer/prices.ts";
import { parseRegistry } from "#lib/indexer/registry.ts";
import { sleep } from "#lib/indexer/retry.ts";
import { sync } from "#lib/indexer/sync.ts";
import { blockHashAt, chainIdentity, chainTip } from "#lib/queries/chain.ts";
import type { Price } from "#lib/store/rows.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";

/** Time from one block of the node to the next, in milliseconds. */
const BLOCK_EVERY = [3_000, 8_000] as const;
/** The node mines no further while this many of its blocks are not indexed. */
const MAX_AHEAD = 100;

/** Generated blocks in place of a node, so that they take the same path into the store. */
const generatedSource = ({ native, network }: DemoLedger, blocks: Block[]): ChainSource => ({
  native,
  identity: async () => ({ network, native, demo: true }),
  async tip() {
    const { height, hash } = blocks.at(-1)!;
    return { height, hash };
  },
  hashAt: async (height) => blocks[height]?.hash ?? null,
  blocks: async (from, to) => blocks.slice(from, to + 1),
  // The chain starts at its first block, so no output lies outside it.
  outputs: async () => new Map(),
});

/**
 * Loads a generated chain as a node would present it, with a reorganisation. Resumes an interrupted run, and replaces
 * another generated chain. Returns how many blocks it stored.
 */
export async function loadDemo(store: Store, ledger: DemoLedger): Promise<number> {
  await makeRoom(store, ledger.blocks[0]!);
  const before = ledger.blocks.slice(0, ledger.forkHeight);
  const abandoned = generatedSource(ledger, [...before, ...ledger.fork]);
  const canonical = generatedSource(ledger, ledger.blocks);
  await store.write(identify, await canonical.identity());
  let stored = 0;
  if (((await store.query(chainTip))?.height ?? -1) < ledger.forkHeight) {
    stored += (await sync(store, abandoned, { once: true })).blocks;
  }
  stored += (await sync(store, canonical, { once: true })).blocks;
  const registry = parseRegistry(JSON.stringify(ledger.registry), "registry");
  const { icons } = await loadIcons(registry, ".");
  await store.write(replaceRegistry, registry, icons);
  await store.write(loadPrices, parsePrices(ledger.pricesCsv, "prices"));
  return stored;
}

/** Stores the chain of a demo's node. Returns how many blocks it stored. */
export async function loadNodeDemo(
  store: Store,
  source: ChainSource,
  { pricesCsv }: DemoGuide,
): Promise<number> {
  // The first block is that of every chain of this kind.
  const [second] = await source.blocks(1, 1);
  await makeRoom(store, second!);
  const { blocks } = await sync(store, asDemo(source), { once: true });
  await store.write(loadPrices, parsePrices(pricesCsv, "prices"));
  return blocks;
}

/** Reverts the blocks of another demo chain, which lacks this block, such as an earlier one that has grown since. */
async function makeRoom(store: Store, { height, hash }: Block): Promise<void> {
  const identity = await store.query(chainIdentity);
  const stored = await store.query(blockHashAt, height);
  if (identity?.demo && stored !== null && stored !== hash) await store.write(revertTo, -1);
}

/** Options that tests replace. */
interface FollowOptions {
  signal: AbortSignal;
  log(message: string): void;
  /** Waits; tests replace it. Resolves early if the signal aborts. */
  sleep?: typeof sleep;
}

/** Lets the node mine a block every few seconds, and follows it as `aqs sync` does, until the signal aborts. */
export async function followDemo(
  store: Store,
  miner: DemoNode,
  node: ChainSource,
  { signal, log, sleep: wait = sleep }: FollowOptions,
): Promise<void> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  let indexed = -1;
  let moved: Price[] = [];
  const following = sync(store, asDemo(node), {
    signal: ended,
    log,
    sleep: wait,
    onProgress({ height }) {
      indexed = height;
    },
    async between() {
      const prices = moved;
      if (prices.length === 0) return;
      await store.write(loadPrices, prices);
      moved = moved.slice(prices.length);
    },
  }).finally(() => stop.abort());
  indexed = miner.height;
  try {
    while (!ended.aborted) {
      const [least, most] = BLOCK_EVERY;
      await wait(least + Math.random() * (most - least), ended);
      if (ended.aborted || miner.height - indexed > MAX_AHEAD) continue;
      const now = Date.now();
      const pricesCsv = miner.movePrices(now);
      if (pricesCsv !== "") moved = [...moved, ...parsePrices(pricesCsv, "prices")];
      await miner.mine(now);
    }
  } catch (error) {
    stop.abort();
    await following.catch(() => {});
    throw error;
  }
  await following;
}

/** Marks the node's blocks as generated. */
function asDemo(node: ChainSource): ChainSource {
  return {
    native: node.native,
    identity: async () => ({ ...(await node.identity()), demo: true }),
    tip: () => node.tip(),
    hashAt: (height) => node.hashAt(height),
    blocks: (from, to, signal) => node.blocks(from, to, signal),
    outputs: (outPoints) => node.outputs(outPoints),
  };
}

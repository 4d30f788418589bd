/** A sync that follows a stand-in node into an empty store, one for each test. */
import { afterEach, beforeEach, describe, expect } from "vitest";
import { verifyBlock } from "#lib/chains/ckb/block.ts";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { account, CKB, udt } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { type SyncOptions, sync } from "#lib/indexer/sync.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { openStore } from "#lib/store/open.ts";
import { applyBlocks } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "./dump.ts";
import { type Engine, someEngines } from "./engines.ts";

export const ann = account("ann");
const token = udt(ann);

/** Grows a chain whose every block pays ann, and every third moves a token that ann issues. */
export function grow(chain: ChainBuilder, blocks: number): ChainBuilder {
  for (let i = 0; i < blocks; i++) {
    chain.transfer({ to: ann, amount: 500n * CKB });
    if (chain.height % 3 === 0) chain.mint({ token, issuer: ann, to: account("bob"), amount: 7n });
    chain.block();
  }
  return chain;
}

export const hashAt = (chain: ChainBuilder, height: number): string => chain.blocks[height]!.header.hash;

const grown = grow(new ChainBuilder(), 40);
const dumps = new Map<string, string>();

/** The contents of a fresh store with only these blocks. They are the same on every engine, so it uses the fastest. */
async function dumpOf(blocks: readonly NodeBlock[]): Promise<string> {
  const ends = [blocks[0]!, blocks.at(-1)!].map(({ header }) => header.hash).join();
  const known = dumps.get(ends);
  if (known) return known;
  const fresh = await openStore("sqlite::memory:");
  const own = await StandInNode.start({ blocks });
  try {
    await sync(fresh, new CkbNode(own.url), { once: true, from: Number(blocks[0]!.header.number) });
    const dump = await canonicalDump(fresh);
    dumps.set(ends, dump);
    return dump;
  } finally {
    await own.close();
    await fresh.close();
  }
}

/** The running test's store, its node with a chain of 40 blocks, and what the sync logged and for how long it slept. */
export let store: Store;
export let node: StandInNode;
export let chain: ChainBuilder;
export let log: string[];
export let sleeps: number[];
let open: Engine["open"];
let others: Store[];

/** Opens another store, which is closed after the test. */
export async function openAnother(opening = open()): Promise<Store> {
  const another = await opening;
  others.push(another);
  return another;
}

export const options = (overrides: SyncOptions = {}): SyncOptions => ({
  once: true,
  log: (message) => log.push(message),
  sleep: async (milliseconds) => void sleeps.push(milliseconds),
  ...overrides,
});

export const follow = (overrides: SyncOptions = {}) => sync(store, new CkbNode(node.url), options(overrides));

/** The store holds exactly what a fresh one would that saw only these blocks. */
export async function expectOnly(blocks: readonly NodeBlock[]): Promise<void> {
  expect(await verifyStore(store)).toEqual([]);
  expect(await canonicalDump(store)).toBe(await dumpOf(blocks));
}

/** Stores blocks like an import. */
export async function put(blocks: readonly NodeBlock[], { url } = node): Promise<void> {
  const source = new CkbNode(url);
  const facts = blocks.map((block) => verifyBlock(block, "testnet", "here"));
  const resolved = await resolveBlocks(facts, store, source.native.id, (wanted) => source.outputs(wanted));
  await store.write(applyBlocks, resolved, { extendTip: false });
}

export function describeFollowing(tests: () => void): void {
  describe.each(someEngines)("following a node into $name", (engine) => {
    beforeEach(async () => {
      open = engine.open;
      store = await open();
      node = await StandInNode.start();
      chain = grown.fork(40);
      node.setChain(chain.blocks);
      log = [];
      sleeps = [];
      others = [];
    });
    afterEach(async () => {
      await node.close();
      for (const each of [store, ...others]) await each.close();
    });
    tests();
  });
}

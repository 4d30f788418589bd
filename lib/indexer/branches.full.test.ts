import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import {
  type Deed,
  factsOf,
  growth,
  prices,
  RandomTree,
  registry,
} from "#lib/chains/ckb/testing/random-tree.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import type { Block, Output } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { blockHashAt, chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import type { Price } from "#lib/store/rows.ts";
import { applyBlocks, identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { engines } from "#lib/testing/engines.ts";
import { resolveBlocks } from "./resolve.ts";
import { sync } from "./sync.ts";
import { verifyStore } from "./verify/verify.ts";

const identity = { network: "testnet", native: NATIVE_ASSET, demo: false };

type Step =
  /** A branch grows; with `fork`, a new one that leaves it that many blocks below its tip. */
  | { do: "grow"; branch: number; fork: number | null; blocks: Deed[][]; feed: boolean }
  /** Follows the branch, up to some blocks below its tip, `size` blocks a transaction. */
  | { do: "feed"; branch: number; behind: number; size: number }
  | { do: "registry"; entries: RegistryEntry[] }
  | { do: "prices"; prices: Price[] };

const branch = fc.nat({ max: 4 });
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant("grow" as const),
        branch,
        fork: fc.option(fc.nat({ max: 6 })),
        blocks: growth,
        feed: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant("feed" as const),
        branch,
        behind: fc.nat({ max: 2 }),
        size: fc.integer({ min: 1, max: 5 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("registry" as const), entries: registry }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("prices" as const), prices }) },
  ),
  { minLength: 4, maxLength: 16, size: "max" },
);

const none = async () => new Map<string, Output>();

async function apply(store: Store, blocks: Block[], extendTip = true, outside = none): Promise<void> {
  await store.write(applyBlocks, await resolveBlocks(blocks, store, NATIVE_ASSET.id, outside), { extendTip });
}

/** The contents of a database that has stored only the given chain. */
async function dumpOf(chain: readonly NodeBlock[], plan: Step[]): Promise<string> {
  const store = await openStore("sqlite::memory:");
  try {
    await store.write(identify, identity);
    await apply(store, chain.map(factsOf));
    await loadAll(store, plan);
    return await canonicalDump(store);
  } finally {
    await store.close();
  }
}

async function load(store: Store, step: Step): Promise<void> {
  if (step.do === "registry") await store.write(replaceRegistry, step.entries);
  if (step.do === "prices") await store.write(loadPrices, step.prices);
}

async function loadAll(store: Store, plan: Step[]): Promise<void> {
  for (const step of plan) await load(store, step);
}

/** Carries the plan out, and at last follows the first branch, with a block that was never fed before. */
async function carryOut(
  store: Store,
  plan: Step[],
  feed: (chain: readonly NodeBlock[], size: number) => Promise<void>,
): Promise<readonly NodeBlock[]> {
  const tree = new RandomTree();
  for (const step of plan) {
    if (step.do === "grow") {
      const from = tree.branch(step.branch);
      const chain = step.fork === null ? from : tree.fork(from, step.fork);
      tree.grow(chain, step.blocks);
      if (step.feed) await feed(chain.blocks, 4);
    } else if (step.do === "feed") {
      const { blocks } = tree.branch(step.branch);
      await feed(blocks.slice(0, Math.max(1, blocks.length - step.behind)), step.size);
    } else await load(store, step);
  }
  const winner = tree.branch(0);
  winner.block();
  await feed(winner.blocks, 3);
  return winner.blocks;
}

describe.each(engines)("branches fed to $name", ({ name, open }) => {
  // A fresh database costs the server far more than the blocks in it.
  const runs = (numRuns: number) => ({ numRuns: name === "SQLite" ? numRuns : Math.ceil(numRuns / 5) });
  const fresh = async (work: (store: Store) => Promise<void>) => {
    const store = await open();
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };

  test("in any order have the same result as the winning one alone", async () => {
    await fc.assert(
      fc.asyncProperty(steps, (plan) =>
        fresh(async (store) => {
          await store.write(identify, identity);
          const winner = await carryOut(store, plan, async (chain, size) => {
            let common = -1;
            while (common + 1 < chain.length) {
              if ((await store.query(blockHashAt, common + 1)) !== chain[common + 1]!.header.hash) break;
              common += 1;
            }
            const facts = chain.slice(common + 1).map(factsOf);
            // One transaction reverts the other branch and stores the first blocks of this one.
            await store.atomically(async () => {
              await store.write(revertTo, common);
              await apply(store, facts.slice(0, size));
            });
            for (let i = size; i < facts.length; i += size) await apply(store, facts.slice(i, i + size));
          });
          expect(await verifyStore(store)).toEqual([]);
          expect(await canonicalDump(store)).toBe(await dumpOf(winner, plan));
        }),
      ),
      runs(60),
    );
  });

  test("through a node that switches branches have the same result as the winning one alone", async () => {
    const node = await StandInNode.start();
    try {
      await fc.assert(
        fc.asyncProperty(steps, (plan) =>
          fresh(async (store) => {
            const winner = await carryOut(store, plan, async (chain) => {
              node.setChain(chain);
              await sync(store, new CkbNode(node.url), { once: true, sleep: async () => {} });
            });
            expect(await verifyStore(store)).toEqual([]);
            expect(await canonicalDump(store)).toBe(await dumpOf(winner, plan));
          }),
        ),
        runs(40),
      );
    } finally {
      await node.close();
    }
  });

  test("block by block in any order, with the outputs that they spend, have the same result", async () => {
    const order = fc.infiniteStream(fc.nat({ max: 1000 }));
    await fc.assert(
      fc.asyncProperty(fc.array(growth, { minLength: 1, maxLength: 4 }), order, (growths, numbers) =>
        fresh(async (store) => {
          const tree = new RandomTree();
          for (const blocks of growths) tree.grow(tree.branch(0), blocks);
          const chain = tree.branch(0).blocks;
          const cells = new Map(
            chain
              .map(factsOf)
              .flatMap((block) => block.transactions)
              .flatMap(({ hash, outputs }) => outputs.map((output, i) => [`${hash}:${i}`, output] as const)),
          );
          await store.write(identify, identity);
          const waiting = chain.map(factsOf);
          while (waiting.length > 0) {
            const [block] = waiting.splice(numbers.next().value % waiting.length, 1);
            await apply(store, [block!], false, async () => cells);
          }
          expect(await verifyStore(store)).toEqual([]);
          expect(await canonicalDump(store)).toBe(await dumpOf(chain, []));
        }),
      ),
      runs(40),
    );
  });

  // Deeper than the largest transaction of a sync, which does not depend on the engine.
  test.runIf(name === "SQLite")("of a deep fork show no reader a lower tip", async () => {
    const depth = 10_100;
    const chain = new ChainBuilder();
    const other = chain.fork(0);
    chain.emptyBlocks(depth);
    other.emptyBlocks(depth + 1);
    const node = await StandInNode.start({ blocks: chain.blocks });
    try {
      await fresh(async (store) => {
        const follow = async () => {
          const heights: number[] = [];
          const onProgress = ({ height }: { height: number }) => heights.push(height);
          await sync(store, new CkbNode(node.url), { once: true, maxReorganisation: depth, onProgress });
          return heights;
        };
        await follow();
        node.setChain(other.blocks);
        expect(await follow()).toEqual([depth + 1]);
        expect((await store.query(chainTip))?.hash).toBe(other.tip.header.hash);
      });
    } finally {
      await node.close();
    }
  });
});

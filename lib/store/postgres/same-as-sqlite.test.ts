import fc from "fast-check";
import { expect, test } from "vitest";
import { type Block, type OutPoint, type Output, outPointText } from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { integrityFaults } from "#lib/indexer/verify/integrity.ts";
import { blockHeights } from "#lib/queries/chain.ts";
import { applyBlocks, identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { at, identity, Ledger, native, type TransactionPlan, tokenOf } from "#lib/testing/ledger.ts";
import { TEST_TIMEOUT } from "#lib/testing/timeouts.ts";

const OWNERS = ["ann", "bob", "carl"];
const TOKENS = [tokenOf("usd"), tokenOf("nft", { fungible: false, parentId: tokenOf("usd").id })];

/** Blocks as lists of transactions: the outputs to spend (live or not), and those to create. */
const chains = fc.array(
  fc.array(
    fc.record({
      spend: fc.array(fc.nat({ max: 60 }), { maxLength: 3 }),
      create: fc.array(
        fc.record({
          to: fc.constantFrom(...OWNERS),
          token: fc.option(fc.constantFrom(...TOKENS), { nil: undefined }),
          amount: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
          capacity: fc.bigInt({ min: 1n, max: 2n ** 66n }),
        }),
        { maxLength: 3 },
      ),
      claim: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  { minLength: 3, maxLength: 8 },
);

type Step =
  /** The blocks above the tip, perhaps not the very next, or the first that are missing below it. */
  | { kind: "store"; skip: number; count: number; fill: boolean; follow: boolean }
  | { kind: "revert"; depth: number }
  | { kind: "register"; decimals: number }
  | { kind: "price"; time: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("store" as const),
        skip: fc.constantFrom(0, 0, 0, 1, 2),
        count: fc.integer({ min: 1, max: 3 }),
        fill: fc.boolean(),
        follow: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("revert" as const), depth: fc.integer({ min: 1, max: 4 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("register" as const), decimals: fc.nat({ max: 9 }) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("price" as const), time: fc.nat({ max: 6 }) }) },
  ),
  { minLength: 4, maxLength: 10 },
);

type Plans = typeof chains extends fc.Arbitrary<infer T> ? T : never;

/** Mostly a chain that holds together; now and then one that spends an output twice. */
function build(plans: Plans): { blocks: Block[]; outputs: Map<string, Output> } {
  const ledger = new Ledger();
  const points: OutPoint[] = [];
  const outputs = new Map<string, Output>();
  for (const transactions of plans) {
    const block = ledger.block(
      transactions.map(({ spend, create, claim }): TransactionPlan => {
        const spent = new Set(points.length === 0 ? [] : spend.map((n) => points[n % points.length]!));
        const name = { assetId: TOKENS[0]!.id, outputIndex: 0, name: "Näme", symbol: "N", decimals: 3 };
        return { spend: [...spent], create, claims: claim ? [name] : [] };
      }),
    );
    for (const [t, transaction] of block.transactions.entries()) {
      for (const [i, output] of transaction.outputs.entries()) {
        const point = at(block, t, i);
        // One of many may be spent again and again.
        points.push(point);
        outputs.set(outPointText(point), output);
      }
      for (const input of transaction.inputs) {
        const place = points.indexOf(input);
        if (place >= 0 && place % 16 !== 15) points.splice(place, 1);
      }
    }
  }
  return { blocks: ledger.blocks, outputs };
}

/** The step's result, or its error in full. */
async function take(store: Store, step: Step, chain: ReturnType<typeof build>): Promise<unknown> {
  try {
    if (step.kind === "revert") {
      return await store.write(revertTo, Math.max(-1, ...(await store.query(blockHeights, {}))) - step.depth);
    }
    if (step.kind === "register") {
      return await store.write(replaceRegistry, [
        { id: TOKENS[0]!.id, decimals: step.decimals, tags: ["é", "Z", "a"] },
      ]);
    }
    if (step.kind === "price") {
      const time = 1_700_000_000_000 + step.time * 10_000;
      return await store.write(
        loadPrices,
        [native.id, TOKENS[0]!.id].map((assetId) => ({ assetId, time, usd: 10n ** 17n })),
      );
    }
    const heights = new Set(await store.query(blockHeights, {}));
    const tip = Math.max(-1, ...heights);
    const hole = chain.blocks.find((block) => block.height < tip && !heights.has(block.height));
    const from = step.fill && hole ? hole.height : tip + 1 + step.skip;
    const blocks = chain.blocks.slice(from, from + step.count);
    // The newest first, so that spending comes before creating.
    if (!step.follow) blocks.reverse();
    const resolved = await resolveBlocks(blocks, store, native.id, async () => chain.outputs);
    return await store.write(applyBlocks, resolved, { extendTip: step.follow });
  } catch (error) {
    return String(error);
  }
}

test.skipIf(engines.length < 2)(
  "the engines give the same results and errors, whatever is stored, reverted and named in whatever order",
  { timeout: TEST_TIMEOUT * MORE },
  async ({ task }) => {
    await fc.assert(
      fc.asyncProperty(chains, steps, async (plans, steps) => {
        const chain = build(plans);
        const stores = await Promise.all(engines.map((engine) => engine.open()));
        try {
          for (const store of stores) await store.write(identify, identity);
          for (const step of steps) {
            const results: unknown[] = [];
            for (const store of stores) results.push(await take(store, step, chain));
            expect(results[1]).toEqual(results[0]);
          }
          const dumps = await Promise.all(stores.map(canonicalDump));
          expect(dumps[1]).toBe(dumps[0]);
          for (const store of stores) expect(await store.query(integrityFaults)).toEqual([]);
        } finally {
          for (const store of stores) await store.close();
        }
      }),
      // Leaves time to report the shortest failing case.
      { numRuns: 5 * MORE, interruptAfterTimeLimit: task.timeout * 0.4, markInterruptAsFailure: true },
    );
  },
);

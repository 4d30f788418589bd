import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifyBlock } from "#lib/chains/ckb/block.ts";
import { chain as ckb } from "#lib/chains/ckb/chain.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { followBranches } from "#lib/chains/ckb/testing/follow-branches.ts";
import { growth } from "#lib/chains/ckb/testing/random-tree.ts";
import {
  hasRecordedBlocks,
  readRecordedBlock,
  recordedBlockFile,
  recordedBlocksOf,
  recordedCellsFile,
} from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { isApiError } from "#lib/contract/errors.ts";
import { importFiles } from "#lib/indexer/import.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { asker } from "#lib/testing/ask.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { expectOverTime } from "#lib/testing/expect-over-time.ts";
import { expectTransactions } from "#lib/testing/expect-transactions.ts";
import { Followed, plans } from "#lib/testing/followed-chain.ts";
import { at, identity, Ledger, native, type OutputPlan, storeBlocks } from "#lib/testing/ledger.ts";
import { addressOf } from "#lib/testing/v0.ts";

/** The code of the error with which a request ends. */
const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => "",
    (error: unknown) => (isApiError(error) ? error.code : Promise.reject(error)),
  );

const events = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant("grow" as const), plans, skips: fc.boolean() }),
    fc.record({ do: fc.constant("fork" as const), depth: fc.nat({ max: 4 }), plans }),
    fc.record({ do: fc.constant("back" as const), chain: fc.nat({ max: 9 }) }),
    fc.record({ do: fc.constant("fill" as const) }),
  ),
  { minLength: 3, maxLength: 10 },
);
type Events = typeof events extends fc.Arbitrary<infer T> ? T : never;

const [gold, every] = [{ who: 0, asset: 1 }, Array.from({ length: 30 }, (_, i) => i)];
/** Spends an output whose block is not indexed, mints, burns, and loses a block. */
const EVENTFUL: Events = [
  { do: "grow", plans: [[{ spend: [0], create: [gold] }], [{ spend: every, create: [gold] }]], skips: true },
  {
    do: "grow",
    plans: [
      [
        { spend: [], create: [] },
        { spend: [0], create: [] },
      ],
    ],
    skips: false,
  },
  { do: "grow", plans: [[{ spend: [], create: [gold] }]], skips: false },
  { do: "fork", depth: 1, plans: [] },
];

describe.each(engines)("transactions in $name", ({ name, open }) => {
  const numRuns = MORE * (name === "SQLite" ? 15 : 3);

  async function using(work: (store: Store) => Promise<void>) {
    const store = await open();
    try {
      await work(store);
    } finally {
      await store.close();
    }
  }

  test("keep every amount, and name each spender, through reorganisations and gaps", async () => {
    const counts = { foreign: 0, minted: 0, burnt: 0, gone: 0 };
    await fc.assert(
      fc.asyncProperty(events, (plan) =>
        using(async (store) => {
          const chain = new Followed(store);
          await chain.start();
          const all = new Set<string>();
          for (const event of plan) {
            if (event.do === "grow") await chain.grow(event.plans, event.skips);
            if (event.do === "fork") await chain.fork(event.depth, event.plans);
            if (event.do === "back") await chain.back(event.chain);
            if (event.do === "fill") await chain.fill();
            for (const { transactions } of chain.indexed) for (const { hash } of transactions) all.add(hash);
          }
          const ask = await asker(store);
          const seen = await expectTransactions(ask, chain.indexed, native.id);
          for (const { transactions } of chain.indexed) for (const { hash } of transactions) all.delete(hash);
          for (const hash of all) {
            for (const each of ["transaction", "transactionInputs", "transactionOutputs"] as const)
              expect(await codeOf(ask(each, { hash }, {}))).toBe("NOT_FOUND");
          }
          counts.gone += all.size;
          for (const each of ["foreign", "minted", "burnt"] as const) counts[each] += seen[each];
        }),
      ),
      { numRuns, examples: [[EVENTFUL]] },
    );
    // The property means something only where these happen.
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  });

  test("keep every amount on random branches of CKB", async () => {
    const branches = fc.array(fc.tuple(fc.nat({ max: 6 }), growth), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(growth, branches, (first, others) =>
        using(async (store) => {
          const blocks = await followBranches(store, first, others);
          await expectTransactions(await asker(store), blocks, NATIVE_ASSET.id);
        }),
      ),
      { numRuns },
    );
  });

  test("count outputs that nobody can spend, but spend them nowhere", async () => {
    const create = fc.array(fc.record({ capacity: fc.bigInt(0n, 9n), spendable: fc.boolean() }), {
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(create, { minLength: 2, maxLength: 8 }), (plan) =>
        using(async (store) => {
          const ledger = new Ledger();
          const made = ({ capacity, spendable }: { capacity: bigint; spendable: boolean }): OutputPlan => ({
            ...{ to: addressOf(1), capacity },
            ...(!spendable && { spendable }),
          });
          for (const outputs of plan) {
            const previous = ledger.tip;
            const reward = { create: outputs.map(made) };
            const rewarded = previous ? previous.transactions[0]!.outputs : [];
            const spend = rewarded.flatMap(({ spendable }, i) =>
              spendable === false ? [] : [at(previous!, 0, i)],
            );
            ledger.block([reward, ...(spend.length > 0 ? [{ spend, create: outputs.map(made) }] : [])]);
          }
          await store.write(identify, identity);
          await storeBlocks(store, ledger.blocks);
          await expectTransactions(await asker(store), ledger.blocks, native.id);
        }),
      ),
      { numRuns },
    );
  });

  test.skipIf(!hasRecordedBlocks).each(["mainnet", "testnet"] as const)(
    "keep every amount of recorded blocks of %s",
    (network) =>
      using(async (store) => {
        const heights = recordedBlocksOf(network).map(({ height }) => height);
        const files = heights.map(recordedBlockFile);
        await importFiles(store, ckb, { files, previousOutputs: recordedCellsFile });
        const blocks = heights.map((height) =>
          verifyBlock(readRecordedBlock(height) as NodeBlock, network, `${height}`),
        );
        const ask = await asker(store);
        expect((await expectTransactions(ask, blocks, NATIVE_ASSET.id)).foreign).toBeGreaterThan(0);
        await expectOverTime(ask, blocks, NATIVE_ASSET.id);
      }),
  );
});

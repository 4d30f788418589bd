import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { factsOf, growth, RandomTree } from "#lib/chains/ckb/testing/random-tree.ts";
import { isApiError } from "#lib/contract/errors.ts";
import { type Block, type Output, outPointText } from "#lib/contract/ledger.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { type Ask, asker } from "#lib/testing/ask.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { Followed, plans } from "#lib/testing/followed-chain.ts";
import { at, identity, Ledger, native, type OutputPlan, storeBlocks } from "#lib/testing/ledger.ts";
import { addressOf, addressText } from "#lib/testing/v0.ts";
import { walkAll } from "#lib/testing/walk-all.ts";
import type { AddressChange } from "./address-changes/contract.ts";
import type { Transaction } from "./transaction/contract.ts";
import type { OutputEntry } from "./transaction-outputs/contract.ts";

const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);

/** The amount of an asset in outputs. Of the native asset, all outputs hold their capacity. */
const amountIn = (outputs: readonly Output[], id: string, nativeId: string) =>
  sum(
    outputs
      .filter(({ token }) => id === nativeId || token?.id === id)
      .map(({ amount, capacity }) => (id === nativeId ? capacity : amount)),
  );

/** Compares every transaction of a store with the blocks that are indexed. Returns what was seen. */
async function expectTransactions(ask: Ask, blocks: readonly Block[], addresses: string[], nativeId: string) {
  const made = new Map<string, Output>();
  for (const { transactions } of blocks) {
    for (const { hash: transactionHash, outputs } of transactions) {
      for (const [outputIndex, output] of outputs.entries())
        made.set(outPointText({ transactionHash, outputIndex }), output);
    }
  }
  const seen = { foreign: 0, minted: 0, burnt: 0, withdrawn: 0, spent: new Map<string, string>() };
  const spends = new Map<string, string>();
  for (const block of blocks) {
    for (const [index, { hash, inputs, outputs }] of block.transactions.entries()) {
      const spent = inputs.map((input) => made.get(outPointText(input)));
      const isWhole = !spent.includes(undefined);
      const known = spent.filter((output) => output !== undefined);
      const overview: Transaction = await ask("transaction", { hash }, {});
      expect(overview).toMatchObject({
        ...{ hash, blockHeight: block.height, blockHash: block.hash, index },
        ...{ inputCount: inputs.length, outputCount: outputs.length, moreAssets: 0 },
      });
      const ids = new Set([...known, ...outputs].map(({ token }) => token?.id ?? nativeId));
      if (isWhole && known.length + outputs.length > 0)
        expect(new Set(overview.assets.map(({ token }) => token))).toEqual(ids.add(nativeId));
      for (const asset of overview.assets) {
        expect(asset.out).toBe(String(amountIn(outputs, asset.token, nativeId)));
        expect(asset.in).toBe(isWhole ? String(amountIn(known, asset.token, nativeId)) : "");
        if (!isWhole) {
          expect([asset.minted, asset.burnt]).toEqual(["", ""]);
          continue;
        }
        const [minted, burnt] = [BigInt(asset.minted), BigInt(asset.burnt)];
        expect(BigInt(asset.in) + minted).toBe(BigInt(asset.out) + burnt);
        expect(minted === 0n || burnt === 0n).toBe(true);
        if (minted > 0n) seen.minted += 1;
        if (burnt > 0n) seen.burnt += 1;
      }
      const paid = amountIn(known, nativeId, nativeId) - amountIn(outputs, nativeId, nativeId);
      if (index === 0) expect(overview.fee).toBe("0");
      else if (!isWhole || inputs.length === 0) expect(overview.fee).toBe("");
      else if (known.some(({ kind }) => kind.startsWith("dao-withdrawal"))) seen.withdrawn += 1;
      else if (paid >= 0n) expect(overview.fee).toBe(String(paid));

      const list = (name: "transactionInputs" | "transactionOutputs", pageSize: string) =>
        walkAll<OutputEntry>((cursor) => ask(name, { hash }, { pageSize, cursor }));
      const [ins, outs] = [await list("transactionInputs", "1"), await list("transactionOutputs", "2")];
      expect(ins.map(({ outPoint }) => outPoint)).toEqual(inputs.map(outPointText));
      for (const [i, entry] of ins.entries()) {
        const { outPoint, spent: by } = entry;
        expect(by).toEqual({
          ...{ transaction: hash, height: block.height, time: new Date(block.timestamp).toISOString() },
        });
        if (spent[i]) spends.set(outPoint, `${hash} ${block.height}`);
        else {
          seen.foreign += 1;
          expect(entry).toMatchObject({
            address: "",
            token: "",
            blockHeight: null,
            amount: "",
            capacity: "",
          });
        }
      }
      expect(outs.map(({ capacity, address }) => [capacity, address])).toEqual(
        outputs.map(({ capacity, address }) => [String(capacity), address.text]),
      );
      for (const [outputIndex, entry] of outs.entries()) {
        const outPoint = outPointText({ transactionHash: hash, outputIndex });
        expect(entry.outPoint).toBe(outPoint);
        expect(await ask("output", { outPoint }, {})).toEqual(entry);
        if (entry.spent) seen.spent.set(outPoint, `${entry.spent.transaction} ${entry.spent.height}`);
      }
    }
  }
  // The inputs of all blocks are the spent outputs, and so are the changes of all addresses.
  expect(seen.spent).toEqual(spends);
  const changed = new Map<string, string>();
  for (const address of addresses) {
    const changes = await walkAll<AddressChange>((cursor) =>
      ask("addressChanges", { address }, { pageSize: "100", cursor }),
    );
    for (const { change, outPoint, changeTransaction, changeHeight } of changes)
      if (change === "spent") changed.set(outPoint, `${changeTransaction} ${changeHeight}`);
  }
  expect(changed).toEqual(spends);
  return seen;
}

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
          const seen = await expectTransactions(ask, chain.indexed, [1, 2].map(addressText), native.id);
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
          await store.write(identify, { ...identity, native: NATIVE_ASSET });
          const tree = new RandomTree();
          let chain = tree.branch(0);
          tree.grow(chain, first);
          await storeBlocks(store, chain.blocks.map(factsOf));
          for (const [depth, more] of others) {
            const branch = tree.fork(chain, depth);
            tree.grow(branch, more);
            const common = branch.blocks.findLastIndex((block, i) => block === chain.blocks[i]);
            await store.write(revertTo, common);
            await storeBlocks(store, branch.blocks.slice(common + 1).map(factsOf));
            chain = branch;
          }
          const blocks = chain.blocks.map(factsOf);
          const outputs = blocks.flatMap(({ transactions }) =>
            transactions.flatMap(({ outputs }) => outputs),
          );
          const addresses = new Set(outputs.map(({ address }) => address.text));
          await expectTransactions(await asker(store), blocks, [...addresses], NATIVE_ASSET.id);
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
          const to = addressText(1);
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
          await expectTransactions(await asker(store), ledger.blocks, [to], native.id);
        }),
      ),
      { numRuns },
    );
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isApiError } from "#lib/contract/errors.ts";
import { type OutPoint, type Output, outPointText } from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { copyStore } from "#lib/indexer/verify/copy.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { changesOfAddresses } from "#lib/queries/address-changes/read.ts";
import { addressFlows } from "#lib/queries/address-flows.ts";
import { holdingsOfAddresses } from "#lib/queries/address-holdings/read.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { addressSeries, type SeriesPoint } from "#lib/queries/address-series.ts";
import { statementOfAddresses } from "#lib/queries/address-statement/read.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { assetChangesOfBlock } from "#lib/queries/block-asset-changes/read.ts";
import { blockTransactions } from "#lib/queries/block-transactions.ts";
import { stateBlock, storedHorizon } from "#lib/queries/chain.ts";
import { chainProgress } from "#lib/queries/chain-progress.ts";
import { assetChangesOfRange } from "#lib/queries/range-asset-changes/read.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { storedBlock, storedTouches } from "#lib/queries/stored.ts";
import { transactionOverview } from "#lib/queries/transaction-overview.ts";
import { sinceVisits } from "#lib/queries/visits.ts";
import type { Query } from "#lib/store/query.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import {
  at,
  hashOf,
  identity,
  keyOf,
  Ledger,
  native,
  outputOf,
  storeBlocks,
  tokenOf,
} from "#lib/testing/ledger.ts";
import { claimOf } from "#lib/testing/stores.ts";
import { TEST_TIMEOUT } from "#lib/testing/timeouts.ts";
import { heightOf, transactionId } from "../transaction-id.ts";
import { raiseHorizon } from "./horizon.ts";
import { applyBlocks, identify } from "./ledger.ts";
import { revertTo } from "./revert.ts";

/** Number of blocks below the tip whose spent outputs are kept, and the depth of the deepest reorganisation. */
const HISTORY = 3;
const OWNERS = ["ann", "bob", "eve", "joe"];
const TOKENS = ["gold", "tin"].map((name) => tokenOf(name));
const ALL = 1_000;
/** The height from which on blocks have landmarks of runs of touches. */
const START = 11;

type Deed = {
  spend: number[];
  outside: number | null;
  claims: number | null;
  create: { to: number; token: number; isBurnt: boolean }[];
};
type Step = { do: "block"; deeds: Deed[] } | { do: "fork"; depth: number } | { do: "check" };
const create = fc.record({
  to: fc.nat({ max: OWNERS.length - 1 }),
  token: fc.nat({ max: TOKENS.length }),
  isBurnt: fc.boolean(),
});
const deed = fc.record({
  spend: fc.array(fc.nat({ max: 99 }), { maxLength: 3 }),
  outside: fc.option(fc.nat({ max: OWNERS.length - 1 })),
  claims: fc.option(fc.nat({ max: TOKENS.length - 1 }), { freq: 4 }),
  create: fc.array(create, { maxLength: 3 }),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ do: fc.constant("block" as const), deeds: fc.array(deed, { maxLength: 3 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant("fork" as const), depth: fc.integer({ min: 1, max: HISTORY }) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("check" as const) }) },
  ),
  { minLength: 8, maxLength: 24, size: "max" },
);

/** Outputs of blocks below the first that is indexed. */
class Foreign {
  readonly outputs = new Map<string, Output>();

  output(to: string): OutPoint {
    const outPoint = {
      transactionHash: hashOf(`outside ${this.outputs.size >> 1}`),
      outputIndex: this.outputs.size & 1,
    };
    this.outputs.set(outPointText(outPoint), outputOf({ to }));
    return outPoint;
  }
}

/** The next block: what it spends is chosen among what the chain has left. */
function grow(ledger: Ledger, deeds: Deed[], foreign: Foreign | null): void {
  const spent = new Set(
    ledger.blocks.flatMap(({ transactions }) =>
      transactions.flatMap(({ inputs }) => inputs.map(outPointText)),
    ),
  );
  const live = ledger.blocks.flatMap((block) =>
    block.transactions.flatMap(({ outputs }, n) =>
      outputs.flatMap(({ spendable }, index) => (spendable === false ? [] : [at(block, n, index)])),
    ),
  );
  const left = live.filter((point) => !spent.has(outPointText(point)));
  ledger.block(
    deeds.map(({ spend, outside, claims, create }) => ({
      spend: [
        ...spend.flatMap((pick) => (left.length > 0 ? left.splice(pick % left.length, 1) : [])),
        ...(outside !== null && foreign ? [foreign.output(OWNERS[outside]!)] : []),
      ],
      claims: claims === null ? [] : [claimOf(TOKENS[claims]!.id)],
      create: create.map(({ to, token, isBurnt }) => ({
        to: OWNERS[to]!,
        ...(TOKENS[token] && { token: TOKENS[token] }),
        ...(isBurnt && to === 0 && { spendable: false as const }),
      })),
    })),
  );
}

async function add(store: Store, ledger: Ledger, foreign: Foreign | null): Promise<void> {
  const outside = foreign?.outputs ?? new Map<string, Output>();
  const resolved = await resolveBlocks(ledger.blocks.slice(-1), store, native.id, async () => outside);
  await store.write(applyBlocks, resolved, { extendTip: true });
}

async function raise(store: Store, target: number): Promise<void> {
  while ((await store.query(storedHorizon)) < target) await store.write(raiseHorizon, target);
}

const text = (result: unknown) =>
  JSON.stringify(result, (_, value) => (typeof value === "bigint" ? `${value}n` : value));

type Ask = <Input, Result>(query: Query<Input, Result>, input: Input) => Promise<string>;

/** The result as text, or the reason why there is none. */
const asking =
  (store: Store): Ask =>
  async (query, input) => {
    try {
      const result = await store.query(query, input);
      // The order is arbitrary.
      for (const { touched } of Object(result).added ?? []) touched.sort();
      return text(result);
    } catch (error) {
      if (isApiError(error)) return `${error.code} ${error.issues.map(({ code }) => code)}`;
      throw error;
    }
  };

/** Results about the state after the block at a height, and about the blocks above it. */
async function resultsFrom(ask: Ask, { height, hash }: { height: number; hash: string }): Promise<string[]> {
  const found = [await ask(stateBlock, { height })];
  for (const owner of OWNERS) {
    const addressKey = keyOf(owner);
    const addressKeys = [addressKey];
    const from = {
      addressKeys,
      from: { height },
      to: undefined,
      token: undefined,
      after: undefined,
      limit: ALL,
    };
    found.push(
      await ask(utxosOfAddress, { addressKey, order: "asc", limit: ALL, at: { hash }, token: undefined }),
      await ask(utxosOfAddress, { addressKey, order: "desc", limit: 2, at: { height }, token: native.id }),
      await ask(holdingsOfAddresses, { addressKeys, at: { height }, after: undefined, limit: ALL }),
      await ask(addressOverview, { addressKey, at: { height }, limit: ALL }),
      await ask(changesOfAddresses, from),
      await ask(statementOfAddresses, { ...from, value: undefined }),
      await ask(addressFlows, { addressKey, since: height, limit: ALL }),
    );
  }
  found.push(await ask(chainProgress, { block: { height, hash }, limit: ALL, withAddresses: true }));
  return found;
}

/** Results that need no spent output. */
async function lastingResults(
  ask: Ask,
  { height, hash }: { height: number; hash: string },
): Promise<string[]> {
  const all = { assetName: "", tags: [], offset: 0, limit: ALL };
  return [
    await ask(assetChangesOfBlock, { ...all, blockHash: hash }),
    await ask(assetChangesOfRange, { ...all, from: { height }, to: undefined }),
    await ask(chainProgress, { block: { height, hash }, limit: ALL, withAddresses: false }),
  ];
}

const NOT_KEPT = "NOT_FOUND not_kept";

async function expectSame(full: Store, short: Store, { blocks }: Ledger): Promise<void> {
  const kept = await short.query(storedHorizon);
  const tip = blocks.at(-1)!;
  const [ofFull, ofShort] = [asking(full), asking(short)];
  for (const block of blocks) {
    expect(await lastingResults(ofShort, block)).toEqual(await lastingResults(ofFull, block));
    const results = await resultsFrom(ofShort, block);
    if (block.height >= kept) expect(results).toEqual(await resultsFrom(ofFull, block));
    else {
      const { removed } = JSON.parse(results.pop()!) as { removed: unknown };
      expect([removed, ...new Set(results)]).toEqual([null, NOT_KEPT]);
    }
    const query = { blockHash: block.hash, offset: 0, limit: ALL, assets: ALL };
    const listed = await ofShort(blockTransactions, query);
    expect(listed).toBe(block.height > kept ? await ofFull(blockTransactions, query) : NOT_KEPT);
    if (block.height <= kept) continue;
    for (const { hash } of block.transactions) {
      const which = { hash, from: 0, limit: ALL };
      expect(await ofShort(transactionOverview, which)).toBe(await ofFull(transactionOverview, which));
    }
  }
  for (const owner of OWNERS) {
    const query = { addressKey: keyOf(owner), at: { hash: tip.hash }, span: "all" as const };
    const series = (await full.query(addressSeries, query)).points!;
    const own = (await short.query(addressSeries, query)).points!;
    // The beginning of the chart decides the times of its points, but not the amounts.
    const holding = ({ hash, amount, valueUsd, unpriced }: SeriesPoint) => [hash, amount, valueUsd, unpriced];
    const known = new Map(series.map((point) => [point.height, holding(point)]));
    for (const point of own) expect(holding(point)).toEqual(known.get(point.height) ?? holding(point));
    expect(own[0]!.height).toBeGreaterThanOrEqual(kept);
    const visits = blocks.map(({ height, hash }) => ({ addressKey: keyOf(owner), height, hash }));
    const since = await full.query(sinceVisits, visits);
    for (const [n, each] of (await short.query(sinceVisits, visits)).entries()) {
      expect(each).toEqual(blocks[n]!.height < kept ? { ...each, isMore: true } : since[n]);
    }
  }
}

/** Nothing is left of what was spent up to the horizon. */
async function expectGone(store: Store, { blocks }: Ledger): Promise<void> {
  const kept = await store.query(storedHorizon);
  const all = await Promise.all(blocks.map(({ height }) => store.query(storedBlock, height)));
  const later = new Set(
    all
      .filter(({ height }) => height > kept)
      .flatMap(({ transactions }) =>
        transactions.flatMap(({ inputs }) => inputs.map(({ outPoint }) => outPointText(outPoint))),
      ),
  );
  const mentioned = new Set<string>();
  for (const { height, transactions } of all) {
    for (const { hash, inputs, outputs, claims } of transactions) {
      for (const { output } of [...inputs, ...outputs]) mentioned.add(output.address.key);
      if (height > kept) continue;
      expect(inputs).toEqual([]);
      expect(outputs.length + claims.length).toBeGreaterThan(0);
      for (const { index, spent } of outputs) {
        if (spent) expect(later).toContain(outPointText({ transactionHash: hash, outputIndex: index }));
      }
    }
  }
  const { counts } = await store.query(dataStatus);
  expect(counts.addresses).toBe(mentioned.size);
  const creating = new Set(
    all.flatMap(({ height, transactions }) =>
      transactions.flatMap(({ index, outputs }) =>
        outputs.map(({ output }) => `${output.address.key} ${transactionId(height, index)}`),
      ),
    ),
  );
  const touches = await store.query(storedTouches, { after: null, limit: ALL });
  for (const touch of touches) {
    if (heightOf(touch.transactionId) > kept) continue;
    expect(creating).toContain(`${touch.addressKey} ${touch.transactionId}`);
  }
}

describe.each(engines)("a horizon in $name", ({ name, open }) => {
  const runs = (name === "SQLite" ? 4 : 1) * MORE;

  test(
    "results at it and above are as with the whole history, and those below are refused or gone",
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.constantFrom(0, START), async (plan, start) => {
          const foreign = start > 0 ? new Foreign() : null;
          const [full, short] = [await open(), await open()];
          try {
            for (const store of [full, short]) await store.write(identify, identity);
            let ledger = new Ledger("main", [], start);
            let forks = 0;
            const check = async () => {
              if (ledger.blocks.length === 0) return;
              await expectSame(full, short, ledger);
              expect(await verifyStore(short)).toEqual([]);
              await expectGone(short, ledger);
            };
            for (const step of [...plan, { do: "check" } as const]) {
              if (step.do === "check") await check();
              else if (step.do === "block") {
                grow(ledger, step.deeds, foreign);
                for (const store of [full, short]) await add(store, ledger, foreign);
                await raise(short, ledger.tip!.height - HISTORY);
              } else {
                const height = (ledger.tip?.height ?? -1) - step.depth;
                if (height < start || height < (await short.query(storedHorizon))) continue;
                forks += 1;
                ledger = ledger.fork(height, `fork ${forks}`);
                for (const store of [full, short]) await store.write(revertTo, height);
              }
            }
            const copied = await open();
            try {
              await copyStore(short, copied);
              expect(await verifyStore(copied)).toEqual([]);
              expect(await canonicalDump(copied)).toBe(await canonicalDump(short));
            } finally {
              await copied.close();
            }
          } finally {
            await full.close();
            await short.close();
          }
        }),
        { numRuns: runs, endOnFailure: false },
      );
    },
    TEST_TIMEOUT * MORE,
  );

  test("begins at the first stored block, however high that is", async () => {
    const store = await open();
    const ledger = new Ledger("main", [], 14_000_000);
    for (let i = 0; i < 20; i++) ledger.block();
    await store.write(identify, identity);
    await storeBlocks(store, ledger.blocks);
    expect(await store.write(raiseHorizon, 14_000_012)).toBe(14_000_012);
    await store.close();
  });
});

import fc from "fast-check";
import { afterEach, beforeEach, describe } from "vitest";
import type { Block, OutPoint, Output } from "#lib/contract/ledger.ts";
import { type UtxoQuery, utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import type { AssetChangeQuery } from "#lib/queries/block-asset-changes/read.ts";
import type { Position } from "#lib/store/rows.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { engines } from "./engines.ts";
import {
  at,
  hashOf,
  identity,
  keyOf,
  Ledger,
  native,
  storeBlocks,
  type TransactionPlan,
  tokenOf,
} from "./ledger.ts";

export const usd = tokenOf("usd");
export const nft = tokenOf("nft", {
  fungible: false,
  standard: "Spore",
  parentId: hashOf("cluster"),
  contentType: "image/png",
});
export const U128_MAX = 2n ** 128n - 1n;

export async function feed(store: Store, blocks: Block[], options = { extendTip: true }): Promise<number> {
  await store.write(identify, identity);
  return storeBlocks(store, blocks, options);
}

export const utxoQuery = (to: string, overrides: Partial<UtxoQuery> = {}): UtxoQuery => ({
  addressKey: keyOf(to),
  order: "asc",
  limit: 1000,
  ...overrides,
});

export const changeQuery = (block: Block, overrides: Partial<AssetChangeQuery> = {}): AssetChangeQuery => ({
  blockHash: block.hash,
  assetName: "",
  tags: [],
  offset: 0,
  limit: 100,
  ...overrides,
});

/** Follows the pages to the end; gives the out points in order. */
export async function walk(store: Store, to: string, overrides: Partial<UtxoQuery> = {}): Promise<string[]> {
  const seen: string[] = [];
  let after: Position | undefined;
  for (;;) {
    const page = await store.query(utxosOfAddress, utxoQuery(to, { ...overrides, after }));
    seen.push(...page.rows.map((row) => `${row.transactionHash}:${row.outputIndex}`));
    if (!page.hasNext) return seen;
    after = page.last!;
  }
}

export const text = (point: OutPoint) => `${point.transactionHash}:${point.outputIndex}`;

export const claimOf = (assetId: string) => ({
  assetId,
  outputIndex: 0,
  name: "Claimed",
  symbol: "C",
  decimals: 2,
});

export const OWNERS = ["ann", "bob"];

/** Blocks of transactions, with the live outputs to spend and the outputs to create. */
export function randomChain() {
  const output = fc.record({ owner: fc.constantFrom(...OWNERS), kind: fc.constantFrom("plain", "usd") });
  const transaction = fc.record({
    spend: fc.array(fc.nat({ max: 50 }), { maxLength: 3 }),
    create: fc.array(output, { maxLength: 4 }),
  });
  return fc.array(fc.array(transaction, { maxLength: 4 }), { minLength: 1, maxLength: 6 });
}

export type RandomChain = { spend: number[]; create: { owner: string; kind: string }[] }[][];
export type Live = { point: string; outPoint: OutPoint; owner: string; token: string };

/** Builds the chain and, beside it, the plain list of what is live. */
export function grow(chain: Ledger, plan: RandomChain): Live[] {
  let live: Live[] = [];
  for (const transactions of plan) {
    const plans: TransactionPlan[] = [];
    const fresh: { transaction: number; index: number; owner: string; token: string }[] = [];
    let available = live;
    for (const [i, { spend, create }] of transactions.entries()) {
      const spent = new Set(available.length === 0 ? [] : spend.map((n) => available[n % available.length]!));
      available = available.filter((item) => !spent.has(item));
      plans.push({
        spend: [...spent].map((item) => item.outPoint),
        create: create.map(({ owner, kind }) =>
          kind === "usd" ? { to: owner, token: usd, amount: 2n } : { to: owner },
        ),
      });
      for (const [index, { owner, kind }] of create.entries()) {
        fresh.push({ transaction: i, index, owner, token: kind === "usd" ? usd.id : native.id });
      }
    }
    const block = chain.block(plans);
    live = available.concat(
      fresh.map((item) => {
        const outPoint = at(block, item.transaction, item.index);
        return { outPoint, point: text(outPoint), owner: item.owner, token: item.token };
      }),
    );
  }
  return live;
}

/** Computes the flows of addresses above a height, as lines of token, transactions and amount in, transactions and amount out. */
export function flowsByHand(blocks: Block[], addressKeys: readonly string[], since: number): Set<string> {
  const sums = new Map<string, [number, bigint, number, bigint]>();
  const made = new Map<string, Output>();
  for (const { height, transactions } of blocks) {
    for (const { hash, inputs, outputs } of transactions) {
      for (const [index, output] of outputs.entries()) {
        made.set(text({ transactionHash: hash, outputIndex: index }), output);
      }
      if (height <= since) continue;
      const nets = new Map<string, bigint>();
      const add = ({ token, amount, address }: Output, sign: bigint) => {
        if (!addressKeys.includes(address.key)) return;
        const id = token?.id ?? native.id;
        nets.set(id, (nets.get(id) ?? 0n) + sign * amount);
      };
      for (const output of outputs) add(output, 1n);
      for (const input of inputs) add(made.get(text(input))!, -1n);
      for (const [id, net] of nets) {
        const [ins, into, outs, out] = sums.get(id) ?? [0, 0n, 0, 0n];
        if (net > 0n) sums.set(id, [ins + 1, into + net, outs, out]);
        if (net < 0n) sums.set(id, [ins, into, outs + 1, out - net]);
      }
    }
  }
  return new Set([...sums].map(([id, sum]) => String([id, ...sum])));
}

/** The running test's empty store and ledger, and a function that opens further stores of the engine. */
export let store: Store;
export let ledger: Ledger;
export let open: () => Promise<Store>;

/** Runs the tests on every storage engine. */
export function describeEngines(tests: () => void): void {
  describe.each(engines)("on $name", (engine) => {
    beforeEach(async () => {
      open = engine.open;
      store = await open();
      ledger = new Ledger();
    });
    afterEach(() => store.close());
    tests();
  });
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { account, CKB } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { factsOf, growth, RandomTree } from "#lib/chains/ckb/testing/random-tree.ts";
import type { OutputState } from "#lib/contract/chain.ts";
import { type Address, kindWord } from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { type UtxoRow, utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import type { KindSum } from "#lib/queries/stored-kinds.ts";
import type { Position } from "#lib/store/rows.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { asker } from "#lib/testing/ask.ts";
import { engines } from "#lib/testing/engines.ts";
import { withIncluded } from "./include.ts";
import { capacityByKind } from "./states.ts";

async function feed(store: Store, chain: readonly NodeBlock[], above = -1): Promise<void> {
  await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: false });
  await store.write(revertTo, above);
  const blocks = chain.filter(({ header }) => Number(header.number) > above).map(factsOf);
  const resolved = await resolveBlocks(blocks, store, NATIVE_ASSET.id, async () => new Map());
  await store.write(applyBlocks, resolved, { extendTip: true });
}

/** Reads the address's whole list, a few entries at a time. */
async function entriesOf(store: Store, address: Address) {
  const entries: (UtxoRow & OutputState)[] = [];
  for (let after: Position | undefined; ; ) {
    const page = await store.query(utxosOfAddress, {
      addressKey: address.key,
      order: "asc",
      after,
      limit: 7,
    });
    const included = await withIncluded(store, page, { include: ["kind"] }, () => address);
    entries.push(...(included.rows as typeof entries));
    if (!page.hasNext) return entries;
    after = page.last!;
  }
}

async function sumsOfEntries(store: Store, address: Address): Promise<KindSum[]> {
  const sums = new Map<string, KindSum>();
  for (const { capacity, ...entry } of await entriesOf(store, address)) {
    const kind = kindWord(entry.kind);
    const { outputCount, capacity: sum } = sums.get(kind) ?? { outputCount: 0, capacity: "0" };
    sums.set(kind, {
      kind,
      outputCount: outputCount + 1,
      capacity: (BigInt(sum) + BigInt(capacity)).toString(),
    });
  }
  return [...sums.values()];
}

const byKind = (one: KindSum, other: KindSum) => (one.kind < other.kind ? -1 : 1);

describe.each(engines)("kinds of outputs in $name", ({ name, open }) => {
  test("add up to an address's entries through rewards, time locks, deposits and reorganisations", async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(growth, { minLength: 2, maxLength: 6 }),
        fc.nat({ max: 6 }),
        async (grown, depth) => {
          const store = await open();
          try {
            const tree = new RandomTree();
            const main = tree.branch(0);
            for (const blocks of grown.slice(1)) tree.grow(main, blocks);
            const other = tree.fork(main, depth);
            tree.grow(other, grown[0]!);
            for (const [chain, above] of [
              [main.blocks, -1],
              [other.blocks, Math.max(0, main.height - depth)],
            ] as const) {
              await feed(store, chain, above);
              const addresses = chain
                .flatMap((block) => factsOf(block).transactions)
                .flatMap(({ outputs }) => outputs.map(({ address }) => address));
              for (const address of new Map(addresses.map((each) => [each.key, each])).values()) {
                const { kinds } = await capacityByKind(store, address);
                for (const { kind } of kinds!) seen.add(kind);
                expect(kinds!.toSorted(byKind)).toEqual((await sumsOfEntries(store, address)).sort(byKind));
              }
            }
          } finally {
            await store.close();
          }
        },
      ),
      // 40 runs see every kind with this seed.
      name === "SQLite" ? { numRuns: 40, seed: 7 } : { numRuns: 3 },
    );
    if (name !== "SQLite") return;
    for (const kind of ["plain", "immature", "locked", "burnt", "data", "code", "dao-deposit", "xUDT"]) {
      expect(seen).toContain(kind);
    }
  });

  test("have compensation as of the tip, or for a deposit in withdrawal as of the block that requested it", async () => {
    const store = await open();
    const saver = account("saver");
    const chain = new ChainBuilder();
    const { cells } = chain.deposit({ owner: saver, capacity: 1_000n * CKB });
    chain.block();
    chain.emptyBlocks(9);
    await feed(store, chain.blocks);
    const { address } = factsOf(chain.blocks[1]!).transactions[1]!.outputs[0]!;
    // 898 CKB that the cell does not occupy; the rate grows by 10^8 from 10^16 with each block.
    const rate = (height: bigint) => 10n ** 16n + height * 10n ** 8n;
    const earned = (from: bigint, to: bigint) =>
      ((898n * CKB * rate(to)) / rate(from) - 898n * CKB).toString();
    expect(await entriesOf(store, address)).toMatchObject([
      { kind: "dao-deposit", until: "", compensation: earned(1n, 10n) },
    ]);
    const page = await store.query(utxosOfAddress, { addressKey: address.key, order: "asc", limit: 7 });
    const isRefused = () =>
      expect(withIncluded(store, page, { include: ["kind"] }, () => address)).rejects.toMatchObject({
        code: "SERVICE_UNAVAILABLE",
      });
    await store.write(revertTo, 9);
    await isRefused();
    const rival = chain.fork(9);
    rival.deposit({ owner: saver, capacity: 500n * CKB });
    rival.block();
    await feed(store, rival.blocks, 9);
    await isRefused();
    await feed(store, chain.blocks, 9);
    chain.withdraw({ deposit: cells[0]!, depositedAt: 1 });
    chain.block();
    chain.emptyBlocks(5);
    await feed(store, chain.blocks, 10);
    const asked = { kind: "dao-withdrawal@1", until: "epoch 180+1/1000", compensation: earned(1n, 11n) };
    expect(await entriesOf(store, address)).toMatchObject([asked]);
    const { capacity } = cells[0]!;
    expect(await capacityByKind(store, address)).toMatchObject({
      kinds: [{ kind: "dao-withdrawal", outputCount: 1, capacity: capacity.toString() }],
    });
    await store.close();
  });

  test("wait for nothing and earn nothing once they are spent", async () => {
    const store = await open();
    const saver = account("saver");
    const chain = new ChainBuilder();
    const deposited = chain.deposit({ owner: saver, capacity: 1_000n * CKB });
    chain.block();
    chain.emptyBlocks(9);
    const asked = chain.withdraw({ deposit: deposited.cells[0]!, depositedAt: 1 });
    chain.block();
    // Real nodes refuse this before the period ends.
    chain.move({ cells: asked.cells.slice(0, 1), to: account("other") });
    chain.block();
    await feed(store, chain.blocks);
    const ask = await asker(store);
    const address = factsOf(chain.blocks[1]!).transactions[1]!.outputs[0]!.address.text;
    const compensation = expect.stringMatching(/^[1-9]/);
    const deposit = { kind: "dao-deposit", until: "", compensation };
    const withdrawal = { kind: "dao-withdrawal@1", until: "epoch 180+1/1000", compensation };
    const spentDeposit = { ...deposit, compensation: "" };
    const spentWithdrawal = { ...withdrawal, until: "", compensation: "" };
    for (const [{ transaction }, state] of [
      [deposited, spentDeposit],
      [asked, spentWithdrawal],
    ] as const) {
      const { hash } = transaction;
      expect(await ask("output", { outPoint: `${hash}:0` }, { include: "kind" })).toMatchObject(state);
      const { result } = await ask("transactionOutputs", { hash }, { include: "kind" });
      expect(result[0]).toMatchObject(state);
    }
    const { hash } = asked.transaction;
    const { result: inputs } = await ask("transactionInputs", { hash }, { include: "kind" });
    expect(inputs[0]).toMatchObject(spentDeposit);
    for (const [to, changes] of [
      [10, [deposit]],
      [11, [spentDeposit, spentDeposit, withdrawal]],
      [12, [spentDeposit, spentDeposit, ...Array(2).fill(spentWithdrawal)]],
    ] as const) {
      const { result } = await ask("addressChanges", { address }, { include: "kind", to: String(to) });
      expect(result).toMatchObject(changes);
    }
    await store.close();
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chain as ckb } from "#lib/chains/ckb/chain.ts";
import {
  type BlockJson,
  type CellsJson,
  type Network,
  type Recomputed,
  type RecomputedUtxo,
  recompute,
} from "#lib/chains/ckb/testing/recompute.ts";
import {
  hasRecordedBlocks,
  readRecordedBlock,
  readRecordedCells,
  recordedBlockFile,
  recordedBlocksOf,
  recordedCellsFile,
} from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { demoLedger } from "#lib/demo/ckb/demo-ledger.ts";
import { loadDemo } from "#lib/demo/load.ts";
import type { AddressChange } from "#lib/queries/address-changes/contract.ts";
import type { StatementLine } from "#lib/queries/address-statement/contract.ts";
import type { Store } from "#lib/store/store.ts";
import { type Ask, asker } from "#lib/testing/ask.ts";
import { engines } from "#lib/testing/engines.ts";
import { importFiles } from "./import.ts";
import { verifyStore } from "./verify/verify.ts";

async function walk(ask: Ask, address: string, pageSize: number, order = "asc", at?: string) {
  const entries: Record<string, unknown>[] = [];
  let cursor = "";
  for (;;) {
    const page = await ask(
      "addressUtxos",
      { address },
      { pageSize: `${pageSize}`, order, cursor, ...(at !== undefined && { at }) },
    );
    for (const { token, blockHeight, outPoint, amount, capacity } of page.result) {
      entries.push({ token, blockHeight, outPoint, amount, capacity });
    }
    expect(page.result.length).toBe(page.hasNext ? pageSize : entries.length === 0 ? 0 : page.result.length);
    if (!page.hasNext) return entries;
    cursor = page.lastCursor;
  }
}

async function changesOf(ask: Ask, blockHash: string) {
  const entries: { assetId: string; amount: bigint }[] = [];
  for (let page = 1; ; page++) {
    const { result, total } = await ask(
      "blockAssetChanges",
      { blockHash },
      { pageSize: "100", page: `${page}` },
    );
    for (const { asset, amount } of result) entries.push({ assetId: asset.id, amount: BigInt(amount) });
    if (result.length === 0) {
      expect(total).toBe(entries.length);
      return entries;
    }
  }
}

const outPointsOf = ({ transactions }: BlockJson): string[] =>
  transactions.flatMap(({ hash, outputs }) => outputs.map((_, index) => `${hash}:${index}`));
/** Each with the transaction that spends it. */
const inputsOf = ({ transactions }: BlockJson): [outPoint: string, spentBy: string][] =>
  transactions.flatMap(({ hash, inputs }) =>
    inputs.map(({ previous_output: { tx_hash, index } }): [string, string] => [
      `${tx_hash}:${Number(index)}`,
      hash,
    ]),
  );

function sumsByToken(entries: Pick<RecomputedUtxo, "token" | "amount">[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { token, amount } of entries) sums.set(token, (sums.get(token) ?? 0n) + BigInt(amount));
  return sums;
}

/**
 * One block's changes lead from the outputs before it to those after it, each event possible when it comes; its statement sums
 * them up. Counts the events in `seen`.
 */
async function expectHistory(
  ask: Ask,
  address: string,
  range: { from?: string; to: string },
  block: BlockJson,
  before: RecomputedUtxo[],
  after: RecomputedUtxo[],
  seen: { created: number; spent: number },
): Promise<void> {
  type Answers = { result: AddressChange[]; hasNext: boolean };
  const { result: events, hasNext }: Answers = await ask(
    "addressChanges",
    { address },
    { ...range, pageSize: "1000" },
  );
  expect(hasNext).toBe(false);
  const spenders = new Map(inputsOf(block));
  const live = new Map(before.map((entry) => [entry.outPoint, entry]));
  const moved: Record<"created" | "spent", RecomputedUtxo[]> = { created: [], spent: [] };
  for (const { change, changeHeight, changeTransaction, ...entry } of events) {
    const { token, blockHeight, outPoint, amount, capacity } = entry;
    const output = { token, blockHeight, outPoint, amount, capacity };
    expect(changeHeight).toBe(Number(block.header.number));
    moved[change].push(output);
    if (change === "created") {
      expect(live.has(outPoint)).toBe(false);
      expect(outPoint.split(":")[0]).toBe(changeTransaction);
      live.set(outPoint, output);
    } else {
      expect(live.get(outPoint)).toEqual(output);
      expect(spenders.get(outPoint)).toBe(changeTransaction);
      live.delete(outPoint);
    }
  }
  expect([...live.values()]).toEqual(after);
  seen.created += moved.created.length;
  seen.spent += moved.spent.length;

  const { result: lines, holdings } = await ask(
    "addressStatement",
    { address },
    { ...range, pageSize: "1000" },
  );
  const [opening, closing] = [before, after].map(sumsByToken);
  const [came, left] = [new Map<string, bigint>(), new Map<string, bigint>()];
  for (const of of Map.groupBy(events, ({ changeTransaction }) => changeTransaction).values()) {
    const nets = sumsByToken(
      of.map(({ change, token, amount }) => ({ token, amount: change === "spent" ? `-${amount}` : amount })),
    );
    for (const [token, net] of nets) {
      const sums = net > 0n ? came : left;
      sums.set(token, (sums.get(token) ?? 0n) + (net > 0n ? net : -net));
    }
  }
  const text = (sums: Map<string, bigint>, token: string) => String(sums.get(token) ?? 0n);
  expect((lines as StatementLine[]).map(({ time: _, ...line }) => line)).toEqual(
    [...new Set(events.map(({ token }) => token))].sort().map((token) => ({
      height: Number(block.header.number),
      blockHash: block.header.hash,
      token,
      opening: text(opening!, token),
      in: text(came, token),
      out: text(left, token),
      closing: text(closing!, token),
    })),
  );
  const held = [...closing!].sort(([one], [other]) => (one < other ? -1 : 1));
  expect(holdings).toEqual(held.map(([token, amount]) => ({ token, amount: String(amount) })));
}

async function expectRecomputed(
  store: Store,
  blocks: readonly BlockJson[],
  cells: CellsJson,
  network: Network,
  pageSizes: (outputs: number) => number[],
): Promise<void> {
  const ask = await asker(store);
  const { utxos, changes } = recompute(blocks, cells, network);
  for (const { address, entries } of utxos.values()) {
    for (const pageSize of pageSizes(entries.length)) {
      expect(await walk(ask, address, pageSize)).toEqual(entries);
    }
    expect(await walk(ask, address, 1000, "desc")).toEqual(entries.toReversed());
  }
  for (const [hash, expected] of changes) expect(await changesOf(ask, hash)).toEqual(expected);
  expect(await verifyStore(store)).toEqual([]);
}

describe.each(engines)("recorded and generated blocks in $name", ({ open }) => {
  let store: Store;

  beforeAll(async () => {
    store = await open();
  });

  afterAll(async () => {
    await store.close();
  });

  describe.skipIf(!hasRecordedBlocks).each(["mainnet", "testnet"] as const)("of %s", (network) => {
    test("give every address's outputs and every block's changes as worked out from the JSON", async () => {
      const own = await open();
      try {
        const heights = recordedBlocksOf(network).map(({ height }) => height);
        const result = await importFiles(own, ckb, {
          files: heights.map(recordedBlockFile),
          previousOutputs: recordedCellsFile,
        });
        expect(result).toEqual({
          stored: { mainnet: 7, testnet: 4 }[network],
          known: 0,
          refused: [],
          warnings: [],
          lacking: 0,
        });
        const blocks = heights.map((height) => readRecordedBlock(height) as BlockJson);
        const cells = readRecordedCells() as CellsJson;
        await expectRecomputed(own, blocks, cells, network, () => [1, 2, 7, 100, 1000]);
        const ask = await asker(own);
        let before: Recomputed["utxos"] = new Map();
        for (const [place, height] of heights.entries()) {
          const { utxos } = recompute(blocks.slice(0, place + 1), cells, network);
          const known = new Set(blocks.slice(0, place + 1).flatMap(outPointsOf));
          const seen = { created: 0, spent: 0 };
          for (const [lock, { address, entries }] of utxos) {
            expect(await walk(ask, address, 100, "asc", String(height))).toEqual(entries);
            const earlier = before.get(lock)?.entries ?? [];
            const range = { to: String(height), ...(place > 0 && { from: String(heights[place - 1]) }) };
            await expectHistory(ask, address, range, blocks[place]!, earlier, entries, seen);
          }
          expect(seen).toEqual({
            created: outPointsOf(blocks[place]!).length,
            spent: inputsOf(blocks[place]!).filter(([outPoint]) => known.has(outPoint)).length,
          });
          before = utxos;
        }
      } finally {
        await own.close();
      }
    });
  });

  test("of the demo chain give the same, the long list of one address too", async () => {
    const chain = demoChain({ liveOutputs: 1200 });
    await loadDemo(store, demoLedger(chain));
    // Small pages are walked only if the list is short: the work of a walk grows with its pages.
    const pageSizes = (outputs: number) => (outputs <= 60 ? [1, 7] : [97]);
    await expectRecomputed(store, chain.blocks as unknown as BlockJson[], {}, "testnet", pageSizes);
  });
});

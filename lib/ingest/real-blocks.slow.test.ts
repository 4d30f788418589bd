import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chain as ckb } from "#lib/chains/ckb/chain.ts";
import {
  type BlockJson,
  type CellsJson,
  type Network,
  recompute,
} from "#lib/chains/ckb/testing/recompute.ts";
import {
  readRecordedBlock,
  readRecordedCells,
  recordedBlockFile,
  recordedBlocksOf,
  recordedCellsFile,
} from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { demoLedger } from "#lib/demo/ckb/demo-ledger.ts";
import { loadDemo } from "#lib/demo/load.ts";
import type { Store } from "#lib/store/engine.ts";
import { type Ask, asker } from "#lib/testing/ask.ts";
import { engines } from "#lib/testing/engines.ts";
import { importFiles } from "./import.ts";
import { verifyStore } from "./verify.ts";

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

  describe.each(["mainnet", "testnet"] as const)("of %s", (network) => {
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
        });
        const blocks = heights.map((height) => readRecordedBlock(height) as BlockJson);
        const cells = readRecordedCells() as CellsJson;
        await expectRecomputed(own, blocks, cells, network, () => [1, 2, 7, 100, 1000]);
        const ask = await asker(own);
        for (const [place, height] of heights.entries()) {
          const { utxos } = recompute(blocks.slice(0, place + 1), cells, network);
          for (const { address, entries } of utxos.values()) {
            expect(await walk(ask, address, 100, "asc", String(height))).toEqual(entries);
          }
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

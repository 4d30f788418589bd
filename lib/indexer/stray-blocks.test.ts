import { expect, test } from "vitest";
import type { ChainSource } from "#lib/contract/source.ts";
import { blockHeights } from "#lib/queries/chain.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { someEngines } from "#lib/testing/engines.ts";
import { hashOf, identity, Ledger, native, storeBlocks } from "#lib/testing/ledger.ts";
import { dropStrayBlocks } from "./stray-blocks.ts";
import { verifyStore } from "./verify/verify.ts";

const MANY = Array.from({ length: 20_001 }, () => ({ to: "ann" }));

/** Stores block 5, which the node's chain contradicts, and blocks 8 and 9, of which the last creates these outputs. */
test.each(
  someEngines.flatMap((engine) => [
    { ...engine, create: [{ to: "ann" }], heights: [8, 9], kept: "are kept" },
    { ...engine, create: MANY, heights: [], kept: "that do not fit into memory are left to the sync" },
  ]),
)("blocks above stray ones $kept in $name", async ({ open, create, heights }) => {
  const store = await open();
  try {
    await store.write(identify, identity);
    const stray = new Ledger("stray", [], 5);
    await storeBlocks(store, [stray.block()], { extendTip: false });
    const above = new Ledger("main", [], 8);
    await storeBlocks(store, [above.block(), above.block([{ create }])], { extendTip: false });
    const source = { native, hashAt: async (height: number) => hashOf(`block main ${height}`) };
    const message = await dropStrayBlocks(store, source as ChainSource, 100);
    expect(message).toMatch(/^dropped 1 blocks from block 5 /);
    expect(message?.endsWith("; the blocks above them are requested again")).toBe(heights.length === 0);
    expect(await store.query(blockHeights, {})).toEqual(heights);
    expect(await verifyStore(store)).toEqual([]);
  } finally {
    await store.close();
  }
});

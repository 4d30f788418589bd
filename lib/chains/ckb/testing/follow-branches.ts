import type { Block } from "#lib/contract/ledger.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { storeBlocks } from "#lib/testing/ledger.ts";
import { NATIVE_ASSET } from "../constants.ts";
import { type Deed, factsOf, RandomTree } from "./random-tree.ts";

/** Stores a random chain in an empty store, and follows branches of it. Returns the blocks of the last one. */
export async function followBranches(
  store: Store,
  first: Deed[][],
  branches: readonly [fork: number, more: Deed[][]][],
): Promise<Block[]> {
  await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: false });
  const tree = new RandomTree();
  let chain = tree.branch(0);
  tree.grow(chain, first);
  await storeBlocks(store, chain.blocks.map(factsOf));
  for (const [fork, more] of branches) {
    const before = chain.blocks;
    chain = tree.fork(chain, fork);
    tree.grow(chain, more);
    const common = chain.blocks.findLastIndex(({ header }, i) => header.hash === before[i]?.header.hash);
    await store.write(revertTo, common);
    await storeBlocks(store, chain.blocks.slice(common + 1).map(factsOf));
  }
  return chain.blocks.map(factsOf);
}

import { verifyBlock } from "#lib/chains/ckb/block.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import type { Block } from "#lib/contract/ledger.ts";
import type { ChainSource } from "#lib/contract/source.ts";
import type { Store } from "#lib/store/store.ts";
import { parsePrices } from "./prices.ts";
import { parseRegistry } from "./registry.ts";
import { sync } from "./sync.ts";

/** A generated chain with a branch that was abandoned. */
export interface GeneratedChain {
  network: "testnet";
  blocks: NodeBlock[];
  fork: NodeBlock[];
  /** The first height at which `fork` and `blocks` differ. */
  forkHeight: number;
  registry: unknown[];
  pricesCsv: string;
}

/** A generated chain in the place of a node: the same checks, the same path into the store. */
class GeneratedSource implements ChainSource {
  readonly native = NATIVE_ASSET;
  readonly #blocks: NodeBlock[];

  constructor(blocks: NodeBlock[]) {
    this.#blocks = blocks;
  }

  async identity() {
    return { network: "testnet", native: NATIVE_ASSET, demo: true };
  }

  async tip() {
    const { header } = this.#blocks.at(-1)!;
    return { height: Number(header.number), hash: header.hash };
  }

  async hashAt(height: number) {
    return this.#blocks[height]?.header.hash ?? null;
  }

  async blocks(from: number, to: number): Promise<Block[]> {
    const blocks = this.#blocks.slice(from, to + 1);
    return blocks.map((block) =>
      verifyBlock(block, "testnet", `generated block ${Number(block.header.number)}`),
    );
  }

  /** The chain begins at its first block, so nothing lies outside it. */
  async outputs() {
    return new Map();
  }
}

/**
 * Loads a generated chain as a node would tell it: first with the branch that is abandoned later, then as it
 * is, so that a reorganisation happens. Takes up where an earlier run was cut off. Returns how many blocks
 * were stored.
 */
export async function loadDemo(store: Store, chain: GeneratedChain): Promise<number> {
  const before = chain.blocks.slice(0, chain.forkHeight);
  const abandoned = new GeneratedSource([...before, ...chain.fork]);
  const canonical = new GeneratedSource(chain.blocks);
  await store.identify(await canonical.identity());
  let stored = 0;
  if (((await store.tip())?.height ?? -1) < chain.forkHeight) {
    stored += (await sync(store, abandoned, { once: true })).blocks;
  }
  stored += (await sync(store, canonical, { once: true })).blocks;
  await store.replaceRegistry(parseRegistry(JSON.stringify(chain.registry), "registry"));
  await store.loadPrices(parsePrices(chain.pricesCsv, "prices"));
  return stored;
}

import type { DemoLedger } from "#lib/contract/chain.ts";
import type { Block, NativeAsset } from "#lib/contract/ledger.ts";
import type { ChainSource } from "#lib/contract/source.ts";
import type { Store } from "#lib/store/store.ts";
import { loadIcons } from "./icons.ts";
import { parsePrices } from "./prices.ts";
import { parseRegistry } from "./registry.ts";
import { sync } from "./sync.ts";

/** Generated blocks in place of a node, so that they take the same path into the store. */
class GeneratedSource implements ChainSource {
  readonly native: NativeAsset;
  readonly #network: string;
  readonly #blocks: Block[];

  constructor({ native, network }: DemoLedger, blocks: Block[]) {
    this.native = native;
    this.#network = network;
    this.#blocks = blocks;
  }

  async identity() {
    return { network: this.#network, native: this.native, demo: true };
  }

  async tip() {
    const { height, hash } = this.#blocks.at(-1)!;
    return { height, hash };
  }

  async hashAt(height: number) {
    return this.#blocks[height]?.hash ?? null;
  }

  async blocks(from: number, to: number) {
    return this.#blocks.slice(from, to + 1);
  }

  /** Empty: the chain starts at its first block, so no output lies outside it. */
  async outputs() {
    return new Map();
  }
}

/**
 * Loads a generated chain the way a node would present it: first with the branch that is abandoned later, then the
 * canonical chain, so that a reorganisation happens. Resumes an interrupted run. Returns how many blocks it stored.
 */
export async function loadDemo(store: Store, ledger: DemoLedger): Promise<number> {
  const before = ledger.blocks.slice(0, ledger.forkHeight);
  const abandoned = new GeneratedSource(ledger, [...before, ...ledger.fork]);
  const canonical = new GeneratedSource(ledger, ledger.blocks);
  await store.identify(await canonical.identity());
  let stored = 0;
  if (((await store.tip())?.height ?? -1) < ledger.forkHeight) {
    stored += (await sync(store, abandoned, { once: true })).blocks;
  }
  stored += (await sync(store, canonical, { once: true })).blocks;
  const registry = parseRegistry(JSON.stringify(ledger.registry), "registry");
  const { icons } = await loadIcons(registry, ".");
  await store.replaceRegistry(registry, icons);
  await store.loadPrices(parsePrices(ledger.pricesCsv, "prices"));
  return stored;
}

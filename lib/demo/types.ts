/** The demo of a chain: a generated chain, or a real node. */
import type { Block, NativeAsset } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";

/** The pages of a demo to look at, and the prices of its assets. */
export interface DemoGuide {
  /** `asset_id,time,usd`, as `aqs prices load` takes them. */
  pricesCsv: string;
  busyAddress: string;
  notable: readonly Notable[];
}

/** A generated chain that shows what pages and API can do. */
export interface DemoLedger extends DemoGuide {
  network: string;
  native: NativeAsset;
  /** The canonical chain, from height 0 without gaps. */
  blocks: Block[];
  /** The branch that `blocks` replaces from `forkHeight` on, so that a reorganisation happens. */
  fork: Block[];
  forkHeight: number;
  registry: RegistryEntry[];
  /** Starts a node that has the canonical chain and can keep mining. */
  startNode(): Promise<DemoNode>;
}

/**
 * Generates the demo chain.
 * @param endsAt time of its last block, in milliseconds since the Unix epoch; without it, the chain is the same each
 * time
 */
export type GenerateDemo = (endsAt?: number) => DemoLedger;

/** A node with a chain of its own, which is worth showing. */
export interface NodeDemo extends DemoGuide {
  node: DemoNode;
}

/**
 * Starts the node of a demo. Throws an Error that says what to install if it is missing.
 * @param now time of its last block, in milliseconds since the Unix epoch
 */
export type StartDemo = (now: number) => Promise<NodeDemo>;

/** The node of a demo, which responds like a node of the real chain. */
export interface DemoNode {
  /** See `Chain.node.connect`. */
  readonly url: string;
  readonly cookie?: string;
  readonly height: number;
  /**
   * Adds a block to the tip, or now and then a branch that replaces the last blocks.
   * @param now the block's time, in milliseconds since the Unix epoch
   */
  mine(now: number): void | Promise<void>;
  /** Prices that changed by now, as `aqs prices load` takes them; "" if none did. */
  movePrices(now: number): string;
  close(): Promise<void>;
}

export type Notable = { title: string; address: string } | { title: string; blockHash: string };

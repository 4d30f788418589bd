import { createHash } from "node:crypto";
import {
  type Address,
  type Block,
  type MetadataClaim,
  type NativeAsset,
  type OutPoint,
  type Output,
  PLAIN_OUTPUT,
  type TokenReference,
  type Transaction,
} from "#lib/contract/ledger.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { chainIdentity } from "#lib/queries/chain.ts";
import type { ChainIdentity } from "#lib/store/rows.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";

/** A chain without a real encoding, for tests of code that knows none. Hashes stand for names, and nothing is proven. */

export const native: NativeAsset = { id: "0x80000135", name: "CKB", symbol: "CKB", decimals: 8 };
export const identity: ChainIdentity = { network: "testnet", native, demo: false };

/** Derives 32 bytes from a name. */
export const hashOf = (name: string): string => `0x${createHash("sha256").update(name).digest("hex")}`;
export const keyOf = (owner: string): string => hashOf(`address ${owner}`);

export function tokenOf(name: string, overrides: Partial<TokenReference> = {}): TokenReference {
  return {
    id: hashOf(`token ${name}`),
    standard: "xUDT",
    fungible: true,
    parentId: "",
    contentType: "",
    ...overrides,
  };
}

export interface OutputPlan {
  /** A name, which becomes an address of its own kind; or an address of the chain. */
  to: string | Address;
  token?: TokenReference;
  amount?: bigint;
  capacity?: bigint;
  kind?: string;
  spendable?: false;
}

export interface TransactionPlan {
  spend?: OutPoint[];
  create?: OutputPlan[];
  claims?: MetadataClaim[];
}

export function outputOf({ to, token, amount, capacity = 100n, kind, spendable }: OutputPlan): Output {
  return {
    address: typeof to === "string" ? { key: keyOf(to), text: `address-of-${to}` } : to,
    token: token ?? null,
    amount: token ? (amount ?? 1n) : capacity,
    capacity,
    kind: kind ?? (token ? "" : PLAIN_OUTPUT),
    ...(spendable === false && { spendable }),
  };
}

/** When a block without a time of its own was made, in milliseconds since the Unix epoch. */
export const timeAt = (height: number): number => 1_700_000_000_000 + height * 10_000;

/** Builds blocks on top of each other. A fork shares earlier blocks and continues separately. */
export class Ledger {
  readonly blocks: Block[];
  readonly #name: string;
  readonly #firstHeight: number;

  constructor(name = "main", blocks: Block[] = [], firstHeight = 0) {
    this.#name = name;
    this.blocks = blocks;
    this.#firstHeight = firstHeight;
  }

  get tip(): Block | undefined {
    return this.blocks.at(-1);
  }

  /** The next block. The same plans at the same place of a chain of the same name give the same hashes. */
  block(plans: TransactionPlan[] = [], timestamp?: number): Block {
    const height = this.tip ? this.tip.height + 1 : this.#firstHeight;
    const transactions = plans.map(
      (plan, i): Transaction => ({
        hash: hashOf(`transaction ${this.#name} ${height} ${i}`),
        inputs: plan.spend ?? [],
        outputs: (plan.create ?? []).map(outputOf),
        claims: plan.claims ?? [],
      }),
    );
    const block: Block = {
      height,
      hash: hashOf(`block ${this.#name} ${height}`),
      parentHash: this.tip?.hash ?? hashOf(`before ${this.#firstHeight}`),
      timestamp: timestamp ?? timeAt(height),
      headerFacts: hashOf(`facts ${this.#name} ${height}`),
      transactions,
    };
    this.blocks.push(block);
    return block;
  }

  /** A branch that shares the blocks up to `height`, with hashes of its own from there on. */
  fork(height: number, name: string): Ledger {
    return new Ledger(
      name,
      this.blocks.filter((block) => block.height <= height),
      this.#firstHeight,
    );
  }
}

/** Out point of an output of a block. */
export function at(block: Block, transaction: number, outputIndex: number): OutPoint {
  return { transactionHash: block.transactions[transaction]!.hash, outputIndex };
}

/**
 * Stores blocks whose inputs spend what these blocks or the store hold. The last becomes the tip unless `options` says
 * otherwise. Returns what `applyBlocks` does.
 */
export async function storeBlocks(
  store: Store,
  blocks: Block[],
  options = { extendTip: true },
): Promise<number> {
  const { native } = (await store.query(chainIdentity))!;
  const resolved = await resolveBlocks(blocks, store, native.id, async () => new Map());
  return store.write(applyBlocks, resolved, options);
}

/** Stores a first block, for a server that has to be ready. */
export async function storeFirstBlock(store: Store): Promise<void> {
  const ledger = new Ledger();
  ledger.block();
  await store.write(identify, identity);
  await storeBlocks(store, ledger.blocks);
}

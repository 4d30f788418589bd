import { valueInUsd } from "#lib/contract/amounts.ts";
import type { Address, MetadataClaim, NativeAsset, Output } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { foldCase, type ShownToken, shownToken } from "#lib/store/rules/names.ts";
import type { Store, StoredBlock, StoredToken } from "#lib/store/store.ts";
import { assetChanges, assetTotals } from "./derive.ts";

export interface VerifyOptions {
  /** Reads the canonical text of an address. Without it, texts are not checked. */
  parseAddress?(text: string, network: string): Address;
  /** Called after each block with the number of blocks checked so far, and of all blocks. */
  onProgress?(done: number, all: number): void;
}

/**
 * Recomputes everything that the store derives from its facts, and returns a line for each difference. Reads block by
 * block, so its memory grows with the number of tokens, not with the chain.
 */
export async function verifyStore(store: Store, options: VerifyOptions = {}): Promise<string[]> {
  const faults = await store.checkIntegrity();
  const identity = await store.identity();
  const heights = await store.heights();
  if (!identity) {
    if (heights.length > 0) faults.push("blocks are stored, but not which chain they belong to");
    return faults;
  }
  const tokens = await store.storedTokens();
  const decimals = new Map(tokens.map((token) => [token.id, token.decimals]));
  const facts = new TokenFacts(identity.native);
  const addresses = new AddressCheck((text) => options.parseAddress?.(text, identity.network));
  let below: StoredBlock | undefined;

  for (const [i, height] of heights.entries()) {
    const block = await store.storedBlock(height);
    if (below?.height === height - 1 && below.hash !== block.parentHash) {
      faults.push(`block ${height} names ${block.parentHash} as its parent, but ${below.hash} is below it`);
    }
    below = block;
    if (!hasItsChanges(block, identity.native.id)) {
      faults.push(`block ${height}: the stored changes do not match its transactions`);
    }
    for (const { assetId, amount, amountUsd, price } of block.changes) {
      const value = price === null ? 0n : valueInUsd(amount, decimals.get(assetId) ?? 0, price);
      if (amountUsd !== value) {
        faults.push(`block ${height}: ${assetId} is valued at ${amountUsd}, its price makes it ${value}`);
      }
    }
    for (const { outputs } of block.transactions) {
      for (const { output } of outputs) faults.push(...addresses.faultsOf(output.address));
    }
    facts.add(block);
    options.onProgress?.(i + 1, heights.length);
  }

  const { registry, icons } = await store.operatorData();
  const pictured = new Set(icons.map((icon) => icon.assetId));
  const entries = new Map(registry.map((entry) => [entry.id, entry]));
  for (const token of tokens) {
    const expected = facts.expected(token, entries.get(token.id), pictured.has(token.id));
    for (const [key, value] of Object.entries(expected)) {
      const stored = token[key as keyof StoredToken];
      if (JSON.stringify(stored) === JSON.stringify(value)) continue;
      faults.push(
        `token ${token.id}: ${key} is ${quoted(stored)}, the blocks and the registry make it ${quoted(value)}`,
      );
    }
  }
  return faults;
}

/** On one line, whatever characters a name has. */
const quoted = (value: unknown): string =>
  /^[\w.:-]+$/.test(String(value)) ? String(value) : JSON.stringify(value);

function hasItsChanges(block: StoredBlock, nativeId: string): boolean {
  const transactions = block.transactions.map(({ inputs, outputs }) => ({
    inputs,
    outputs: outputs.map(({ output }) => output),
  }));
  const changes = assetChanges(transactions, nativeId);
  return (
    changes.length === block.changes.length &&
    changes.every(({ assetId, amount }, n) => {
      const stored = block.changes[n]!;
      return stored.assetId === assetId && stored.amount === amount;
    })
  );
}

/** What the blocks say about each token, collected in chain order. */
class TokenFacts {
  readonly #native: NativeAsset;
  readonly #supply = new Map<string, bigint>();
  readonly #firstBlock = new Map<string, string>();
  readonly #firstMint = new Map<string, number>();
  readonly #claims = new Map<string, MetadataClaim>();
  readonly #references = new Map<string, { parentId: string; fungible: boolean }>();

  constructor(native: NativeAsset) {
    this.#native = native;
  }

  add(block: StoredBlock): void {
    for (const { inputs, outputs, claims } of block.transactions) {
      const totals = (of: { output: Output }[]) =>
        assetTotals(
          of.map(({ output }) => output),
          this.#native.id,
        );
      const spent = totals(inputs);
      const created = totals(outputs);
      for (const id of [...spent.keys(), ...created.keys()]) {
        if (!this.#firstBlock.has(id)) this.#firstBlock.set(id, block.hash);
      }
      for (const [id, total] of created) {
        if (total > (spent.get(id) ?? 0n) && !this.#firstMint.has(id))
          this.#firstMint.set(id, block.timestamp);
      }
      for (const { output } of [...inputs, ...outputs]) {
        if (output.token) this.#references.set(output.token.id, output.token);
      }
      for (const claim of claims)
        if (!this.#claims.has(claim.assetId)) this.#claims.set(claim.assetId, claim);
      for (const { output, spent: isSpent } of outputs) {
        if (isSpent) continue;
        this.#live(this.#native.id, output.capacity);
        if (output.token) this.#live(output.token.id, output.amount);
      }
    }
  }

  #live(id: string, amount: bigint): void {
    this.#supply.set(id, (this.#supply.get(id) ?? 0n) + amount);
  }

  expected({ id }: StoredToken, entry: RegistryEntry | undefined, hasPicture: boolean) {
    const { parentId = "", fungible = true } = this.#references.get(id) ?? {};
    const shown: ShownToken = shownToken(
      {
        id,
        fungible,
        parentId,
        claim: this.#claims.get(id) ?? null,
        parentClaim: this.#claims.get(parentId) ?? null,
        entry: entry ?? null,
        hasPicture,
      },
      this.#native,
    );
    const firstMint = this.#firstMint.get(id);
    return {
      totalSupply: (this.#supply.get(id) ?? 0n).toString(),
      firstFoundBlock: this.#firstBlock.get(id) ?? "",
      firstMintAt: firstMint === undefined ? "" : new Date(firstMint).toISOString(),
      ...shown,
      foldedName: foldCase(shown.name),
    };
  }
}

/** Checks texts of addresses, each once (except after 100,000 others, to limit memory). */
class AddressCheck {
  readonly #parse: (text: string) => Address | undefined;
  #seen = new Set<string>();

  constructor(parse: (text: string) => Address | undefined) {
    this.#parse = parse;
  }

  faultsOf({ key, text }: Address): string[] {
    if (this.#seen.has(key)) return [];
    if (this.#seen.size >= 100_000) this.#seen = new Set();
    this.#seen.add(key);
    try {
      const address = this.#parse(text);
      if (!address || (address.key === key && address.text === text)) return [];
      return [`address ${text}: names the key ${address.key}, but its outputs are stored under ${key}`];
    } catch (error) {
      return [`address ${quoted(text)}: ${(error as Error).message}`];
    }
  }
}

import { valueInUsd } from "#lib/contract/amounts.ts";
import type { Address } from "#lib/contract/ledger.ts";
import type { AuditedToken, Store, StoredBlock, StoredToken } from "#lib/store/store.ts";
import { assetChanges } from "./derive.ts";
import { FirstLines } from "./first-lines.ts";
import { TokenFacts } from "./token-facts.ts";

export interface VerifyOptions {
  /** Reads the text of an address. Without it, texts are not checked. */
  parseAddress?(text: string, network: string): Address;
}

/**
 * Recomputes everything that the store derives from its facts, and returns a line for each difference, up to
 * MAX_NAMED. Reads a block after another and tokens in groups, so its memory grows neither with the chain nor with the
 * number of tokens.
 */
export async function verifyStore(store: Store, options: VerifyOptions = {}): Promise<string[]> {
  const faults = new FirstLines(MAX_NAMED);
  faults.add(...(await store.checkIntegrity()));
  const identity = await store.identity();
  if (!identity) {
    if ((await store.heights(-1, 1)).length > 0) {
      faults.add("blocks are stored, but not which chain they belong to");
    }
    return named(faults);
  }
  using facts = new TokenFacts(identity.native);
  const addresses = new AddressCheck((text) => options.parseAddress?.(text, identity.network));
  let below: StoredBlock | undefined;

  for await (const height of heights(store)) {
    const block = await store.storedBlock(height);
    if (below?.height === height - 1 && below.hash !== block.parentHash) {
      faults.add(`block ${height} names ${block.parentHash} as its parent, but ${below.hash} is below it`);
    }
    below = block;
    if (!hasItsChanges(block, identity.native.id)) {
      faults.add(`block ${height}: the stored changes do not match its transactions`);
    }
    for (const { assetId, amount, amountUsd, decimals, price } of block.changes) {
      const value = price === null ? 0n : valueInUsd(amount, decimals, price);
      if (amountUsd !== value) {
        faults.add(`block ${height}: ${assetId} is valued at ${amountUsd}, its price makes it ${value}`);
      }
    }
    for (const { outputs } of block.transactions) {
      for (const { output } of outputs) faults.add(...addresses.faultsOf(output.address));
    }
    facts.add(block);
  }

  for await (const token of tokens(store)) {
    for (const [key, value] of Object.entries(facts.expected(token))) {
      const stored = token[key as keyof StoredToken];
      if (JSON.stringify(stored) === JSON.stringify(value)) continue;
      faults.add(
        `token ${token.id}: ${key} is ${quoted(stored)}, the blocks and the registry make it ${quoted(value)}`,
      );
    }
  }
  return named(faults);
}

/** Heights that are read at once, and tokens. */
const HEIGHTS_AT_ONCE = 10_000;
const TOKENS_AT_ONCE = 1_000;

async function* heights(store: Store): AsyncGenerator<number> {
  for (let after = -1; ; ) {
    const some = await store.heights(after, HEIGHTS_AT_ONCE);
    yield* some;
    if (some.length < HEIGHTS_AT_ONCE) return;
    after = some.at(-1)!;
  }
}

async function* tokens(store: Store): AsyncGenerator<AuditedToken> {
  for (let after = ""; ; ) {
    const some = await store.storedTokens(after, TOKENS_AT_ONCE);
    yield* some;
    if (some.length < TOKENS_AT_ONCE) return;
    after = some.at(-1)!.id;
  }
}

/** Differences that are named; further ones are counted. */
const MAX_NAMED = 10_000;

const named = (differences: FirstLines): string[] =>
  differences.lines((more, all) => `${more} more are not listed, ${all} in all`);

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
      // An earlier version may have stored another form of the address.
      if (!address || address.key === key) return [];
      return [`address ${text}: names the key ${address.key}, but its outputs are stored under ${key}`];
    } catch (error) {
      return [`address ${quoted(text)}: ${(error as Error).message}`];
    }
  }
}

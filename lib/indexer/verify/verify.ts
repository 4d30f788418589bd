import { isDeepStrictEqual } from "node:util";
import type { Address } from "#lib/contract/ledger.ts";
import { integrityFaults } from "#lib/indexer/verify/integrity.ts";
import { listedTokens } from "#lib/queries/access-tokens.ts";
import { assetIcon, iconEtag } from "#lib/queries/asset-icon.ts";
import { blockHeights, chainIdentity, chainTip, storedHorizon } from "#lib/queries/chain.ts";
import {
  type StoredAddress,
  type StoredBlock,
  type StoredToken,
  type StoredTouch,
  storedAddresses,
  storedBlock,
  storedTokens,
  storedTouches,
} from "#lib/queries/stored.ts";
import { isUnavailable } from "#lib/store/errors.ts";
import type { Query } from "#lib/store/query.ts";
import { type ChainIdentity, NATIVE_STANDARD } from "#lib/store/rows.ts";
import type { Store } from "#lib/store/store.ts";
import { firstId, heightOf, indexOf } from "#lib/store/transaction-id.ts";
import { valueInUsd } from "#lib/util/amounts.ts";
import { assetChanges } from "../derive.ts";
import { FirstLines, quoted } from "../first-lines.ts";
import { ChainFacts } from "./chain-facts.ts";
import { type NodeToCompare, nodeComparison } from "./compare.ts";

/** Differences beyond these are only counted. */
const MAX_NAMED = 10_000;

export interface VerifyOptions {
  /** Parses the text of an address. Without it, texts are not checked. */
  parseAddress?(text: string, network: string): Address;
  /** A node to compare the chain's facts with, which no stored row repeats. Without it, they are not checked. */
  node?: NodeToCompare | undefined;
}

/**
 * Recomputes everything that the store derives from the chain's facts, and compares these with a node if one is given.
 * Returns a line for each difference, up to MAX_NAMED. Its memory does not grow with the database. It cannot recompute
 * asset changes, first mints and first heights of addresses up to the horizon.
 */
export async function verifyStore(store: Store, options: VerifyOptions = {}): Promise<string[]> {
  const faults = new FirstLines(MAX_NAMED, (more, all) => `${more} more are not listed, ${all} in all`);
  /** Reports a value that damage has made unreadable as a fault. */
  const reading = async <T>(what: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (isUnavailable(error)) throw error;
      faults.add(`${what} cannot be read: ${(error as Error).message}`);
      return undefined;
    }
  };

  // The node comes first, so that an unreachable one does not show only after an hour.
  const followed = await options.node?.source.identity();
  faults.add(...((await reading("the database", () => store.query(integrityFaults))) ?? []));
  await reading("an access token", () => store.query(listedTokens));
  const identity = await reading("which chain it is", () => store.query(chainIdentity));
  if (!identity) {
    if (identity === null && (await store.query(blockHeights, { after: -1, limit: 1 })).length > 0) {
      faults.add("blocks are stored, but not which chain they belong to");
    }
    return faults.lines;
  }

  const tipHash = () => reading("the tip", async () => (await store.query(chainTip))?.hash);
  const before = await tipHash();
  const horizon = await reading("the horizon", () => store.query(storedHorizon));
  if (horizon === undefined) return faults.lines;
  using facts = new ChainFacts(identity.native, horizon);
  let { node } = options;
  if (followed && followed.network !== identity.network) {
    faults.add(
      `the database holds ${identity.network}, the node ${followed.network}: they were not compared`,
    );
    node = undefined;
  }
  /** The place of the block below, without its outputs, which would take memory. */
  let below: Pick<StoredBlock, "height" | "hash"> | undefined;
  const complete = await reading("the list of blocks", async () => {
    let count = 0;
    let highest = -1;
    for await (highest of heights(store)) count += 1;
    using comparison = node && nodeComparison(node, count, highest, horizon);
    // Missing blocks may have created live outputs, so only a complete index is compared.
    using live = count === highest + 1 ? node?.source.liveOutputs?.() : undefined;
    let isComparing = live !== undefined;
    const compareLive = async (work: () => Promise<unknown> | undefined) => {
      if (!isComparing) return;
      try {
        const difference = await work();
        if (typeof difference === "string") faults.add(difference);
      } catch (error) {
        isComparing = false;
        faults.add(`the live outputs were not compared: ${(error as Error).message}`);
      }
    };
    for await (const height of heights(store)) {
      const block = await reading(`block ${height}`, () => store.query(storedBlock, height));
      if (block) {
        faults.add(
          ...blockFaults(block, below, identity, horizon).map((fault) => `block ${height}: ${fault}`),
        );
        facts.add(block);
        await compareLive(() => live?.add(block, liveOutputsOf(block)));
      }
      for await (const fault of comparison?.faultsAt(height, block) ?? []) faults.add(fault);
      below = block && { height: block.height, hash: block.hash };
    }
    const last = below;
    if (last) await compareLive(() => live?.difference(last));
    return true;
  });
  if (!complete) return faults.lines;
  await reading("a token", async () => {
    for await (const token of paged(store, storedTokens, "", ({ id }) => id)) {
      for (const fault of await tokenFaults(store, token, facts)) faults.add(`token ${token.id}: ${fault}`);
    }
  });
  await reading("an address", async () => {
    for await (const address of paged(store, storedAddresses, "0x", ({ key }) => key)) {
      for (const fault of addressFaults(address, facts, identity, { ...options, horizon })) {
        faults.add(`address ${quoted(address.text)}: ${fault}`);
      }
    }
  });
  await reading("what a transaction did to an address", async () => {
    const touches = paged(store, storedTouches, null as StoredTouch | null, (each) => each, 10_000);
    for await (const touch of touches) {
      const { owner: _owner, addressKey, transactionId, ...stored } = touch;
      // A spend up to the horizon counts as none.
      if (stored.lastSpent > 0 && stored.lastSpent < firstId(horizon + 1)) stored.lastSpent = 0;
      const made = facts.takeTouch(addressKey, transactionId);
      if (isDeepStrictEqual(stored, made)) continue;
      faults.add(
        `transaction ${indexOf(transactionId)} of block ${heightOf(transactionId)} did ${quoted(stored)} to the address ${addressKey}, its outputs make it ${quoted(made ?? null)}`,
      );
    }
    if (facts.touchesLeft > 0) {
      faults.add(`${facts.touchesLeft} times, what a transaction did to an address is not stored`);
    }
  });
  if (faults.count === 0 || (await tipHash()) === before) return faults.lines;
  return [
    ...faults.lines,
    "the tip changed meanwhile, which can cause such faults by itself: stop sync, and verify again",
  ];
}

function blockFaults(
  block: StoredBlock,
  below: Pick<StoredBlock, "height" | "hash"> | undefined,
  { native }: ChainIdentity,
  horizon: number,
): string[] {
  const { height, changes } = block;
  // The remaining transactions up to the horizon are checked by their sums.
  const transactions = height > horizon ? block.transactions : [];
  const faults: string[] = [];
  if (below?.height === height - 1 && below.hash !== block.parentHash) {
    faults.push(`names ${block.parentHash} as its parent, but ${below.hash} is below it`);
  }
  const checkNumbers = (what: string, list: { index: number }[]) => {
    if (list.some(({ index }, n) => index !== n)) faults.push(`the ${what} are not numbered from 0 on`);
  };
  checkNumbers("transactions", transactions);
  checkNumbers("changes", changes);
  for (const { index, inputs, outputs } of transactions) {
    checkNumbers(`inputs of transaction ${index}`, inputs);
    checkNumbers(`outputs of transaction ${index}`, outputs);
  }
  const checkCount = (what: string, length: number, counted: number) => {
    if (length !== counted) faults.push(`${length} ${what} are stored, ${counted} are counted`);
  };
  if (height > horizon) checkCount("transactions", transactions.length, block.transactionCount);
  checkCount("changes", changes.length, block.changeCount);
  const moved = changes.map(({ assetId, amount, transactions }) => ({ assetId, amount, transactions }));
  if (height > horizon && !isDeepStrictEqual(moved, assetChanges(transactions, native.id))) {
    faults.push("the stored changes do not match its transactions");
  }
  for (const { assetId, amount, amountUsd, decimals, price } of changes) {
    const value = price === null ? 0n : valueInUsd(amount, decimals, price);
    if (amountUsd !== value) {
      faults.push(`${assetId} is valued at ${amountUsd}, its price makes it ${value}`);
    }
  }
  return faults;
}

async function tokenFaults(store: Store, token: StoredToken, facts: ChainFacts): Promise<string[]> {
  const faults: string[] = [];
  for (const [key, value] of Object.entries(facts.expected(token))) {
    const stored = token[key as keyof StoredToken];
    if (JSON.stringify(stored) === JSON.stringify(value)) continue;
    faults.push(`${key} is ${quoted(stored)}, the blocks and the registry make it ${quoted(value)}`);
  }
  if (token.firstHeight === null && token.standard !== NATIVE_STANDARD) faults.push("no block mentions it");
  if (token.entry && token.entry.id !== token.id) faults.push("its registry entry is about another asset");
  const icon = token.hasPicture ? await store.query(assetIcon, token.id) : null;
  if (icon && icon.etag !== iconEtag(icon.picture)) faults.push("its picture is not the one that was stored");
  return faults;
}

function addressFaults(
  { key, text, firstHeight }: StoredAddress,
  facts: ChainFacts,
  { network }: ChainIdentity,
  { parseAddress, horizon }: VerifyOptions & { horizon: number },
): string[] {
  const faults: string[] = [];
  const seen = facts.firstHeightOf(key);
  const isForgotten = seen !== undefined && firstHeight >= 0 && firstHeight <= Math.min(seen, horizon);
  if (seen !== firstHeight && !isForgotten) {
    faults.push(`firstHeight is ${firstHeight}, the blocks make it ${seen ?? "none"}`);
  }
  try {
    const address = parseAddress?.(text, network);
    if (address && address.key !== key) {
      faults.push(`names the key ${address.key}, but its outputs are stored under ${key}`);
    }
  } catch (error) {
    faults.push((error as Error).message);
  }
  return faults;
}

const heights = (store: Store): AsyncGenerator<number> =>
  paged(store, blockHeights, -1, (height) => height, 10_000);

const liveOutputsOf = ({ transactions }: StoredBlock) =>
  transactions.flatMap(({ index: place, hash: transactionHash, outputs }) =>
    outputs.flatMap(({ index: outputIndex, output, spent }) =>
      spent ? [] : [{ transactionHash, outputIndex, output, isReward: place === 0 }],
    ),
  );

/** Reads a whole list in pages of `limit`. */
async function* paged<T, K>(
  store: Store,
  query: Query<{ after: K; limit: number }, T[]>,
  first: K,
  keyOf: (item: T) => K,
  limit = 1_000,
): AsyncGenerator<T> {
  for (let after = first; ; ) {
    const some = await store.query(query, { after, limit });
    yield* some;
    if (some.length < limit) return;
    after = keyOf(some.at(-1)!);
  }
}

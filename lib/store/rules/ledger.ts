/** What happens to the tables when the ledger is written, in the order in which it happens. */
import type { RegistryEntry } from "#lib/contract/registry.ts";
import {
  type ApplyOptions,
  type AssetIcon,
  ChainConflictError,
  type ChainIdentity,
  type ResolvedBlock,
  type ResolvedInput,
} from "#lib/store/store.ts";
import type { Tables } from "#lib/store/tables/ledger.ts";
import { Batch, hasMoved } from "./batch.ts";
import { fillGaps } from "./gaps.ts";
import { newlyNamed, refreshNames, refreshWithMembers } from "./names.ts";
import type { OutputPlace } from "./rows.ts";
import type { Steps } from "./steps.ts";
import { addChanges } from "./values.ts";

/** Fixes the chain on the first call; throws ChainConflictError if the tables hold another. */
export function* identify(tables: Tables, identity: ChainIdentity): Steps<void> {
  const stored = yield* tables.identity();
  if (!stored) {
    yield* tables.addIdentity(identity);
    yield* refreshNames(tables, [identity.native.id], identity.native);
    return;
  }
  if (stored.network === identity.network && stored.demo === identity.demo) return;
  const name = (chain: ChainIdentity) => (chain.demo ? "the demo chain" : chain.network);
  throw new ChainConflictError(
    `This database holds ${name(stored)}; ${name(identity)} cannot be mixed into it`,
  );
}

/**
 * Stores the blocks, and returns how many were new. It loads what they meet, fits them together in memory, and saves table by
 * table, so the number of statements does not depend on the number of blocks. Throws ChainConflictError if a block contradicts
 * a neighbour, takes an occupied height or spends what is spent; with `extendTip`, also if it does not follow the tip.
 */
export function* applyBlocks(tables: Tables, blocks: ResolvedBlock[], options: ApplyOptions): Steps<number> {
  if (options.chain) yield* identify(tables, options.chain);
  const identity = yield* tables.identity();
  if (!identity) throw new Error("The database has no chain yet: call identify first");
  if (blocks.length === 0) return 0;
  const { native } = identity;
  const tip = yield* tables.tip();
  const batch = new Batch({ nativeId: native.id, tip: options.extendTip ? tip : undefined });
  yield* loadNeighbours(tables, batch, blocks);
  yield* loadTransactions(tables, batch, blocks);
  for (const block of blocks) batch.add(block);
  if (batch.blocks.length === 0) return 0;

  const heights = batch.blocks.map((block) => block.height);
  yield* fillGaps(tables, heights, tip?.height ?? -1);
  yield* tables.addBlocks(batch.blocks);
  const tokens = batch.sums.tokens();
  const assets = tokens.map((token) => token.assetId);
  const added = yield* tables.addTokens(assets, batch.references);
  yield* tables.addAddresses(batch.addresses);
  const named = yield* newlyNamed(tables, batch.claims);
  yield* tables.addClaims(batch.claims);
  const transactions = [...batch.transactions.values()];
  yield* tables.addTransactions(transactions.filter(({ storedId }) => storedId === undefined));
  yield* tables.moveTransactions(transactions.filter(hasMoved));
  yield* tables.addOutputs(batch.addedOutputs());
  yield* tables.spendOutputs(batch.spentOutputs());
  yield* tables.addToTokens(tokens);
  yield* tables.addToHoldings(batch.sums.holdings());
  yield* tables.addToKinds(batch.sums.kinds());
  // Names and decimals first: the value of a change depends on its asset's decimals.
  yield* refreshWithMembers(tables, named, added, native);
  yield* addChanges(tables, batch.blocks);
  return batch.blocks.length;
}

function* loadNeighbours(tables: Tables, batch: Batch, blocks: ResolvedBlock[]): Steps<void> {
  const heights = new Set(blocks.flatMap(({ height }) => [height - 1, height, height + 1]));
  for (const { height, hash, parentHash } of yield* tables.blocksAt([...heights])) {
    batch.knowBlock(height, hash, parentHash);
  }
}

/**
 * Loads the transactions whose outputs the blocks spend. The blocks' own can be stored only if some were spent from before they
 * came; most chains have none, and are spared these look-ups.
 */
function* loadTransactions(tables: Tables, batch: Batch, blocks: ResolvedBlock[]): Steps<void> {
  const own = new Set<string>();
  const creators = new Set<string>();
  const inputs: ResolvedInput[] = [];
  for (const block of blocks) {
    if (batch.holds(block)) continue;
    for (const transaction of block.transactions) {
      own.add(transaction.hash);
      for (const input of transaction.inputs) {
        inputs.push(input);
        if (input.transactionId === undefined) creators.add(input.outPoint.transactionHash);
        else batch.knowTransaction(input.outPoint.transactionHash, input.transactionId);
      }
    }
  }
  batch.lowestId = yield* tables.lowestTransactionId();
  const sought = batch.lowestId < 0 ? own.union(creators) : creators.difference(own);
  if (sought.size > 0) {
    for (const [hash, id] of yield* tables.transactionIds([...sought])) batch.knowTransaction(hash, id);
  }

  const places: OutputPlace[] = [];
  for (const { outPoint } of inputs) {
    const { transactionHash, outputIndex } = outPoint;
    const creator = batch.transactions.get(transactionHash);
    if (creator && !own.has(transactionHash)) {
      places.push({ transactionHash, outputIndex, transactionId: creator.id });
    }
  }
  for (const row of yield* tables.outputs(places)) batch.knowOutput(row);
  if (batch.lowestId >= 0) return;
  // One of our own that is known already was spent from before it came, and moves to its place with all of it.
  const whole = [...own].flatMap((hash) => batch.transactions.get(hash)?.id ?? []);
  for (const row of yield* tables.outputsOf(whole)) batch.knowOutput(row);
}

/** Replaces the registry and the pictures of its icons, and updates the names and values that follow. */
export function* replaceRegistry(
  tables: Tables,
  entries: RegistryEntry[],
  icons: AssetIcon[] = [],
): Steps<void> {
  const touched = new Set(yield* tables.listedAssets());
  for (const { id } of entries) touched.add(id);
  for (const { assetId } of icons) touched.add(assetId);
  yield* tables.replaceListing(entries, icons);
  const identity = yield* tables.identity();
  if (identity) yield* refreshNames(tables, touched, identity.native);
}

import type { HeightRange } from "#lib/contract/coverage.ts";
import type { MetadataClaim, Output, TokenReference } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import type { AssetIcon, ChainIdentity, Price, ResolvedBlock, Tip } from "#lib/store/store.ts";
import type { Steps } from "./steps.ts";
import type { Held, HoldingDelta, KindDelta, TokenDelta } from "./sums.ts";

/** An output as it is stored. */
export interface OutputRow {
  transactionId: number;
  outputIndex: number;
  addressKey: string;
  /** The native asset's if it holds no token. */
  assetId: string;
  /** Of the token; null if it holds none: then its amount is its capacity. */
  amount: bigint | null;
  capacity: bigint;
  /** See `Output.kind`. */
  kind: string | null;
  /** The transaction that spends it, by id, and the place among its inputs. */
  spentBy: number | null;
  spentInput: number | null;
}

/** An output with both names of its transaction. */
export interface PlacedOutput extends OutputRow {
  transactionHash: string;
}

export type OutputPlace = Pick<PlacedOutput, "transactionHash" | "transactionId" | "outputIndex">;

/** A claim at its place in the chain. */
export interface ClaimRow extends MetadataClaim {
  assetId: string;
  transactionId: number;
}

/** A transaction, as a batch of blocks and the tables know it. */
export interface TransactionRecord {
  hash: string;
  /** Its place in the chain; negative if its block is not indexed. */
  id: number;
  /** The id under which the tables hold it, if they do. */
  storedId: number | undefined;
  /** What it creates, if the batch brings it. */
  created: readonly Output[];
  /** Of its outputs, by index, those that the tables hold or the batch spends. Most have none. */
  known: Map<number, KnownOutput> | undefined;
}

export interface KnownOutput extends Held {
  spentBy: number | null;
  spentInput: number | null;
  /** The tables hold it. */
  stored: boolean;
  /** The batch spends it. */
  spentNow: boolean;
}

/** The fields of a token that people see and may override. */
export interface ShownToken {
  layer: number;
  parentId: string;
  name: string;
  symbol: string;
  decimals: number;
  icon: string;
  description: string;
  keywords: string;
  public: boolean;
  /** Sorted, without repeats. */
  tags: string[];
}

export type ClaimText = Pick<MetadataClaim, "name" | "symbol" | "decimals">;

/** Everything that decides what a token is called. */
export interface NamingFacts {
  id: string;
  fungible: boolean;
  /** As the chain says; `""` if there is none. */
  parentId: string;
  /** The earliest about the token, and about its parent. */
  claim: ClaimText | null;
  parentClaim: ClaimText | null;
  entry: RegistryEntry | null;
  /** A picture of its icon is stored. */
  hasPicture: boolean;
}

/** A stored token that may be called otherwise from now on. */
export interface NamedToken extends NamingFacts {
  /** As shown so far. */
  decimals: number;
}

/** What is saved of a token's name. */
export interface NameRow extends ShownToken {
  id: string;
  /** By which it is found. */
  foldedName: string;
}

/** What a block's change of an asset is worth, at its place. */
export interface ValueRow {
  blockHash: string;
  height: number;
  /** From 0, in order of first appearance in the block. */
  ordinal: number;
  /** Units of 10^-8 US dollars. */
  usd: bigint;
}

export interface ChangeRow extends ValueRow {
  assetId: string;
  amount: bigint;
}

/** A stored change, with the time of its block. */
export interface DatedChange extends ValueRow {
  amount: bigint;
  timestamp: number;
}

/** A block that is taken back. */
export interface RetractedBlock extends Tip {
  /** Joined keys of the addresses whose outputs it created or spent; null if nobody needs to know. */
  touched: string | null;
}

/** What blocks that are taken back leave behind in the tables. */
export interface Retraction {
  /** Highest first; no other block is stored above the last one. */
  blocks: RetractedBlock[];
  /** Created by these blocks and not spent. */
  live: OutputRow[];
  /** Spent by these blocks and created below them: they become live again. */
  revived: OutputRow[];
  /** Ids of transactions that are not indexed and whose outputs these blocks spend. */
  foreign: number[];
}

/**
 * The tables of a storage engine, as the rules of the ledger see them: they load and save, and decide nothing. All
 * calls belong to one write transaction. The rows of a call may come in any order, unless it says otherwise.
 */
export interface Tables {
  identity(): Steps<ChainIdentity | null>;
  /** Notes the chain, and its native asset as the first token. */
  addIdentity(identity: ChainIdentity): Steps<unknown>;

  // --- storing blocks ----------------------------------------------------------------------------------
  tip(): Steps<Tip | null>;
  addGaps(gaps: HeightRange[]): Steps<unknown>;
  /** Removes the gap with this height, and returns it. */
  removeGapAt(height: number): Steps<HeightRange>;
  /** Removes the gaps that begin above this height. */
  removeGapsAbove(height: number): Steps<unknown>;
  /** The blocks that are stored at these heights. */
  blocksAt(heights: number[]): Steps<(Tip & { parentHash: string })[]>;
  /** Ids of the transactions that are stored. */
  transactionIds(hashes: string[]): Steps<Map<string, number>>;
  /** 0 if there are no transactions; below 0 if some are not indexed. */
  lowestTransactionId(): Steps<number>;
  outputs(places: OutputPlace[]): Steps<OutputRow[]>;
  /** All outputs stored of these transactions. */
  outputsOf(transactionIds: number[]): Steps<OutputRow[]>;
  /** Adds the assets that are not stored yet, in this order, and returns them. */
  addTokens(assetIds: string[], references: Map<string, TokenReference>): Steps<string[]>;
  /** Adds the blocks, which are not abandoned any more. */
  addBlocks(blocks: ResolvedBlock[]): Steps<unknown>;
  /** @throws ChainConflictError if one of them is stored already */
  addTransactions(transactions: TransactionRecord[]): Steps<unknown>;
  /** Gives stored transactions another id, and removes their outputs, which `addOutputs` brings back. */
  moveTransactions(transactions: TransactionRecord[]): Steps<unknown>;
  /** By key. Adds those that are not stored yet, and lowers the first height of the others if it is higher. */
  addAddresses(addresses: Map<string, { text: string; firstHeight: number }>): Steps<unknown>;
  addClaims(claims: ClaimRow[]): Steps<unknown>;
  /** The outputs of one transaction follow each other. */
  addOutputs(outputs: Iterable<PlacedOutput>): Steps<unknown>;
  /** Notes by what the outputs, which were live, are spent. */
  spendOutputs(outputs: Iterable<PlacedOutput>): Steps<unknown>;
  /** Adds to supplies, and lowers first heights if they are higher or unknown. */
  addToTokens(deltas: TokenDelta[]): Steps<unknown>;
  /** Adds to holdings, and removes those without outputs. */
  addToHoldings(deltas: HoldingDelta[]): Steps<unknown>;
  /** Adds to the sums by kind, and removes those without outputs. */
  addToKinds(deltas: KindDelta[]): Steps<unknown>;
  addChanges(changes: ChangeRow[]): Steps<unknown>;

  // --- taking blocks back ------------------------------------------------------------------------------
  /** Of the blocks above `height`, the highest ones, highest first; empty if there are none. */
  highestBlocks(height: number, limit: number): Steps<Tip[]>;
  /** Outputs that a transaction from this id on spends. */
  outputsSpentFrom(transactionId: number): Steps<OutputRow[]>;
  /** Outputs that a transaction from this id on creates. */
  outputsCreatedFrom(transactionId: number): Steps<OutputRow[]>;
  /**
   * Notes the blocks as abandoned, and forgets whom those touched that are REMEMBERED_BLOCKS below them. Returns the
   * assets about which the blocks made claims.
   */
  retract(retraction: Retraction): Steps<string[]>;
  /**
   * Removes those of the addresses and tokens that were first seen above `height`, and first mints above it. The
   * native asset stays.
   */
  dropUnseen(height: number, addressKeys: string[], assetIds: string[], nativeId: string): Steps<unknown>;

  // --- names -------------------------------------------------------------------------------------------
  /** Of each of the assets and collections that has claims, the earliest. */
  earliestClaims(assetIds: string[]): Steps<ClaimRow[]>;
  /** The stored tokens in these collections. */
  membersOf(collectionIds: string[]): Steps<string[]>;
  /** Of the stored tokens among these assets. */
  namingFacts(assetIds: string[]): Steps<NamedToken[]>;
  saveNames(names: NameRow[]): Steps<unknown>;
  /** Assets with a registry entry or a picture. */
  listedAssets(): Steps<string[]>;
  replaceListing(entries: RegistryEntry[], icons: AssetIcon[]): Steps<unknown>;

  // --- values ------------------------------------------------------------------------------------------
  /** For each stored asset and time, in order, its decimals and the price in force; null if it has none. */
  pricesAt(asked: { assetId: string; time: number }[]): Steps<{ decimals: number; usd: bigint | null }[]>;
  /** Adds or replaces; no two are of one asset and time. Returns those that were not stored like this already. */
  addPrices(prices: Price[]): Steps<Pick<Price, "assetId" | "time">[]>;
  /** Removes the asset's prices of these times, both included; returns how many there were. */
  removePrices(assetId: string, from: number, to: number): Steps<number>;
  /** Prices of the asset in order of time, from the one in force at `time` on. */
  pricesFrom(assetId: string, time: number): Steps<{ time: number; usd: bigint }[]>;
  /** Undefined if the asset was never seen. */
  decimalsOf(assetId: string): Steps<number | undefined>;
  /** The lowest height of a block at or after `time`; null if there is none. */
  firstHeightFrom(time: number): Steps<number | null>;
  /** Some of the asset's changes in blocks above a height and not before `time`: the lowest ones, in order. */
  changesOf(assetId: string, aboveHeight: number, time: number): Steps<DatedChange[]>;
  saveValues(values: ValueRow[]): Steps<unknown>;
}

/**
 * What the service keeps, by role: who needs a part of it takes that interface and not the whole `Store`. These are
 * also the promises that every storage engine makes. This file knows no chain's encoding and no HTTP; only the engines
 * know SQL.
 *
 * All reads of one call see one committed state and say at which tip (see `IndexTip`). Every write is one transaction: all
 * of it happens, or nothing.
 */
import type { ChangingOutputs, StoredFacts } from "#lib/contract/chain.ts";
import type { HeightRange } from "#lib/contract/coverage.ts";
import type { Scope } from "#lib/contract/endpoints.ts";
import type {
  Address,
  Block,
  BlockFacts,
  MetadataClaim,
  NativeAsset,
  OutPoint,
  Output,
  Transaction,
} from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";

// --- the chain, and the two questions --------------------------------------------------------------------

/** A block's place: often the highest indexed one. */
export interface Tip {
  height: number;
  hash: string;
}

/** The highest indexed block, and what is indexed below it. */
export interface IndexTip extends Tip {
  /** Heights that are indexed, as `coverageText` lists them; missing if every one from 0 to the tip is. */
  coverage?: string;
}

/** A stored block's place and time. */
export interface BlockHeader extends Tip {
  /** Milliseconds since the Unix epoch, as the block says. */
  timestamp: number;
}

/** Which chain a database holds; fixed by the first block that it takes. */
export interface ChainIdentity {
  /** The network's name in the chain's own words: `mainnet`, `testnet`. */
  network: string;
  native: NativeAsset;
  /** The blocks were generated, not mined: pages say so. */
  demo: boolean;
}

/** `AssetRow.standard` of the native asset. */
export const NATIVE_STANDARD = "native";

/** What is shown of an asset in every place. */
export interface AssetRow {
  id: string;
  /** Unknown text is `""`, unknown decimals are 0. */
  name: string;
  icon: string;
  symbol: string;
  decimals: number;
  /** What issued it: `NATIVE_STANDARD`, or `TokenReference.standard`. */
  standard: string;
}

/** A token: the chain's facts, the earliest claim about it, and the registry over both. */
export interface TokenRow extends AssetRow {
  layer: number;
  /** The collection or asset that it derives from; `""` if there is none. */
  parentId: string;
  /** Exact decimal digits: the sum over the live outputs that are indexed. */
  totalSupply: string;
  description: string;
  public: boolean;
  /** Hash of the first indexed block that mentions it; `""` if none is indexed yet. */
  firstFoundBlock: string;
  /** Time of its first mint, RFC 3339; `""` if no indexed block mints it. */
  firstMintAt: string;
  /** Separated by commas. */
  keywords: string;
}

/**
 * A place in chain order, and the state that it was read from. Of both hashes, the first digits with `0x` or the last
 * ones without are enough.
 */
export interface Position {
  height: number;
  transactionIndex: number;
  outputIndex: number;
  /** Tells whether the place still exists: after a reorganisation a walk resumes from the fork instead. */
  blockHash: string;
  /** A block of that state: its tip, or as much as is known of it. A copy of the data that never had this block is behind. */
  readAt: Tip;
}

export interface UtxoQuery {
  addressKey: string;
  /** Only outputs holding this asset. */
  token?: string | undefined;
  /** `asc`: oldest first, in chain order. */
  order: "asc" | "desc";
  /** Exclusive; undefined starts at the beginning. */
  after?: Position | undefined;
  limit: number;
}

export interface UtxoRow {
  /** One object for each token of the page, shared by its rows. */
  token: TokenRow;
  height: number;
  transactionHash: string;
  outputIndex: number;
  /** Exact decimal digits. */
  amount: string;
  capacity: string;
}

export interface UtxoPage {
  tip: IndexTip | null;
  rows: UtxoRow[];
  /** True only if at least one more row follows the last one. */
  hasNext: boolean;
  /** Of the last row; null for an empty page. */
  last: Position | null;
}

export interface AssetChangeQuery {
  blockHash: string;
  /** Case-insensitive literal substring of the asset's name; "" matches all. */
  assetName: string;
  /** What `HoldingQuery.search` finds; `assetName` narrows it further. */
  search?: string;
  /** Any of these; empty matches all. */
  tags: string[];
  /** By value in US dollars, ties in order of first appearance; undefined: order of first appearance. */
  volumeOrder?: "asc" | "desc" | undefined;
  offset: number;
  limit: number;
}

export interface AssetChangeRow {
  /** Exact decimal digits, smallest unit. */
  amount: string;
  /** Units of 10^-8 US dollars, exact decimal digits. */
  amountUsd: string;
  asset: AssetRow;
  tags: string[];
}

/** A stored block, its parent included. */
export interface ChainBlock extends BlockHeader {
  parentHash: string;
}

export interface AssetChangePage {
  tip: IndexTip | null;
  /** The block that was asked for. */
  block: ChainBlock;
  rows: AssetChangeRow[];
  /** Matching rows before paging. */
  total: number;
}

/** Thrown if a position names a block that this copy of the data never had: the copy may be behind. */
export class PositionAheadError extends Error {
  readonly code = "POSITION_AHEAD";

  constructor() {
    super("The position comes from a state that is not indexed here");
    this.name = "PositionAheadError";
  }
}

export interface Queries {
  tip(): Promise<IndexTip | null>;
  /** Null while the database is empty. */
  identity(): Promise<ChainIdentity | null>;
  /** Null if no canonical block has this hash. */
  blockHeader(blockHash: string): Promise<BlockHeader | null>;
  /** Null if no block is stored at this height. */
  blockHashAt(height: number): Promise<string | null>;
  /** Where an output stands in the chain, spent or not; null if no indexed block has its transaction. */
  placeOf(outPoint: OutPoint): Promise<Position | null>;
  /** Throws PositionAheadError if `after` comes from a state that this copy of the data has not reached. */
  utxosOfAddress(query: UtxoQuery): Promise<UtxoPage>;
  /** `Output.kind` of each of these outputs, in order; null also for one that is not stored. */
  outputKinds(outPoints: readonly OutPoint[]): Promise<(string | null)[]>;
  /** Those that are stored at these heights. */
  blockFacts(heights: readonly number[]): Promise<BlockFacts[]>;
  /** Null if no canonical block has this hash. */
  assetChangesOfBlock(query: AssetChangeQuery): Promise<AssetChangePage | null>;
}

/** As far back as a reader is led, in blocks: whom older abandoned blocks touched is forgotten. */
export const REMEMBERED_BLOCKS = 10_000;

/** Keys of the addresses whose outputs a block created or spent; empty if they were not asked for. */
interface Touching {
  touched: string[];
}

/** What happened to the chain since a block was its newest. */
export interface ChainProgress {
  tip: IndexTip | null;
  /**
   * Blocks that were taken back, the newest first. Null if the block is not known, a gap hides where the chain forked,
   * or it is asked for, but not remembered, whom one of them touched.
   */
  removed: (Omit<ChainBlock, "timestamp"> & Touching)[] | null;
  /** Blocks that came on top, the lowest first. */
  added: (ChainBlock & Touching)[];
}

/** Following the chain. */
export interface History {
  /**
   * Leads from a block towards the tip, in at most `limit` steps; none if the block is the tip. Null stands for the
   * state before the first block. Throws PositionAheadError if the block is above the tip and unknown.
   */
  progressSince(
    block: Tip | null,
    options: { limit: number; withAddresses: boolean },
  ): Promise<ChainProgress>;
}

// --- what pages show around them ------------------------------------------------------------------------

/** What a block moved, in figures. */
export interface BlockFigures {
  transactionCount: number;
  assetCount: number;
  /** Changes whose asset has no price at the block's time. */
  unpricedCount: number;
  /** Units of 10^-8 US dollars: the sum over the priced changes. */
  volumeUsd: string;
}

/** What a block's page shows beside its changes. */
export interface BlockOverview extends ChainBlock, BlockFigures {
  /** Tags of the block's assets, most frequent first, then by name. */
  tags: { tag: string; count: number }[];
  /** Hash of the indexed block above, if any; the one below is `parentHash`, if `parentIndexed`. */
  nextHash: string | null;
  parentIndexed: boolean;
  tip: IndexTip;
}

/** What an asset is called, and whether that is the registry's word. */
export type NamedAsset = Pick<TokenRow, "id" | "name" | "symbol" | "decimals" | "public">;

/** A block that a reorganisation replaced. */
export interface AbandonedBlock {
  height: number;
  hash: string;
  /** The block now at that height, if any. */
  replacedBy: string | null;
}

/** What an address holds of one asset. */
export interface Holding {
  token: TokenRow;
  /** Exact decimal digits, smallest unit. */
  amount: string;
  /** Of the outputs that hold it. */
  capacity: string;
  outputCount: number;
  /** The latest price as of the tip's time; null if the asset has none. */
  price: {
    /** US dollars for one whole token, scaled by 10^18. */
    usd: string;
    /** Milliseconds since the Unix epoch: in force from then on. */
    time: number;
  } | null;
  /** The amount at that price, in units of 10^-8 US dollars; null without a price. */
  valueUsd: string | null;
}

/** Which holdings an overview lists; its sums are over all of them. */
export interface HoldingQuery {
  /**
   * Only assets whose name contains it (in any case), whose symbol does (ASCII letters in any case), or whose id does.
   * "" lists all.
   */
  search?: string;
  offset?: number;
  limit: number;
  /** How many of the holdings with the most capacity are listed beside. */
  largest?: number;
}

/** What an address's page shows beside its outputs. */
export interface AddressOverview {
  outputCount: number;
  capacity: string;
  /** Distinct assets held, the native one included. */
  tokenCount: number;
  /** Live holdings by asset: the most valuable first, then those without a price by their number of outputs. */
  holdings: Holding[];
  /** How many holdings match the search. */
  matchCount: number;
  /** Those with the most capacity, the largest first, whatever is searched for. */
  largest: { token: TokenRow; capacity: string }[];
  /** Units of 10^-8 US dollars: the sum over all holdings, at each asset's latest price as of the tip's time. */
  valueUsd: string;
  /** Assets held that have no price by then. */
  unpricedCount: number;
  tip: IndexTip | null;
}

/** Live outputs of one kind. */
export type KindSum = {
  /** The standard of their token, or the word of `Output.kind`. */
  kind: string;
  outputCount: number;
  /** Exact decimal digits. */
  capacity: string;
};

/** Reading each of them takes too long beyond this. */
export const MAX_CHANGING_OUTPUTS = 100_000;

/** What an address's live outputs are. */
export interface CapacityByKind {
  tip: IndexTip | null;
  sums: KindSum[];
  /** Those of its outputs that were asked for; null if they may be more than MAX_CHANGING_OUTPUTS. */
  changing: StoredFacts[] | null;
  /** The tip, and the blocks that created these outputs. */
  blocks: BlockFacts[];
}

/** How many of an address's live outputs were created at these heights, both ends included. */
export interface OutputAge {
  from: number;
  to: number;
  count: number;
}

/** Counting them reads them all, which takes too long beyond this. */
export const MAX_AGED_OUTPUTS = 100_000;

/** Heights from `lowest` to `highest` in at most `count` ranges of one length; the last one may be shorter. */
export function heightRanges(lowest: number, highest: number, count: number) {
  const length = Math.ceil((highest - lowest + 1) / count);
  const ranges: { from: number; to: number }[] = [];
  for (let from = lowest; from <= highest; from += length) {
    ranges.push({ from, to: Math.min(from + length - 1, highest) });
  }
  return { length, ranges };
}

/** Outputs of one asset that came to an address, or left it. */
export interface Flow {
  outputCount: number;
  /** Exact decimal digits, smallest unit. */
  amount: string;
}

export interface FlowQuery {
  /** Only what blocks above this height did. */
  since: number;
  /** How many assets are listed. */
  limit: number;
  /** How many outputs may have been spent above `since`, whoever had them, since they all have to be looked at. */
  maxOutputs: number;
}

/** What came to an address and left it. An output that did both counts twice. */
export interface AddressFlows {
  tip: IndexTip | null;
  /** By asset, those with most outputs first; null if more than `maxOutputs` would have to be read. */
  flows: { token: TokenRow; came: Flow; left: Flow }[] | null;
  /** How many assets there are. */
  total: number;
  /** The lowest height that `since` may have now. */
  earliest: number;
}

export interface StoreStatus {
  engine: string;
  schemaVersion: number;
  identity: ChainIdentity | null;
  tip: IndexTip | null;
  /** Milliseconds since the Unix epoch, of the tip block. */
  tipTime: number | null;
  lowestHeight: number | null;
  counts: {
    blocks: number;
    transactions: number;
    outputs: number;
    liveOutputs: number;
    addresses: number;
    tokens: number;
    assetChanges: number;
    abandonedBlocks: number;
    registryEntries: number;
    prices: number;
    accessTokens: number;
  };
}

/** The picture that the service shows for an asset, as it is sent. */
export interface AssetIcon {
  assetId: string;
  picture: Uint8Array;
  /** Quoted, as in the HTTP header. */
  etag: string;
}

/** How much the data covers: cheap to ask for, however much there is. */
export interface Coverage {
  tip: IndexTip | null;
  lowestHeight: number | null;
  tokens: number;
  /** Assets with at least one price. */
  pricedAssets: number;
  /** The operator's registry has entries. */
  listsAssets: boolean;
}

export interface Overviews {
  /** Null if no canonical block has this hash. */
  blockOverview(blockHash: string): Promise<BlockOverview | null>;
  /** The highest stored blocks, the tip first. */
  latestBlocks(limit: number): Promise<(BlockHeader & BlockFigures)[]>;
  /** All assets that the block moves, in order of first appearance; empty if no canonical block has this hash. */
  namesInBlock(blockHash: string): Promise<NamedAsset[]>;
  /** Null if no block with this hash was taken back. */
  abandonedBlock(blockHash: string): Promise<AbandonedBlock | null>;
  addressOverview(addressKey: string, holdings: HoldingQuery): Promise<AddressOverview>;
  capacityByKind(addressKey: string, changing: ChangingOutputs): Promise<CapacityByKind>;
  /** How many live outputs an address has. */
  outputCount(addressKey: string): Promise<number>;
  /** Null if no picture is stored for the asset. */
  icon(assetId: string): Promise<Pick<AssetIcon, "picture" | "etag"> | null>;
  /**
   * Live outputs by equally long ranges of heights, at most `ranges` of them, from the oldest live output up to the
   * tip; empty if there are none, null if there are more than MAX_AGED_OUTPUTS.
   */
  outputAges(addressKey: string, ranges: number): Promise<OutputAge[] | null>;
  /** The price that was in force at a time, in milliseconds since the Unix epoch; null if the asset had none. */
  priceAt(assetId: string, time: number): Promise<Holding["price"]>;
  addressFlows(addressKey: string, query: FlowQuery): Promise<AddressFlows>;
  /** Recently active addresses with many live outputs, recent blocks with many changes: worth opening. */
  examples(
    limit: number,
  ): Promise<{ addresses: { text: string; outputs: number }[]; blocks: (Tip & { changes: number })[] }>;
  coverage(): Promise<Coverage>;
  /** Counts everything, so it takes a while on much data. */
  status(): Promise<StoreStatus>;
}

// --- access ---------------------------------------------------------------------------------------------

export interface AccessToken {
  id: string;
  name: string;
  scopes: Scope[];
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  /** Requests in a minute; null: what the server allows every token. */
  ratePerMinute: number | null;
  /** The token's last four characters, so that its owner can tell it from others. */
  hint: string;
}

/** Access tokens by their ids, and when each was used last, in milliseconds since the Unix epoch. */
export type TokenUses = ReadonlyMap<string, number>;

export interface ListedToken extends AccessToken {
  /** Null if no use was noted. */
  lastUsedAt: number | null;
}

/** Who may ask, and the key that signs what they carry from page to page. */
export interface AccessTokens {
  /** The key that signs cursors: random, made once, shared by every process on this database. */
  cursorKey(): Promise<Uint8Array>;
  /** `hash`: SHA-256 of the token. Null if no token has it. */
  accessTokenByHash(hash: Uint8Array): Promise<AccessToken | null>;
  /**
   * The same as the data are now, and their version in the same round trip. As long as the version is the same, so is
   * every answer to the two questions, and whatever is read after this is of that version or a newer one. Versions are
   * for this process only. Null if the engine cannot tell.
   */
  accessTokenAndVersion(
    hash: Uint8Array,
  ): Promise<{ accessToken: AccessToken | null; version: string | null }>;
  createAccessToken(token: AccessToken & { hash: Uint8Array }): Promise<void>;
  /** Oldest first. */
  accessTokens(): Promise<ListedToken[]>;
  /**
   * Notes when tokens were used last; a later time stays. Waits for no lock. False if this program may not write to the
   * database. `accessTokenAndVersion` need not give another version afterwards.
   */
  noteTokenUses(uses: TokenUses): Promise<boolean>;
  /** Lets a token end at that time, unless it ends earlier. */
  endAccessToken(id: string, at: number): Promise<void>;
  /** False if no token has this id. Revoking twice keeps the first time. */
  revokeAccessToken(id: string, at: number): Promise<boolean>;
}

// --- ingest ---------------------------------------------------------------------------------------------

/** An output as the store knows it, with its own reference to the creating transaction. */
export interface StoredOutput extends Output {
  transactionId: number;
}

/** An input with the output it spends: from the store, from the same batch, or vouched for from outside. */
export interface ResolvedInput {
  outPoint: OutPoint;
  output: Output;
  /** Set if the store already holds the output. */
  transactionId?: number | undefined;
}

export interface ResolvedTransaction extends Omit<Transaction, "inputs" | "claims"> {
  inputs: ResolvedInput[];
  claims: (MetadataClaim & { assetId: string })[];
  /** Assets of which the transaction creates more than it spends. */
  minted: string[];
}

/** A block with its inputs resolved and everything computed that the store keeps of it. */
export interface ResolvedBlock extends Omit<Block, "transactions"> {
  transactions: ResolvedTransaction[];
  /** One an asset, in order of first appearance. */
  changes: { assetId: string; amount: bigint }[];
}

export interface Price {
  assetId: string;
  /** Milliseconds since the Unix epoch: in force from then on. */
  time: number;
  /** US dollars for one whole token, scaled by 10^18. */
  usd: bigint;
}

/** A block that does not fit the ones already stored. */
export class ChainConflictError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ChainConflictError";
  }
}

/** The database did not answer in time, or cannot be reached: the same call may go through later. */
export class StoreUnavailableError extends Error {
  /** `isUnavailable` recognises it. */
  readonly code = "STORE_UNAVAILABLE";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StoreUnavailableError";
  }
}

/** By code, not by class: the framework's bundle has its own copy of each class. */
function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

export const isPositionAhead = (error: unknown): boolean => hasCode(error, "POSITION_AHEAD");

/**
 * The files of the database are not the ones that were opened: nothing that is written any more would last. Only a new
 * start helps.
 */
export class StoreLostError extends Error {
  readonly code = "STORE_LOST";

  constructor(message: string) {
    super(message);
    this.name = "StoreLostError";
  }
}

export const isLost = (error: unknown): boolean => hasCode(error, "STORE_LOST");

/**
 * SQLite's result codes BUSY, READONLY, IOERR, FULL and CANTOPEN: others write, or the disk is full, broken or not to
 * be written. An extended code has them in its lowest byte.
 */
const PASSING_CODES = [5, 8, 10, 13, 14];
const CORRUPT = 11;

/** Whether SQLite gave the error with one of these primary result codes. */
export function hasResultCode(error: unknown, codes: readonly number[]): boolean {
  return error instanceof Error && "errcode" in error && codes.includes(Number(error.errcode) % 256);
}

/** Whether the database cannot be used at this time. Unless it `isLost`, the same call may succeed later. */
export function isUnavailable(error: unknown): boolean {
  if (hasCode(error, "STORE_UNAVAILABLE") || isLost(error)) return true;
  return hasResultCode(error, PASSING_CODES);
}

/** Whether the database is damaged, or its disk fails to read it: SQLite tells both alike, and only the second may pass. */
export const isUnreadable = (error: unknown): boolean => hasResultCode(error, [CORRUPT]);

export interface ApplyOptions {
  extendTip: boolean;
  chain?: ChainIdentity | undefined;
}

/** Writing the chain, and what it needs to read for that. */
export interface Ledger {
  /** Makes all writes within `work` one transaction: they become visible together, or not at all. */
  atomically<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Keeps other processes from syncing into this database, until released or until this process ends.
   * Throws an Error that names the holder. If a server loses the lock, the next write takes it again, or throws
   * that Error if another process has it by then.
   */
  acquireSyncLock(): Promise<{ release(): Promise<void> }>;
  /** Something new that the operator should hear about the database's files, in one line; null if there is nothing. */
  notice?(): string | null;
  /** Fixes the chain on the first call; throws ChainConflictError if the database holds another. */
  identify(identity: ChainIdentity): Promise<void>;
  /** What is known of each out point, in order. */
  outputsAt(outPoints: OutPoint[]): Promise<(StoredOutput | undefined)[]>;
  /** For each hash, whether that block is stored on the canonical chain. */
  hasBlocks(hashes: string[]): Promise<boolean[]>;
  /**
   * Stores the blocks, in one transaction with the new tip. Skips stored blocks; returns how many were new.
   * Throws ChainConflictError if a block contradicts a stored neighbour, takes an occupied height, or spends
   * what is spent; with `extendTip`, also if it does not follow the tip. With `chain`, it does what `identify` does in
   * the same transaction.
   */
  applyBlocks(blocks: ResolvedBlock[], options: ApplyOptions): Promise<number>;
  /** The lowest heights above `height` without a block between stored ones, both ends included; null if there are none. */
  firstGap(height?: number): Promise<HeightRange | null>;
  /** Takes back every block above `height` (-1: all), remembering their hashes; returns how many. */
  revertTo(height: number): Promise<number>;
  /**
   * Replaces the registry, and the pictures of its icons: without `icons`, none is kept. Updates what tokens are
   * called because of it, and the values that this changes.
   */
  replaceRegistry(entries: RegistryEntry[], icons?: AssetIcon[]): Promise<void>;
  /** Adds or replaces prices, and updates the values of stored changes. */
  loadPrices(prices: Price[]): Promise<void>;
  /**
   * Removes the asset's prices from one time to another, both included, and updates the values of stored changes.
   * Returns how many there were.
   */
  removePrices(assetId: string, from: number, to: number): Promise<number>;
}

// --- checking and copying -------------------------------------------------------------------------------

/**
 * Everything stored of one block, for checking it against its own invariants. `index` is the stored place: of a
 * transaction or a change in the block, of an input or an output in its transaction.
 */
export interface StoredBlock extends Tip, BlockFacts {
  parentHash: string;
  /** As the block's own row counts them. */
  transactionCount: number;
  changeCount: number;
  transactions: {
    index: number;
    hash: string;
    /** `created`: by an indexed block. */
    inputs: { index: number; output: Output; outPoint: OutPoint; created: boolean }[];
    outputs: { index: number; output: Output; spent: boolean }[];
    claims: (MetadataClaim & { assetId: string })[];
  }[];
  /** `price`: of one whole token, in force at the block's time, scaled by 10^18; null if there is none. */
  changes: {
    index: number;
    assetId: string;
    amount: bigint;
    amountUsd: bigint;
    /** Of the asset, as is `firstHeight`. */
    decimals: number;
    firstHeight: number | null;
    price: bigint | null;
  }[];
}

/** Everything stored of one token, besides its outputs, and what the operator says about it. */
export interface StoredToken extends TokenRow {
  fungible: boolean;
  contentType: string;
  /** The collection or asset that it derives from, by the chain. */
  chainParentId: string;
  /** Of the lowest block that mentions it, and of the lowest that mints it. */
  firstHeight: number | null;
  firstMintHeight: number | null;
  tags: string[];
  /** By which names are found. */
  foldedName: string;
  entry: RegistryEntry | null;
  hasPicture: boolean;
}

/** `firstHeight`: of the lowest block that mentions it. */
export interface StoredAddress extends Address {
  firstHeight: number;
}

/** Everything stored, for checking it. */
export interface Audit {
  /** Heights of stored blocks above `after`, ascending; all of them without arguments. */
  heights(after?: number, limit?: number): Promise<number[]>;
  storedBlock(height: number): Promise<StoredBlock>;
  /** Tokens in order of id, after the given one; all of them without arguments. */
  storedTokens(after?: string, limit?: number): Promise<StoredToken[]>;
  /** Addresses in order of key, after the given one. */
  storedAddresses(after: string, limit: number): Promise<StoredAddress[]>;
  /** Broken promises that only the engine can see; empty if all is well. */
  checkIntegrity(): Promise<string[]>;
}

/** What the operator and the past made, beside what follows from the chain: a copy of the data needs it too. */
export interface OperatorData {
  cursorKey: Uint8Array;
  accessTokens: (AccessToken & { hash: Uint8Array })[];
  registry: RegistryEntry[];
  icons: AssetIcon[];
  abandonedBlocks: { height: number; hash: string; parentHash: string }[];
}

/** What a copy takes along besides the blocks. */
export interface Portable {
  operatorData(): Promise<OperatorData>;
  /**
   * Replaces this database's operator data by another's. Access tokens are merged: those made here stay, and one that
   * either side revoked is revoked, and it ends at the earlier time.
   */
  adoptOperatorData(data: OperatorData): Promise<void>;
  /** Prices in order of asset and time, after the given one. */
  pricesAfter(price: { assetId: string; time: number } | null, limit: number): Promise<Price[]>;
}

// --- all of it ------------------------------------------------------------------------------------------

/** Connections to a database server. */
export interface Connections {
  busy: number;
  idle: number;
  /** Pieces of work that wait for a connection. */
  waiting: number;
}

export interface Store extends Queries, History, Overviews, AccessTokens, Ledger, Audit, Portable {
  /** `sqlite`, `postgres`. */
  readonly engine: string;
  /** Brings the schema to the current version; returns the names of the migrations that ran. */
  migrate(): Promise<string[]>;
  /** Why a program that does not migrate cannot use the schema, and what to do about it; null if it can. */
  schemaFault(): Promise<string | null>;
  /** For engines that are servers. */
  connections?(): Connections;
  /**
   * For engines with replicas: seconds by which what is read here may be behind the primary; 0 if the last write is here;
   * null if the primary itself is read.
   */
  replicaLag?(): Promise<number | null>;
  close(): Promise<void>;
}

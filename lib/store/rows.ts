/** What questions, rules and engines share of the data. This file knows no chain's encoding, no HTTP and no SQL. */

import type {
  Block,
  BlockHeader,
  IndexTip,
  MetadataClaim,
  NativeAsset,
  OutPoint,
  Output,
  Tip,
  Transaction,
} from "#lib/contract/ledger.ts";
import type { Scope, TokenInfo } from "#lib/contract/operation.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";

export type { BlockHeader, IndexTip, Tip };

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

/** A token: the chain's facts, the earliest claim about it, and the registry over both. Unknown decimals are 0. */
export interface TokenRow extends TokenInfo {
  /** What issued it: `NATIVE_STANDARD`, or `TokenReference.standard`. */
  standard: string;
}

/** What is shown of an asset in every place. */
export type AssetRow = Pick<TokenRow, "id" | "name" | "icon" | "symbol" | "decimals" | "standard">;

/** A place in chain order, and the state that it was read from. The first digits of a hash with `0x`, or the last, are enough. */
export interface Position {
  height: number;
  transactionIndex: number;
  outputIndex: number;
  /** In a list of several addresses: which of them, from 0 on. */
  addressIndex?: number | undefined;
  /** Tells whether the place still exists: after a reorganisation a walk resumes from the fork instead. */
  blockHash: string;
  /** A block of that state: its tip, or as much as is known of it. A copy of the data that never had this block is behind. */
  readAt: Tip;
}

export interface ChainBlock extends BlockHeader {
  parentHash: string;
}

/** As far back as a reader is led, in blocks: whom older abandoned blocks touched is forgotten. */
export const REMEMBERED_BLOCKS = 10_000;

/** The picture that the service shows for an asset, as it is sent. */
export interface AssetIcon {
  assetId: string;
  picture: Uint8Array;
  /** Quoted, as in the HTTP header. */
  etag: string;
}

export interface AccessToken {
  id: string;
  name: string;
  scopes: Scope[];
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  expiresAt: number | null;
  /** A rotation sets it to a time to come: until then, the token is valid beside the one that takes its place. */
  revokedAt: number | null;
  /** Requests in a minute; null: what the server allows every token. */
  ratePerMinute: number | null;
  /** The token's last four characters, so that its owner can tell it from others. */
  hint: string;
}

/** Access tokens by their ids, and when each was used last, in milliseconds since the Unix epoch. */
export type TokenUses = ReadonlyMap<string, number>;

/** An output as the store knows it, with its own reference to the creating transaction. */
export interface StoredOutput extends Output {
  transactionId: number;
}

/** An input with the output it spends: from the store, from the same batch, or vouched for from outside. */
export interface ResolvedInput {
  outPoint: OutPoint;
  output: Output;
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
  changes: MovedAsset[];
}

/** How much of an asset a block moves. */
export interface MovedAsset {
  assetId: string;
  amount: bigint;
  /** How many of its transactions move the asset. */
  transactions: number;
}

export interface Price {
  assetId: string;
  /** Milliseconds since the Unix epoch: in force from then on. */
  time: number;
  /** US dollars for one whole token, scaled by 10^18. */
  usd: bigint;
}

export interface ApplyOptions {
  extendTip: boolean;
  /**
   * The blocks are what a horizon left of them: they have no inputs, and in their lists the places of transactions and outputs
   * that are gone are empty.
   */
  isRemnant?: boolean;
  chain?: ChainIdentity | undefined;
}

/** What the operator and the past made, beside what follows from the chain: a copy of the data needs it too. */
export interface OperatorData {
  cursorKey: Uint8Array;
  accessTokens: (AccessToken & { hash: Uint8Array })[];
  registry: RegistryEntry[];
  icons: AssetIcon[];
  abandonedBlocks: { height: number; hash: string; parentHash: string }[];
}

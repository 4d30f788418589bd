/** Types of the data that queries, rules and engines share, free of SQL, HTTP and any chain's encoding. */

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

/** The chain that a database holds, fixed before its first block. */
export interface ChainIdentity {
  /** The network's name in the chain's own words: `mainnet`, `testnet`. */
  network: string;
  native: NativeAsset;
  /** The blocks were generated, not mined: pages say so. */
  demo: boolean;
}

/** `AssetRow.standard` of the native asset. */
export const NATIVE_STANDARD = "native";
/** The id of the native asset in `tokens`, of which it is the first. */
export const NATIVE_TOKEN_ID = 1;

/** A token: the chain's facts, the earliest claim about it, and the registry over both. Unknown decimals are 0. */
export interface TokenRow extends TokenInfo {
  /** `NATIVE_STANDARD`, or `TokenReference.standard`. */
  standard: string;
}

/** The facts that are shown wherever an asset is named. */
export type AssetRow = Pick<TokenRow, "id" | "name" | "icon" | "symbol" | "decimals" | "standard">;

/** An asset as lists of changes show it. */
export interface TaggedAsset extends AssetRow {
  tags: string[];
}

/** A place in chain order, and the state that it was read from. The last digits of a hash are enough. */
export interface Position {
  height: number;
  transactionIndex: number;
  outputIndex: number;
  /** The index of the address in a list of several. */
  addressIndex?: number | undefined;
  /** Shows whether the place still exists: after a reorganisation a walk resumes from the fork instead. */
  blockHash: string;
  /** The tip of that state. A copy of the data that never had this block is behind. */
  readAt: Tip;
}

export interface ChainBlock extends BlockHeader {
  parentHash: string;
}

/** Depth in blocks to which reorganisations are traced. The addresses that blocks further down touched are not kept. */
export const TRACED_BLOCKS = 10_000;

/** The picture that the service shows for an asset, as it is sent. */
export interface AssetIcon {
  assetId: string;
  picture: Uint8Array;
  /** The HTTP header's value, including quotes. */
  etag: string;
}

export interface AccessToken {
  id: string;
  name: string;
  scopes: Scope[];
  /** Milliseconds since the Unix epoch. */
  createdAt: number;
  expiresAt: number | null;
  /** May be in the future after a rotation: until then, the token is valid beside its successor. */
  revokedAt: number | null;
  /** Requests per minute; null: the server's default. */
  ratePerMinute: number | null;
  /** The token's last four characters, by which its owner recognises it. */
  hint: string;
}

/** The time of each access token's last use, by its id, in milliseconds since the Unix epoch. */
export type TokenUses = ReadonlyMap<string, number>;

/** An output with the id of the transaction that created it. */
export interface StoredOutput extends Output {
  transactionId: number;
}

/** An input with the output that it spends. The id is missing if that output is not stored yet. */
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

/** A block with resolved inputs, and everything derived from it that is stored. */
export interface ResolvedBlock extends Omit<Block, "transactions"> {
  transactions: ResolvedTransaction[];
  /** One for each asset, in order of first appearance. */
  changes: MovedAsset[];
}

/** The amount of an asset that a block moves. */
export interface MovedAsset {
  assetId: string;
  amount: bigint;
  /** Number of the block's transactions that move the asset. */
  transactions: number;
}

export interface Price {
  assetId: string;
  /** Milliseconds since the Unix epoch. The price holds from then on. */
  time: number;
  /** US dollars for one whole token, scaled by 10^18. */
  usd: bigint;
}

export interface ApplyOptions {
  extendTip: boolean;
  /** The blocks are what a horizon left: without inputs, and with sparse arrays of transactions and outputs. */
  isRemnant?: boolean;
  chain?: ChainIdentity | undefined;
}

/** The data that a copy needs besides blocks and prices. */
export interface OperatorData {
  cursorKey: Uint8Array;
  accessTokens: (AccessToken & { hash: Uint8Array })[];
  registry: RegistryEntry[];
  icons: AssetIcon[];
  abandonedBlocks: { height: number; hash: string; parentHash: string }[];
}

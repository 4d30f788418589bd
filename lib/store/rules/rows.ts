import type { MetadataClaim, Output, TokenReference } from "#lib/contract/ledger.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";

/** Who holds an output, and what is in it. */
export interface Held {
  addressKey: string;
  /** The native asset's if it holds no token. */
  assetId: string;
  /** Of the token; null if it holds none: then its amount is its capacity. */
  amount: bigint | null;
  capacity: bigint;
  /** See `Output.kind`. */
  kind: string;
}

export interface OutputRow extends Held {
  transactionId: number;
  outputIndex: number;
  /**
   * The transaction that spends it, by id, and the place among its inputs. One that is not spendable was ended by the transaction
   * that created it, without an input: so it never lived.
   */
  spentBy: number | null;
  spentInput: number | null;
}

/** An output with both names of its transaction. */
export interface PlacedOutput extends OutputRow {
  transactionHash: string;
}

export type OutputPlace = Pick<PlacedOutput, "transactionHash" | "transactionId" | "outputIndex">;

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
  stored: boolean;
  spentNow: boolean;
}

/** The fields of a token that people see and may override. */
export interface ShownToken
  extends Omit<TokenInfo, "id" | "totalSupply" | "firstFoundBlock" | "firstMintAt"> {
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

/** A token's facts of the chain. `number`: its own among the tokens. */
export interface NumberedToken extends Omit<TokenReference, "issuer"> {
  number: number;
  firstHeight: number;
  firstMintHeight: number | null;
}

/** A text in `asset_names`. */
export interface AssetName {
  kind: number;
  text: string;
  /** 0 for the native asset and those that the registry lists, which come before others of the same text. */
  unlisted: number;
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
  tokenId: number;
  amount: bigint;
  /** Transactions of the block that moved the asset. */
  transactions: number;
}

export interface PricedChange extends ValueRow {
  tokenId: number;
  amount: bigint;
  /** In force at the block's time; null if there was none. */
  price: string | null;
}

import type { MetadataClaim, Output, TokenReference } from "#lib/contract/ledger.ts";
import type { TokenInfo } from "#lib/contract/operation.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";

/** The address that holds an output, and the contents. */
export interface Held {
  addressKey: string;
  /** The token, or the native asset if there is no token. */
  assetId: string;
  /** Amount of the token; null if there is no token: then the amount is the capacity. */
  amount: bigint | null;
  capacity: bigint;
  /** See `Output.kind`. */
  kind: string;
}

export interface OutputRow extends Held {
  transactionId: number;
  outputIndex: number;
  /**
   * Id of the spending transaction, and the index of its input. An unspendable output is stored as spent by its own transaction,
   * without an input, so it is never live.
   */
  spentBy: number | null;
  spentInput: number | null;
}

/** An output with its transaction's hash. */
export interface PlacedOutput extends OutputRow {
  transactionHash: string;
}

export type OutputPlace = Pick<PlacedOutput, "transactionHash" | "transactionId" | "outputIndex">;

export interface ClaimRow extends MetadataClaim {
  assetId: string;
  transactionId: number;
}

/** A transaction in a batch of blocks, or one whose outputs the batch spends. */
export interface TransactionRecord {
  hash: string;
  /** Its place in the chain; negative if its block is not indexed. */
  id: number;
  /** The id that the tables have for it; undefined if it is not stored. */
  storedId: number | undefined;
  /** The outputs that it creates; empty unless it is in the batch. */
  created: readonly Output[];
  /** Outputs, by index, that the tables hold or the batch spends. Most transactions have none. */
  tracked: Map<number, TrackedOutput> | undefined;
}

export interface TrackedOutput extends Pick<OutputRow, "spentBy" | "spentInput"> {
  held: Held;
  /** The tables hold it. */
  stored: boolean;
  /** The batch spends it. */
  spentNow: boolean;
}

/** The fields of a token that are shown and that the registry may override. */
export interface ShownToken
  extends Omit<TokenInfo, "id" | "totalSupply" | "firstFoundBlock" | "firstMintAt"> {
  /** Sorted, without duplicates. */
  tags: string[];
}

export type ClaimText = Pick<MetadataClaim, "name" | "symbol" | "decimals">;

/** Everything that decides what a token is called. */
export interface NamingFacts {
  id: string;
  fungible: boolean;
  /** Parent according to the chain; `""` if there is none. */
  parentId: string;
  /** The earliest claims about the token and about its parent. */
  claim: ClaimText | null;
  parentClaim: ClaimText | null;
  entry: RegistryEntry | null;
  /** A picture of its icon is stored. */
  hasPicture: boolean;
}

/** A token's facts of the chain. `number`: its id in the table. */
export interface NumberedToken extends Omit<TokenReference, "issuer"> {
  number: number;
  firstHeight: number;
  firstMintHeight: number | null;
}

/** A text in `asset_names`. */
export interface AssetName {
  kind: number;
  text: string;
  /** 0 for the native asset and for listed assets, which sort before others with the same text; else 1. */
  unlisted: number;
}

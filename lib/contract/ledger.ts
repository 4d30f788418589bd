/**
 * What the core knows about a chain: the facts that every UTXO chain has, free of any chain's own encodings. A
 * chain folder turns its blocks into these facts, and the store keeps them.
 *
 * Hashes and keys are lower-case `0x` hex. Amounts are bigints in the smallest unit.
 */

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

export interface BlockHeader extends Tip {
  /** Milliseconds since the Unix epoch, as the block says. */
  timestamp: number;
}

/** Identifies an output: the transaction that created it, and the output's place in it. */
export interface OutPoint {
  transactionHash: string;
  outputIndex: number;
}

/** `<transaction hash>:<output index in decimal>`, the text form of an out point. */
export function outPointText({ transactionHash, outputIndex }: OutPoint): string {
  return `${transactionHash}:${outputIndex}`;
}

/** Who may spend an output. `key` (32 bytes) is the same for every text form of one address. */
export interface Address {
  key: string;
  /** The canonical text form. */
  text: string;
}

/**
 * Whoever may introduce a token: the key of an address or of a rule, and where a transaction must have it. `spender` is the
 * address of an input, `input` and `output` are the rule of one: see `ruleOf`.
 */
export interface Issuer {
  key: string;
  as: readonly ("spender" | "input" | "output")[];
}

/** An asset issued on the chain, as one of its outputs shows it. */
export interface TokenReference {
  /** Lower-case `0x` hex, unique across the chain. */
  id: string;
  /** What issued it, in the chain's own words: `sUDT`, `xUDT`, `Spore`. */
  standard: string;
  /** False for a token of which there is exactly one. */
  fungible: boolean;
  /** The collection or asset that it derives from; `""` for none. */
  parentId: string;
  /** Media type of a non-fungible token's content, limited by `limitText`; `""` if there is none. */
  contentType: string;
  /** Absent if anybody may create the token or its issuer is unknown: then the chain cannot name it. */
  issuer?: Issuer;
}

/** A created output. Every output holds capacity of the native asset, and at most one token. */
export interface Output {
  address: Address;
  token: TokenReference | null;
  /** Of the token in its smallest unit; of the native asset if there is no token. */
  amount: bigint;
  /** Of the native asset, in its smallest unit. */
  capacity: bigint;
  /**
   * What it is when it is created: a word of the chain folder's own, and after an `@` what belongs to the word, or the key
   * of the output's rule. `Chain.outputStates` makes of it what it is as of a block. `""` or null if unknown, as for outputs
   * that an earlier version stored. If there is a token, the output is what the token's standard says.
   */
  kind: string | null;
  /** Missing, unless it is plain from the output itself that nobody can ever spend it: then it is stored, but never live. */
  spendable?: false;
}

/** The kind of an output that holds the native asset and is nothing more. */
export const PLAIN_OUTPUT = "plain";

/** The word of an output's kind: outputs of one word are of one kind. */
export function kindWord(kind: string | null): string {
  if (kind === null) return "";
  const end = kind.indexOf("@");
  return end === -1 ? kind : kind.slice(0, end);
}

/** The key of the rule that a transaction obeys to create or spend the output; `""` if there is none. */
export function ruleOf({ token, kind }: Output): string {
  return token?.fungible ? token.id : (kind ?? "").slice(kindWord(kind).length + 1);
}

/**
 * What an output says about an asset's name; the earliest statement on the chain holds. Name and symbol are limited:
 * see `limitText`.
 */
export interface MetadataClaim {
  /**
   * The asset or collection described; null: the one token that this transaction introduces. The chain folder vouches
   * that who made the output may speak of it.
   */
  assetId: string | null;
  /** The output that says it, so that two claims of one transaction have an order. */
  outputIndex: number;
  name: string;
  symbol: string;
  /** Null if the statement does not say. */
  decimals: number | null;
}

export interface Transaction {
  hash: string;
  /** In the transaction's order; empty for the one that pays the block's reward. */
  inputs: OutPoint[];
  outputs: Output[];
  claims: MetadataClaim[];
}

export interface Block {
  height: number;
  hash: string;
  parentHash: string;
  /** Milliseconds since the Unix epoch, as the block's header says. */
  timestamp: number;
  /**
   * What `Chain.outputStates` reads of the header, in the chain folder's own form: lower-case `0x` hex. Null if an
   * earlier version stored the block.
   */
  headerFacts: string | null;
  transactions: Transaction[];
  /** How much the node sent for it, so that not too much is requested at once. Missing if no node sent it. */
  bytes?: number;
  /** What an operator should know about reading the block, in words. The same words are shown only once. */
  warnings?: readonly string[];
}

/** A block as `Chain.outputStates` knows it. */
export type BlockFacts = Pick<Block, "height" | "timestamp" | "headerFacts">;

/** The chain's native asset: the constants a chain folder declares once. */
export interface NativeAsset {
  id: string;
  name: string;
  symbol: string;
  decimals: number;
}

/** Raised when a block, an output or a whole file cannot be what it claims to be. Says where, and why. */
export class InvalidChainDataError extends Error {
  override readonly name: string = "InvalidChainDataError";
}

/** Raised when a block needs others that are not known yet, but may come. */
export class MissingBlocksError extends InvalidChainDataError {
  override readonly name: string = "MissingBlocksError";
}

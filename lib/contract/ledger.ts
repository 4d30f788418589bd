/**
 * The facts that all UTXO chains have in common, independent of their encodings. A chain folder converts its blocks to these
 * facts, and the store keeps them.
 *
 * Hashes and keys are lower-case `0x` hex. Amounts are bigints in the smallest unit.
 */

/** A block's place, usually that of the highest indexed one. */
export interface Tip {
  height: number;
  hash: string;
}

export interface IndexTip extends Tip {
  /** The indexed heights, as `coverageText` lists them; missing if all from 0 to the tip are indexed. */
  coverage?: string;
}

export interface BlockHeader extends Tip {
  /** Milliseconds since the Unix epoch. */
  timestamp: number;
}

export interface OutPoint {
  transactionHash: string;
  outputIndex: number;
}

/** `<transaction hash>:<output index in decimal>`. */
export function outPointText({ transactionHash, outputIndex }: OutPoint): string {
  return `${transactionHash}:${outputIndex}`;
}

export interface Address {
  /** 32 bytes, the same for every text form of the address. */
  key: string;
  text: string;
}

/** An address by its text alone, from which a chain folder derives whatever else it can know. */
export type AddressText = Pick<Address, "text">;

/**
 * The party that may introduce a token. `key` is the key of an address or of a rule (`ruleOf`). `as` says where a transaction
 * may have it: `spender` as the address of an input, `input` and `output` as the rule of one.
 */
export interface Issuer {
  key: string;
  as: readonly ("spender" | "input" | "output")[];
}

/** An asset issued on the chain, as one of its outputs shows it. */
export interface TokenReference {
  /** Lower-case `0x` hex, unique across the chain. */
  id: string;
  /** The chain's word for its standard: `sUDT`, `xUDT`, `Spore`. */
  standard: string;
  fungible: boolean;
  /** The collection or asset that it derives from; `""` for none. */
  parentId: string;
  /** Media type of a non-fungible token's content, limited by `limitText`; `""` if there is none. */
  contentType: string;
  /** Missing if anybody may create the token or the issuer is unknown. The chain cannot name such a token. */
  issuer?: Issuer;
}

/** Every output holds capacity of the native asset, and at most one token. */
export interface Output {
  address: Address;
  token: TokenReference | null;
  /** Amount of the token, or of the native asset if there is no token. */
  amount: bigint;
  /** Amount of the native asset. */
  capacity: bigint;
  /**
   * The kind at creation: a word of the chain folder, and after an `@` its argument or the key of the output's rule.
   * `Chain.outputStates` derives the kind as of a block. `""` if unknown. An output with a token has the kind of the token's
   * standard.
   */
  kind: string;
  /** False if the output itself shows that nobody can ever spend it. It is then stored, but never live. */
  spendable?: false;
}

export const PLAIN_OUTPUT = "plain";

/** The word of an output's kind, without its argument. */
export function kindWord(kind: string): string {
  const end = kind.indexOf("@");
  return end === -1 ? kind : kind.slice(0, end);
}

/** The key of the rule for creating or spending the output; `""` if there is none. */
export function ruleOf({ token, kind }: Output): string {
  return token?.fungible ? token.id : kind.slice(kindWord(kind).length + 1);
}

/** An output's claim about an asset's name. The earliest one on the chain holds. `limitText` limits name and symbol. */
export interface MetadataClaim {
  /** The asset or collection; null for the only token that this transaction introduces. */
  assetId: string | null;
  outputIndex: number;
  name: string;
  symbol: string;
  decimals: number | null;
}

export interface Transaction {
  hash: string;
  /** Inputs in order; empty for the transaction that pays the block's reward. */
  inputs: OutPoint[];
  outputs: Output[];
  claims: MetadataClaim[];
}

export interface Block extends BlockHeader {
  parentHash: string;
  /** The part of the header that `Chain.outputStates` reads, as lower-case `0x` hex. */
  headerFacts: string;
  transactions: Transaction[];
  /** Bytes that the node sent for it, for sizing requests; missing if it came from elsewhere. */
  bytes?: number;
  /** Messages for the operator about reading the block. Each is shown once. */
  warnings?: readonly string[];
}

export type BlockFacts = Pick<Block, "height" | "timestamp" | "headerFacts">;

export interface NativeAsset {
  id: string;
  name: string;
  symbol: string;
  decimals: number;
}

/** Thrown for a block, an output or a file whose contents are wrong. The message says where, and why. */
export class InvalidChainDataError extends Error {
  override readonly name: string = "InvalidChainDataError";
}

/** Thrown when a block needs others that are unknown, but may come later. */
export class MissingBlocksError extends InvalidChainDataError {
  override readonly name: string = "MissingBlocksError";
}

/**
 * The chain port: everything that the rest of the service knows about a chain. A folder under `lib/chains` implements it, and
 * `lib/chains/chain.ts` picks the one that the setting CHAIN names. Pages import `#terms`, the words of the served chain,
 * which a browser gets with the page.
 */
import { codeOf, type IssueCode } from "./errors.ts";
import type { Address, AddressText, Block, BlockFacts, NativeAsset, Output } from "./ledger.ts";
import type { NodeConnection } from "./source.ts";

export interface Noun {
  one: string;
  many: string;
}

export interface OutputKind {
  label: string;
  /** A sentence about outputs of this kind. */
  about: string;
  /** The name of a unique token, such as `NFT`; missing for other kinds. */
  unique?: string;
  block?: { name: string; height: number };
}

/** The words and notations of the chain's users, as plain data that the server sends to browsers. */
export interface ChainWords {
  chain: string;
  output: Noun;
  /** The native asset. Pages use it until the database knows its chain. */
  native: NativeAsset;
  /** The `d` of an SVG path on 20 by 20 units. */
  nativeMark: string;
  smallestUnit: Noun;
  /** Whether outputs may hold tokens. If not, pages omit what distinguishes assets. */
  hasTokens: boolean;
  /** Confirmations after which users expect no reorganisation. */
  confirmations: number;
  /** Confirmations of a block with none above it: 1 if the chain's users count the block itself, otherwise 0. */
  ownConfirmations: number;
  /** Age of the tip from which pages warn that the index is behind. */
  staleAfterMs: number;
  /** Names in the JSON of the chain's nodes for an out point, for copying. */
  outPoint: { hash: string; index: string; indexInHex: boolean };
  /**
   * Kinds of outputs, by the word of `OutputState.kind`. `block` names the block whose height follows the word and an `@`, or
   * with `own` the block that created the output.
   */
  kinds: Readonly<Record<string, Omit<OutputKind, "block"> & { block?: { name: string; own?: true } }>>;
  /** The word for what decides who may spend an output: the title of these facts on the page of an address. */
  lock: string;
  /** Texts that a page shows after a redirect from an address form that is not the canonical one, by form. */
  formerAddressForms: Readonly<Record<string, string>>;
  /** A regular expression for addresses that may have such a form. Only the server can tell, and convert them. */
  formerAddresses: string;
  /** The notation of hashes. The API writes them with `0x`, and accepts them without. */
  hash: {
    prefix: "0x" | "";
    /** Whether most block hashes start alike, so that a short form shows only the end. */
    endsDiffer: boolean;
  };
  /** Prefixes of addresses, such as `bc1`. The search field shows the first as an example. */
  addressStarts: readonly string[];
  /** The text forms of an address. The first form that gives an address or a fault decides. */
  addressForms: readonly AddressForm[];
}

/** The first and last characters of an address. Either may be empty. */
export interface AddressPart {
  start: string;
  end: string;
}
/** If a search gives the end of an address, it must have at least this many characters. The schemas index as many. */
export const LEAST_END = 6;

/** A text form of an address, judged by shape alone, without checksums. */
export interface AddressForm {
  start: string;
  network: string | null;
  /** Characters after the start, as in a regular expression's brackets. */
  characters: string;
  /** Minimum and maximum length, the start included. */
  least: number;
  most?: number;
  anyCase: boolean;
  /** A fixed message about misshapen texts; null if they may be something else, such as a number that starts with 1. */
  fault?: string | null;
}

/** The chain's words, and functions that follow from them. Safe for a browser. */
export interface ChainTerms extends ChainWords {
  words: ChainWords;
  /** Converts a hash from the API's notation to that of the chain's users. */
  hashText(hash: string): string;
  outPointJson(transactionHash: string, outputIndex: number): object;
  /** Describes an `OutputState.kind`; null if it is unknown. `height`: of the block that created the output. */
  outputKind(kind: string, height?: number): OutputKind | null;
  /** Judges a text that starts like an address, and returns null for others. `network` is null if the text shows none. */
  detectAddress(text: string): { address: string; network: string | null } | { fault: string } | null;
}

/** An address, and what a page shows about it besides its outputs. */
export interface ParsedAddress extends Address {
  /** The form of the given text, a key of `ChainTerms.formerAddressForms`; null for the canonical one. */
  formerForm: string | null;
  /** Whether the text is only the lock's hash. The stored text may contain the whole lock. */
  isHash: boolean;
  lockName: string | null;
  lockFacts: readonly { name: string; value: string }[];
  /** Reason why no output of the address is ever listed; missing for most addresses. */
  neverListed?: string;
}

/** Facts of a stored output. */
export interface StoredFacts {
  /** The token's standard, or `Output.kind`. */
  kind: string;
  /** Height of the block that created it. */
  height: number;
  /** Decimal digits. */
  capacity: string;
}

export interface OutputState {
  kind: string;
  /** Condition for spending it, such as `block 12` or a time in RFC 3339; `never`; `""` if no condition is known. */
  until: string;
  /** Amount that the owner would get on top of the capacity, in the smallest unit; `""` for other outputs, or if it is unknown. */
  compensation: string;
}

/** Selects outputs that the last `blocks` blocks created. */
export interface ChangingOutputs {
  kinds: readonly string[];
  /** Whether only outputs of each block's first transaction count, which pays its reward. */
  rewardsOnly: boolean;
  blocks: number;
}

/** Computes the states of one address's outputs, which may change as the chain grows. */
export interface OutputStates {
  /** Heights of the blocks that `stateOf` needs. */
  heightsFor(output: StoredFacts, asOf: number): number[];
  /** @param blockAt undefined for a block that is unknown or not needed */
  stateOf(
    output: StoredFacts,
    asOf: number,
    blockAt: (height: number) => BlockFacts | undefined,
  ): OutputState;
  /** Selects the outputs that may not have reached their final state. Without their blocks, `stateOf` returns that state. */
  changing: ChangingOutputs;
}

/** A block from a file, with its shape checked, but not its hashes. */
export interface FileBlock {
  where: string;
  /** The network that the contents show, if any. */
  network: string | null;
  /** Recomputes every hash. Throws InvalidChainDataError if one differs, or MissingBlocksError. */
  verify(network: string): Block;
}

/** Facts in the database about blocks that files refer to. */
export interface KnownBlocks {
  network: string;
  /** The heights of the blocks; null for each that is not stored. */
  heightsOf(hashes: string[]): Promise<(number | null)[]>;
}

/** The chain's part of `aqs import`. */
export interface BlockFiles {
  description: string;
  /** The network that a file's blocks show, if any. Throws as `read`. */
  networkOf(file: string): Promise<string | null>;
  /** Reads blocks one by one; the files may need each other. Blocks without heights come lowest first. */
  read(files: readonly string[], known: KnownBlocks): AsyncIterable<FileBlock>;
  /** An option of `aqs import` for a file of outputs that the blocks spend but do not create. */
  previousOutputs: {
    /** Name without `--`. */
    option: string;
    help: string;
    /** Reads outputs by `outPointText`. Throws InvalidChainDataError with `where` and the entry. */
    read(json: unknown, network: string, where: string): ReadonlyMap<string, Output>;
  };
}

export interface ConnectOptions {
  signal?: AbortSignal | undefined;
  /** The path of the node's cookie file, which contains user name, colon and password. */
  cookie?: string | undefined;
}

export interface Chain {
  terms: ChainTerms;
  /** The values of `--network`. */
  networks: readonly string[];
  /**
   * Reads any text form of an address. Throws AddressError if it is not an address of the network.
   * @param network null accepts every network: an empty database has none yet
   */
  parseAddress(text: string, network: string | null): ParsedAddress;
  /** Describes why no asset can have this lower-case id, or returns null. */
  assetIdFault(id: string): string | null;
  outputStates(address: AddressText): OutputStates;
  /** The word of the kind of outputs whose `compensation` the chain pays when they are spent; null if there is none. */
  paidWhenSpent: string | null;
  blockFiles: BlockFiles;
  node: {
    /** Help of `--rpc`: the node's interface, with an example. */
    help: string;
    hasCookie: boolean;
    /** Help of `--from`: what nodes need to look up outputs of earlier blocks; "" if nothing. */
    needsForEarlier: string;
    connect(url: string, options?: ConnectOptions): Promise<NodeConnection>;
  };
}

export type AddressErrorCode = Extract<IssueCode, `address_${string}`>;

/** Thrown for a text that is not an address. Check with `isAddressError`: the framework's bundle has its own class. */
export class AddressError extends Error {
  override readonly name = "AddressError";
  readonly code: AddressErrorCode;

  constructor(code: AddressErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const isAddressError = (error: unknown): error is AddressError => codeOf(error).startsWith("address_");

/**
 * The chain port: everything that the rest of the service knows about a chain. A folder under `lib/chains` implements it,
 * and `lib/chains/chain.ts` chooses the one that the setting CHAIN names. Nothing else of the folders is imported from
 * outside, except by tests. Pages import `#terms`: on the server, these are the words of the served chain; a browser gets them
 * with the page.
 */
import type { IssueCode } from "./errors.ts";
import type { Address, Block, BlockFacts, NativeAsset, Output } from "./ledger.ts";
import type { NodeConnection } from "./source.ts";

export interface Noun {
  one: string;
  many: string;
}

export interface OutputKind {
  /** A badge: a word or two. */
  label: string;
  /** A sentence about outputs of this kind. */
  about: string;
  /** For a token of which there is exactly one: what it counts as, such as `NFT`. */
  unique?: string;
  /** A block that its owner needs to know. */
  block?: { name: string; height: number };
}

/** What the chain's users call things, and how they write them: data, which the server sends to browsers. */
export interface ChainWords {
  chain: string;
  output: Noun;
  /** The native asset. Pages use it until the database knows its chain. */
  native: NativeAsset;
  /** The native asset's mark: lines on 20 by 20 units. */
  nativeMark: string;
  smallestUnit: Noun;
  /** Whether outputs may hold tokens. Without them, pages leave out what tells assets apart. */
  hasTokens: boolean;
  /** With so many blocks on top, users expect no reorganisation. */
  confirmations: number;
  /** The pages warn that the index is behind if the tip is older than this. */
  staleAfterMs: number;
  /** Names in the JSON that the chain's nodes write for an out point, for copying. */
  outPoint: { hash: string; index: string; indexInHex: boolean };
  /**
   * Kinds of outputs, by the word of `OutputState.kind`. `block` names the block whose height follows the word after an `@`;
   * with `own`, it is the block that created the output.
   */
  kinds: Readonly<Record<string, Omit<OutputKind, "block"> & { block?: { name: string; own?: true } }>>;
  /** What decides who may spend an output. The page of an address shows its facts under this title. */
  lock: string;
  /** For each form of an address that is not shown, by its key: what the page says after it redirected from one. */
  formerAddressForms: Readonly<Record<string, string>>;
  /** How people write hashes. The API writes each with `0x`, and accepts it without. */
  hash: {
    /** What people write before its 64 hex digits. */
    prefix: "0x" | "";
    /** Whether most block hashes begin alike, so that a short form shows the end alone. */
    endsDiffer: boolean;
  };
  /** How the text of an address begins, such as `bc1`; the first is the example in the search field. */
  addressStarts: readonly string[];
  /** The text forms of an address. The first one that fits a text counts, or the first fault. */
  addressForms: readonly AddressForm[];
}

/** A text form of an address, judged by shape alone, without checksums. */
export interface AddressForm {
  start: string;
  /** Null if the text names none. */
  network: string | null;
  /** What may follow the start, as in the brackets of a regular expression. */
  characters: string;
  /** Lengths of the shortest and the longest one, with the start. */
  least: number;
  most?: number;
  /** Whether capitals mean the same. */
  anyCase: boolean;
  /**
   * What to say about a text that only begins like it; if missing, exactly what is wrong; null if such a text may be
   * something else, as a number that begins with 1.
   */
  fault?: string | null;
}

/** The chain's words, and what follows from them. Safe for a browser. */
export interface ChainTerms extends ChainWords {
  /** These alone, for JSON. */
  words: ChainWords;
  /** A hash as people write it, from the form in which the API writes it. */
  hashText(hash: string): string;
  /** An out point in the JSON of the chain's nodes, for copying. */
  outPointJson(transactionHash: string, outputIndex: number): object;
  /**
   * Puts an output's kind into words, as `OutputState.kind` has it. Null if it means nothing here.
   * @param height of the block that created the output
   */
  outputKind(kind: string, height?: number): OutputKind | null;
  /** Null if the text does not begin like an address. `network`: null if the text names none. */
  detectAddress(text: string): { address: string; network: string | null } | { fault: string } | null;
}

/** An address, and what a page shows about it beside its outputs. */
export interface ParsedAddress extends Address {
  /** Key of the form that the text had, in `ChainTerms.formerAddressForms`; null for the one that is shown. */
  formerForm: string | null;
  /** Whether the text is only the lock's hash. The stored text may be the whole lock. */
  isHash: boolean;
  /** What the lock is called if it is a well-known one. */
  lockName: string | null;
  /** The parts of the lock, in the order to show them. */
  lockFacts: readonly { name: string; value: string }[];
  /** Why no output of the address is ever listed; missing if it may have some. */
  neverListed?: string;
}

/** A stored output, as far as it decides what the output is. */
export interface StoredFacts {
  /** The standard of its token, or `Output.kind`. */
  kind: string;
  /** Of the block that created it. */
  height: number;
  /** Decimal digits. */
  capacity: string;
}

/** What an output is as of a block. */
export interface OutputState {
  kind: string;
  /**
   * What the chain has to reach before the output can be spent, such as `block 12` or a time in RFC 3339; `never`; `""`
   * if nothing is known to hold it back.
   */
  until: string;
  /** What its owner would get on top of the capacity, in the smallest unit; `""` if that is nothing or unknown. */
  compensation: string;
}

/** Outputs that the last blocks created. */
export interface ChangingOutputs {
  /** Of these stored kinds, by their words. */
  kinds: readonly string[];
  /** Only of the first transaction of each block, which pays its reward. */
  rewardsOnly: boolean;
  blocks: number;
}

/** What the outputs of one address are, which may change as the chain goes on. */
export interface OutputStates {
  /** Heights of the blocks that `stateOf` needs to know. */
  heightsFor(output: StoredFacts, asOf: number): number[];
  /** @param blockAt undefined for a block that is not known, or not needed */
  stateOf(
    output: StoredFacts,
    asOf: number,
    blockAt: (height: number) => BlockFacts | undefined,
  ): OutputState;
  /** Which outputs may not be yet what they become, which is what `stateOf` says without knowing their blocks. */
  changing: ChangingOutputs;
}

/** A block from a file. Its shape is checked, its hashes are not. */
export interface FileBlock {
  /** The file and the place in it. */
  where: string;
  /** The network that its contents belong to; null if they do not show it. */
  network: string | null;
  /** Recomputes every hash. Throws InvalidChainDataError if one differs, or MissingBlocksError. */
  verify(network: string): Block;
}

/** Facts that the database knows about blocks which files refer to. */
export interface KnownBlocks {
  network: string;
  /** The heights of stored blocks by their hashes, null for each that is not stored. */
  heightsOf(hashes: string[]): Promise<(number | null)[]>;
}

/** How `aqs import` reads the chain's blocks. */
export interface BlockFiles {
  /** For the help: what the files hold. */
  description: string;
  /** The network that a file's blocks belong to; null if they do not show it. Throws as `read`. */
  networkOf(file: string): Promise<string | null>;
  /**
   * The blocks of files that may need each other, with no more than one of them in memory. Blocks without heights of their own
   * come lowest first. Throws InvalidChainDataError that names the file and the place in it.
   */
  read(files: readonly string[], known: KnownBlocks): AsyncIterable<FileBlock>;
  /** An option of `aqs import` that names a file of outputs that the blocks spend but do not create. */
  previousOutputs: {
    /** Without `--`. */
    option: string;
    help: string;
    /** By `outPointText`. Throws InvalidChainDataError that names `where` and the entry. */
    read(json: unknown, network: string, where: string): ReadonlyMap<string, Output>;
  };
}

export interface ConnectOptions {
  /** Ends requests under way. */
  signal?: AbortSignal | undefined;
  /** The node's file with user name, colon and password. */
  cookie?: string | undefined;
}

export interface Chain {
  terms: ChainTerms;
  /** The networks that a database may hold, as `--network` takes them. */
  networks: readonly string[];
  /**
   * Reads any text form of an address. Throws AddressError if it is not an address of the network.
   * @param network null accepts every network: an empty database has none yet
   */
  parseAddress(text: string, network: string | null): ParsedAddress;
  /** Why no asset of the chain can have this id, which is in small letters; null if one can. */
  assetIdFault(id: string): string | null;
  outputStates(address: Address): OutputStates;
  blockFiles: BlockFiles;
  node: {
    /** For the help of `--rpc`: which interface of the node it is, with an example. */
    help: string;
    /** Whether nodes write a file with the password of their interface at each start. */
    hasCookie: boolean;
    /** For the help of `--from`: what nodes need to tell outputs that earlier blocks created; "" if nothing. */
    needsForEarlier: string;
    connect(url: string, options?: ConnectOptions): Promise<NodeConnection>;
  };
}

/** What is wrong with an address. The API shows it as the code of an issue. */
export type AddressErrorCode = Extract<IssueCode, `address_${string}`>;

/**
 * A text that is not an address of the served network. The message is for the person who typed it. Recognise it
 * with `isAddressError`: one process may load this file twice, in the server and in the framework's bundle.
 */
export class AddressError extends Error {
  override readonly name = "AddressError";
  readonly code: AddressErrorCode;

  constructor(code: AddressErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function isAddressError(error: unknown): error is AddressError {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("address_")
  );
}

import type { Block, NativeAsset, OutPoint, Output, Tip } from "./ledger.ts";

/**
 * A live node of some chain. Everything it returns has been checked against its own hashes. Throws SourceError for
 * faults that may pass, so that the caller can try again.
 */
export interface ChainSource {
  readonly native: NativeAsset;
  /** Which chain the node follows; `demo` for a generated one. */
  identity(): Promise<{ network: string; native: NativeAsset; demo: boolean }>;
  tip(): Promise<{ height: number; hash: string }>;
  /** Null if the node has no block at this height. */
  hashAt(height: number): Promise<string | null>;
  /**
   * The blocks from one height to another, both included; fewer if the node has no more.
   * @param signal cancels the request
   */
  blocks(from: number, to: number, signal?: AbortSignal): Promise<Block[]>;
  /** Outputs by `<transaction hash>:<output index>`, without those that the node does not know. */
  outputs(outPoints: OutPoint[]): Promise<Map<string, Output>>;
  /** Begins to compare all live outputs with the node's. Missing if the chain's nodes cannot say theirs. */
  liveOutputs?(): LiveOutputs;
}

/** A live output as an index has it. `isReward`: the first transaction of its block created it. */
export interface LiveOutput extends OutPoint {
  output: Output;
  isReward: boolean;
}

/** All live outputs of an index, on their way to be compared with the node's. */
export interface LiveOutputs extends Disposable {
  /** Takes what is live of what a block created. */
  add(block: Tip, outputs: readonly LiveOutput[]): Promise<void>;
  /** After those of the tip: how they differ from the node's, or why they cannot be compared; null if they do not differ. */
  difference(tip: Tip): Promise<string | null>;
}

/** A source that holds threads or connections until it is closed. */
export interface NodeConnection extends ChainSource {
  close(): void;
}

/** The source is slow, down, or sends nonsense; the message says which. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

/** A URL split into what requests need and what logs may show. */
export interface RemoteUrl {
  /** Without user name and password. */
  url: string;
  /** The user name and password of the URL, for HTTP's basic authentication. */
  headers: Record<string, string>;
  /** For messages: the host alone, since paths and queries often contain keys. */
  name: string;
}

export function parseRemoteUrl(text: string): RemoteUrl {
  const url = new URL(text);
  const { username, password, origin } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers: Record<string, string> = {};
  if (credentials !== ":") headers.Authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  url.username = "";
  url.password = "";
  return { url: url.href, headers, name: url.href === `${origin}/` ? url.href : `${origin}/…` };
}

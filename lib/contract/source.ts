import type { Block, NativeAsset, OutPoint, Output, Tip } from "./ledger.ts";

/** A running node. It verifies hashes of all it returns, and throws SourceError for faults that may pass. */
export interface ChainSource {
  readonly native: NativeAsset;
  /** The chain that the node follows. `demo` is true for a generated one. */
  identity(): Promise<{ network: string; native: NativeAsset; demo: boolean }>;
  tip(): Promise<Tip>;
  /** Null if there is no block at this height. */
  hashAt(height: number): Promise<string | null>;
  /** The blocks from one height to another, both included; fewer if the node has no more. */
  blocks(from: number, to: number, signal?: AbortSignal): Promise<Block[]>;
  /** Outputs by `outPointText`, without those that the node does not know. */
  outputs(outPoints: OutPoint[]): Promise<Map<string, Output>>;
  /** Begins to compare all live outputs with the node's. Missing if the chain's nodes cannot list theirs. */
  liveOutputs?(): LiveOutputs;
}

export interface LiveOutput extends OutPoint {
  output: Output;
  /** Whether the first transaction of its block created it. */
  isReward: boolean;
}

/** Compares all live outputs of an index with the node's. */
export interface LiveOutputs extends Disposable {
  add(block: Tip, outputs: readonly LiveOutput[]): Promise<void>;
  /** Describes how the added outputs differ from the node's, or why they cannot be compared; null if they are the same. */
  difference(tip: Tip): Promise<string | null>;
}

/** A source that holds threads or connections until it is closed. */
export interface NodeConnection extends ChainSource {
  close(): void;
}

/** Thrown if the source is slow, unreachable, or sends invalid data; the message says which. */
export class SourceError extends Error {
  override readonly name = "SourceError";
}

export interface RemoteUrl {
  url: string;
  /** User name and password for HTTP's basic authentication. */
  headers: Record<string, string>;
  /** Only the host, for messages: paths and queries often contain keys. */
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

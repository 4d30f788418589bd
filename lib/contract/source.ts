import type { Block, NativeAsset, OutPoint, Output } from "./ledger.ts";

/**
 * Where blocks come from: a live node of some chain. Every answer has been checked against its own hashes.
 * Throws SourceError for whatever may pass by itself, so that the caller can try again.
 */
export interface ChainSource {
  readonly native: NativeAsset;
  /** Which chain the node follows; `demo` for one that was generated. */
  identity(): Promise<{ network: string; native: NativeAsset; demo: boolean }>;
  tip(): Promise<{ height: number; hash: string }>;
  /** Null where the node has no block at this height. */
  hashAt(height: number): Promise<string | null>;
  /**
   * The blocks from one height to another, both included; fewer where the node has no more.
   * @param signal gives the request up
   */
  blocks(from: number, to: number, signal?: AbortSignal): Promise<Block[]>;
  /** Outputs by `<transaction hash>:<output index>`; what the node does not know is left out. */
  outputs(outPoints: OutPoint[]): Promise<Map<string, Output>>;
}

/** The source is slow, down, or answers nonsense; the message says which. */
export class SourceError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SourceError";
  }
}

/** A URL as requests and logs need it. */
export interface Endpoint {
  /** Without user name and password. */
  url: string;
  /** The user name and password of the URL, for HTTP's basic authentication. */
  headers: Record<string, string>;
  /** For messages. Keys often stand in a path or a query, so nothing after the host is told. */
  name: string;
}

export function endpointOf(text: string): Endpoint {
  const url = new URL(text);
  const { username, password, origin } = url;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers: Record<string, string> = {};
  if (credentials !== ":") headers.Authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  url.username = "";
  url.password = "";
  return { url: url.href, headers, name: url.href === `${origin}/` ? url.href : `${origin}/…` };
}

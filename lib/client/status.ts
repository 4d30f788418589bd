/** Where the index stands: `GET /status` for the pages, not part of the API. */
export interface ChainStatus {
  /** Null while nothing is indexed. */
  network: string | null;
  /** The blocks were generated, not mined. */
  demo: boolean;
  /** `time` in milliseconds since the Unix epoch, by the block's own header. */
  tip: { height: number; hash: string; time: number | null } | null;
}

/** A tip older than this is worth a warning: blocks come every few seconds. */
export const STALE_AFTER_MS = 120_000;

/**
 * What happened to an address's list since it was read (`GET /changes`): its tip is no longer on the chain;
 * cells came or went; nothing that concerns it.
 */
export type ListChange = { kind: "replaced"; height: number } | { kind: "touched" } | { kind: "none" };

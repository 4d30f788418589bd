/** State of the index, from `GET /status`. */
export interface ChainStatus {
  /** Null if nothing is indexed yet. */
  network: string | null;
  /** The blocks were generated, not mined. */
  demo: boolean;
  /** `time`: the timestamp of the block's header, in milliseconds since the Unix epoch. */
  tip: { height: number; hash: string; time: number | null } | null;
}

/** What became of a block (`GET /changes?block=`): `next` is the block above it, `by` the one now at its height. */
export type BlockChange =
  | { kind: "canonical"; next: string | null }
  | { kind: "replaced"; by: string | null };

/** How an address's list has changed since it was read. */
export interface ListNews {
  /** Outputs that were created since and are live, and outputs of the list that were spent. */
  came: number;
  left: number;
  more: boolean;
}

/** What happened to an address's list since it was read (`GET /changes`). `replaced`: so was the tip of that time. */
export type ListChange =
  | { kind: "replaced"; height: number }
  | ({ kind: "touched" } & ListNews)
  | { kind: "none" };

/** What the assets that a filter leaves moved (`GET /volume`). */
export interface ChangesVolume {
  /** Units of 10^-8 US dollars. */
  volumeUsd: string;
}

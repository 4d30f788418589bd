/** State of the index, from `GET /status`. */
export interface ChainStatus {
  /** Null if nothing is indexed yet. */
  network: string | null;
  /** The blocks were generated, not mined. */
  demo: boolean;
  /** `time` is the block's timestamp, in milliseconds since the Unix epoch. */
  tip: { height: number; hash: string; time: number | null } | null;
}

/** State of a block, from `GET /changes?block=`. `next` is the block above it, `by` the block now at its height. */
export type BlockChange =
  | { kind: "canonical"; next: string | null }
  | { kind: "replaced"; by: string | null };

/** Number of new live outputs, of listed outputs that were spent, and of others that were created and spent. */
export interface ListNews {
  came: number;
  left: number;
  passed: number;
  /** Some were not counted. */
  more: boolean;
}

/** The most blocks at which the rows of a list may have been read, in a request of its changes. */
export const MAX_BLOCKS_READ = 20;

/**
 * Changes of an address's list since it was read, from `GET /changes`. `replaced`: a reorganisation removed the block with this
 * height, at which rows of it were read, and changed what was listed, or may have.
 */
export type ListChange =
  | { kind: "replaced"; height: number }
  | ({ kind: "touched" } & ListNews)
  | { kind: "none" };

/** Volume of a filtered list, from `GET /volume`. */
export interface ChangesVolume {
  /** Units of 10^-8 US dollars. */
  volumeUsd: string;
}

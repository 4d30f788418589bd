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

/** What happened to an address's list since it was read (`GET /changes`). `replaced`: so was the tip of that time. */
export type ListChange = { kind: "replaced"; height: number } | { kind: "touched" } | { kind: "none" };

import type { ChainTerms } from "#lib/contract/chain.ts";
import { NATIVE_ASSET } from "./constants.ts";
import { outputKind } from "./output-kinds.ts";

export const terms: ChainTerms = {
  chain: "Nervos CKB",
  output: { one: "cell", many: "cells" },
  native: NATIVE_ASSET,
  // A cell: a cube seen from a corner.
  nativeMark: "M10 3.6l5.5 3.2v6.4L10 16.4l-5.5-3.2V6.8zM4.5 6.8L10 10l5.5-3.2M10 10v6.4",
  smallestUnit: { one: "shannon", many: "shannons" },
  // A block comes about every ten seconds.
  staleAfterMs: 120_000,
  outputKind,
  outPointJson: (hash, index) => ({ tx_hash: hash, index: `0x${index.toString(16)}` }),
  lock: "Lock script",
  formerAddressForms: {
    short: "Short address format, still valid, shown in full form.",
    "full-2019": "Old full address format, still valid, shown in its current form.",
    long: "Address of more than 1,000 characters, shown by the hash of its lock script.",
  },
};

import type { ChainTerms } from "#lib/contract/chain.ts";
import { NATIVE_ASSET } from "./constants.ts";

export const terms: ChainTerms = {
  chain: "Nervos CKB",
  output: { one: "cell", many: "cells" },
  native: NATIVE_ASSET,
  smallestUnit: { one: "shannon", many: "shannons" },
};

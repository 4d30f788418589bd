/**
 * What a chain folder gives the rest of the service, free of any chain's own words. A folder under
 * `lib/chains` implements it; `imports` in package.json says which one is served (`#chain`).
 */
import type { NativeAsset } from "./ledger.ts";

/** A word for one thing, and for several. */
export interface Noun {
  one: string;
  many: string;
}

/** What the chain's users call things. Plain data, safe for a browser. */
export interface ChainTerms {
  /** The chain's name, such as `Nervos CKB`. */
  chain: string;
  /** An output of a transaction. */
  output: Noun;
  /** The native asset, as the pages name it before the database knows its chain. */
  native: NativeAsset;
  /** The native asset's smallest unit. */
  smallestUnit: Noun;
}

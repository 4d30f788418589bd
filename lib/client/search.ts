/** Search results, from `GET /find`. */
import type { AssetNames, Flag } from "./chain-text.ts";

export interface FoundOutput {
  /** `<transaction hash>:<output index>` */
  outPoint: string;
  address: string;
  asset: AssetNames & { icon: string; public: boolean };
  /** Decimal digits in the asset's smallest unit. */
  amount: string;
  /** Height of the block that spends it; null while it is live; `never` if nobody can ever spend it. */
  spentAt: number | "never" | null;
}

export type Found =
  /** `outputs` is null for an address that this browser found by its label. */
  | { kind: "address"; address: string; outputs: number | null }
  /** `timestamp` is null if a reorganisation replaced the block. */
  | { kind: "block"; hash: string; height: number; timestamp: number | null }
  /** `block` is null if it is not indexed, `outputCount` if only some outputs are stored. */
  | {
      kind: "transaction";
      hash: string;
      block: { hash: string; height: number; timestamp: number } | null;
      outputCount: number | null;
    }
  | ({ kind: "output" } & FoundOutput)
  | { kind: "asset"; asset: FoundOutput["asset"]; holders: number; flags: readonly Flag[] }
  | { kind: "collection"; id: string; name: string };

export type SearchResult = Found & {
  /** The result's page on this site. */
  href: string;
  /** The text names exactly this result. */
  exact: boolean;
};

export interface SearchResults {
  /** Results in order, the best first. */
  results: SearchResult[];
  /** Sentences that say why something was not found. */
  notes: string[];
}

/** The only exact result. The search opens its page directly. */
export function onlyResult(results: readonly SearchResult[]): SearchResult | undefined {
  const [only, ...others] = results.filter(({ exact }) => exact);
  return others.length > 0 ? undefined : only;
}

/** Maximum length of a search text, in UTF-16 code units. An address can have thousands. */
export const MAX_SEARCH_TEXT = 8_000;

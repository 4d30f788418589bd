/** What a search finds, from `GET /find`. */
import type { AssetNames, Flag } from "./chain-text.ts";

export interface FoundOutput {
  /** `<transaction hash>:<output index>` */
  outPoint: string;
  address: string;
  asset: AssetNames & { icon: string; public: boolean };
  /** In the asset's smallest unit, exact decimal digits. */
  amount: string;
  /** The height of the block that spends it; null while it is live, `never` if nobody can ever spend it. */
  spentAt: number | "never" | null;
}

export type Found =
  | { kind: "address"; address: string; outputs: number }
  /** `timestamp`: null if a reorganisation replaced the block. */
  | { kind: "block"; hash: string; height: number; timestamp: number | null }
  /** `block`: null if its own block is not indexed. `outputCount`: null if only some are kept. */
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
  /** The page to open, on this site. */
  href: string;
  /** It is just what the text names, so that nothing else can be meant. */
  exact: boolean;
};

export interface SearchAnswer {
  /** The best first. */
  results: SearchResult[];
  /** Sentences about what was not found, and why. */
  notes: string[];
}

/** What a text names, if that is one thing with a page of its own: the page of the search opens it. */
export function onlyResult(results: readonly SearchResult[]): SearchResult | undefined {
  const [only, ...others] = results.filter(({ exact }) => exact);
  return others.length > 0 || only?.kind === "transaction" ? undefined : only;
}

/** The longest text that is searched for, in UTF-16 code units: an address can have thousands. */
export const MAX_SEARCH_TEXT = 8_000;

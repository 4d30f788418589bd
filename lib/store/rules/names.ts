import type { MetadataClaim, NativeAsset } from "#lib/contract/ledger.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";

/** The fields of a token that people see and may override. */
export interface ShownToken {
  layer: number;
  parentId: string;
  name: string;
  symbol: string;
  decimals: number;
  icon: string;
  description: string;
  keywords: string;
  public: boolean;
  /** Sorted, without repeats. */
  tags: string[];
}

type ClaimText = Pick<MetadataClaim, "name" | "symbol" | "decimals">;

/** Where the service answers with an asset's picture. */
const iconPath = (assetId: string): string => `/asset-icons/${assetId}`;

/**
 * What a token is called: the chain's facts, then the earliest claim about it, then the registry over both.
 * A token in a collection that has no name of its own takes the collection's. The icon is our own copy of the
 * picture, if there is one: what the registry says is where to load it from. Unknown text is `""`, unknown decimals
 * are 0.
 */
export function shownToken(
  facts: { id: string; parentId: string; fungible: boolean; native: NativeAsset | null },
  claim: ClaimText | undefined,
  parentClaim: ClaimText | undefined,
  entry: RegistryEntry | undefined,
  hasPicture: boolean,
): ShownToken {
  const { native } = facts;
  const collectionName = facts.fungible ? "" : (parentClaim?.name ?? "");
  return {
    layer: entry?.layer ?? (native ? 1 : 2),
    parentId: entry?.parentId ?? facts.parentId,
    name: entry?.name ?? native?.name ?? (claim?.name || collectionName),
    symbol: entry?.symbol ?? native?.symbol ?? claim?.symbol ?? "",
    decimals: entry?.decimals ?? native?.decimals ?? claim?.decimals ?? 0,
    icon: hasPicture ? iconPath(facts.id) : "",
    description: entry?.description ?? "",
    keywords: entry?.keywords?.join(",") ?? "",
    public: entry ? (entry.public ?? true) : false,
    tags: [...new Set(entry?.tags)].sort(),
  };
}

/**
 * Full Unicode case folding by the language's own tables, so that engines cannot differ. The final form of sigma is
 * folded too: whether a letter is the last of its word must not decide whether a part of a name is found in it.
 */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

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

/**
 * What a token is called: the chain's facts, then the earliest claim about it, then the registry over both.
 * A token with no name of its own in a collection bears the collection's. Unknown text is `""`, unknown
 * decimals 0.
 */
export function shownToken(
  facts: { parentId: string; fungible: boolean; native: NativeAsset | null },
  claim: ClaimText | undefined,
  parentClaim: ClaimText | undefined,
  entry: RegistryEntry | undefined,
): ShownToken {
  const { native } = facts;
  const collectionName = facts.fungible ? "" : (parentClaim?.name ?? "");
  return {
    layer: entry?.layer ?? (native ? 1 : 2),
    parentId: entry?.parentId ?? facts.parentId,
    name: entry?.name ?? native?.name ?? (claim?.name || collectionName),
    symbol: entry?.symbol ?? native?.symbol ?? claim?.symbol ?? "",
    decimals: entry?.decimals ?? native?.decimals ?? claim?.decimals ?? 0,
    icon: entry?.icon ?? "",
    description: entry?.description ?? "",
    keywords: entry?.keywords?.join(",") ?? "",
    public: entry ? (entry.public ?? true) : false,
    tags: [...new Set(entry?.tags)].sort(),
  };
}

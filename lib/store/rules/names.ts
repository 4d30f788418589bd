import type { NativeAsset } from "#lib/contract/ledger.ts";
import type { Tables } from "#lib/store/tables/ledger.ts";
import type { ClaimRow, ClaimText, NamingFacts, ShownToken } from "./rows.ts";
import type { Steps } from "./steps.ts";
import { revalue } from "./values.ts";

/** Where the service answers with an asset's picture. */
const iconPath = (assetId: string): string => `/asset-icons/${assetId}`;

/**
 * What a token is called: the chain's facts, then the earliest claim, then the registry over both. A token without a name takes
 * its collection's. The icon is our copy of the picture. Unknown text is `""`, unknown decimals are 0.
 */
export function shownToken(facts: NamingFacts, native: NativeAsset): ShownToken {
  const { id, claim, entry } = facts;
  const constants = id === native.id ? native : null;
  const collectionName = facts.fungible ? "" : (facts.parentClaim?.name ?? "");
  return {
    layer: entry?.layer ?? (constants ? 1 : 2),
    parentId: entry?.parentId ?? facts.parentId,
    name: entry?.name ?? constants?.name ?? (claim?.name || collectionName),
    symbol: entry?.symbol ?? constants?.symbol ?? claim?.symbol ?? "",
    decimals: entry?.decimals ?? constants?.decimals ?? claim?.decimals ?? 0,
    icon: facts.hasPicture ? iconPath(id) : "",
    description: entry?.description ?? "",
    keywords: entry?.keywords?.join(",") ?? "",
    public: entry ? (entry.public ?? true) : false,
    tags: [...new Set(entry?.tags)].sort(),
  };
}

/**
 * Unicode case folding by the language's own tables, so that engines cannot differ. The final sigma is folded, too: whether a
 * letter is the last of its word must not decide whether a part of a name is found.
 */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase().toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

/** Tokens whose names are worked out together: enough to spread fixed costs, few enough to keep memory flat. */
const NAMES_AT_ONCE = 5_000;

/** Brings what the given assets are called up to date. */
export function* refreshNames(tables: Tables, assetIds: Iterable<string>, native: NativeAsset): Steps<void> {
  const ids = [...assetIds];
  for (let i = 0; i < ids.length; i += NAMES_AT_ONCE) {
    yield* refreshSome(tables, ids.slice(i, i + NAMES_AT_ONCE), native);
  }
}

function* refreshSome(tables: Tables, assetIds: string[], native: NativeAsset): Steps<void> {
  const tokens = yield* tables.namingFacts(assetIds);
  if (tokens.length === 0) return;
  const names = tokens.map((facts) => {
    const shown = shownToken(facts, native);
    return { ...shown, id: facts.id, foldedName: foldCase(shown.name) };
  });
  yield* tables.saveNames(names);
  for (const [i, { id, decimals }] of tokens.entries()) {
    if (names[i]!.decimals !== decimals) yield* revalue(tables, id, 0);
  }
}

/**
 * Updates names after the earliest claims about `named` changed, and the names of `others`. Tokens show their collection's name,
 * so this rewrites whole collections; that is rare, because only a first claim changes anything.
 */
export function* refreshWithMembers(
  tables: Tables,
  named: ReadonlySet<string>,
  others: readonly string[],
  native: NativeAsset,
): Steps<void> {
  const members = named.size === 0 ? [] : yield* tables.membersOf([...named]);
  yield* refreshNames(tables, new Set([...others, ...named, ...members]), native);
}

/** The assets and collections whose earliest claim says something else once these claims are stored. */
export function* newlyNamed(tables: Tables, claims: readonly ClaimRow[]): Steps<Set<string>> {
  const named = new Set<string>();
  if (claims.length === 0) return named;
  const ids = new Set(claims.map(({ assetId }) => assetId));
  const stored = yield* tables.earliestClaims([...ids]);
  const earliest = new Map(stored.map((claim) => [claim.assetId, claim]));
  for (const claim of claims) {
    const known = earliest.get(claim.assetId);
    if (known && isBefore(known, claim)) continue;
    earliest.set(claim.assetId, claim);
    if (!known || !saysTheSame(known, claim)) named.add(claim.assetId);
  }
  return named;
}

const isBefore = (a: ClaimRow, b: ClaimRow): boolean =>
  a.transactionId === b.transactionId ? a.outputIndex < b.outputIndex : a.transactionId < b.transactionId;

const saysTheSame = (a: ClaimText, b: ClaimText): boolean =>
  a.name === b.name && a.symbol === b.symbol && a.decimals === b.decimals;

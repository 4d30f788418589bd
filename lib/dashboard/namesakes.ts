import { type ListedNames, type Namesakes, namesakesOf, sharedAmong } from "#lib/client/chain-text.ts";
import { listedAlike } from "#lib/queries/asset-relations.ts";
import type { Store } from "#lib/store/store.ts";

/** The assets that those of a page may be confused with: each other, and all of the registry. */
export async function namesakesAmong(
  store: Pick<Store, "query">,
  assets: readonly ListedNames[],
): Promise<Namesakes> {
  const { listed, bySymbol } = sharedAmong(namesakesOf(assets));
  const unlisted = assets.filter((asset) => !asset.public).map(({ id }) => id);
  const alike = await store.query(listedAlike, unlisted);
  const known = new Set(listed.map(({ id }) => id));
  return { listed: [...listed, ...alike.filter(({ id }) => !known.has(id))], bySymbol };
}

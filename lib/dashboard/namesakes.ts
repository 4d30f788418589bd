import { type ListedNames, type Namesakes, namesakesOf, sharedAmong } from "#lib/client/chain-text.ts";
import { listedAlike } from "#lib/queries/asset-relations.ts";
import type { Store } from "#lib/store/store.ts";

/** What the assets of a page may be taken for: one another, and those of the registry, wherever these stand. */
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

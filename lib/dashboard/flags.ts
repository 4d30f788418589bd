import {
  createFlagger,
  type Flag,
  namesakesOf,
  type Surroundings,
  withImitation,
} from "#lib/client/chain-text.ts";
import type { AssetDetails } from "#lib/queries/assets/read.ts";

/** The flags of each asset, which compare the assets with each other. */
export function flagsAmong(
  assets: readonly AssetDetails[],
  native: Surroundings["native"],
): (readonly Flag[])[] {
  const flagsOf = createFlagger({ native, ...namesakesOf(assets.map(({ token }) => token)) });
  return assets.map(({ token, resembles }) => withImitation(flagsOf(token), resembles));
}

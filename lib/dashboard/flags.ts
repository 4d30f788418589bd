import {
  createFlagger,
  type Flag,
  namesakesOf,
  type Surroundings,
  withImitation,
} from "#lib/client/chain-text.ts";
import type { AssetDetails } from "#lib/queries/assets/read.ts";

/** Returns a function that computes an asset's flags, which compare the assets with each other. */
export function flaggerAmong(assets: readonly AssetDetails[], native: Surroundings["native"]) {
  const flagsOf = createFlagger({ native, ...namesakesOf(assets.map(({ token }) => token)) });
  return ({ token, resembles }: AssetDetails): readonly Flag[] => withImitation(flagsOf(token), resembles);
}

import { hashText } from "#lib/client/identicon.ts";
import { terms } from "#terms";

/** The palette of globals.css: `--color-asset-1` to `-9`. */
const COLOURS = 9;

/** An asset's colour, the same on every page: names can be copied, ids cannot. Only the native asset has its own. */
export function assetColour(id: string): string {
  if (id === terms.native.id) return "var(--color-asset-native)";
  // Any bits of the hash do; by these, the tokens that the demo moves most differ.
  return placeColour(hashText(id) >>> 18);
}

/** A colour for a place in a row, where neighbours differ. */
export const placeColour = (at: number): string => `var(--color-asset-${(at % COLOURS) + 1})`;

/** What a chart shows together. */
export const REST_COLOUR = "var(--color-asset-rest)";

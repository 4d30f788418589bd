import { hashText } from "#lib/client/identicon.ts";
import { terms } from "#terms";

/** Number of colours `--color-asset-1`, `-2` … in globals.css. */
const COLOURS = 9;

/** An asset's colour, the same on every page. It depends on the id, because names can be imitated. */
export function assetColour(id: string): string {
  if (id === terms.native.id) return "var(--color-asset-native)";
  // Any bits of the hash would do. With these, the demo's most active tokens differ.
  return placeColour(hashText(id) >>> 18);
}

/** A colour by index; neighbours differ. */
export const placeColour = (at: number): string => `var(--color-asset-${(at % COLOURS) + 1})`;

export const REST_COLOUR = "var(--color-asset-rest)";

import { hashText } from "#lib/client/identicon.ts";
import { terms } from "#terms";

/** Colours `--color-asset-1`, `-2` … in globals.css. */
const COLOURS = Array.from({ length: 9 }, (_, at) => `var(--color-asset-${at + 1})`);
const NATIVE_COLOUR = "var(--color-asset-native)";

export const REST_COLOUR = "var(--color-asset-rest)";

/** Assets of one drawing that have colours of their own. */
const COLOURED = 8;

/** An asset's colour, the same on every page. It depends on the id, because names can be imitated. */
export function assetColour(id: string): string {
  if (id === terms.native.id) return NATIVE_COLOUR;
  // Any bits of the hash would do. With these, the demo's most active tokens differ.
  return placeColour(hashText(id) >>> 18);
}

/** A colour by index; neighbours differ. */
export const placeColour = (at: number): string => COLOURS[at % COLOURS.length]!;

/**
 * The colours of one drawing, by asset id. The eight largest differ: each has its own colour unless a larger asset has it,
 * which leaves it a free one. All others are grey.
 * @param ids the assets of the drawing, the largest first
 */
export function coloursFor(ids: readonly string[]): (id: string) => string {
  const largest = [...new Set(ids)].slice(0, COLOURED);
  const ownerOf = new Map(largest.toReversed().map((id) => [assetColour(id), id]));
  const free = COLOURS.filter((colour) => !ownerOf.has(colour));
  const colours = new Map(
    largest.map((id) => {
      const own = assetColour(id);
      return [id, ownerOf.get(own) === id ? own : free.shift()!];
    }),
  );
  return (id) => colours.get(id) ?? REST_COLOUR;
}

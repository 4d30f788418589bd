import { hashText } from "#lib/client/identicon.ts";

/** The palette of globals.css: `--color-asset-1` to `-6`. */
const COLOURS = 6;

/** An asset's colour, the same on every page: names can be copied, ids cannot. */
export function assetColour(id: string): string {
  // Any bits of the hash do; by these, the tokens that the demo moves most differ.
  return `var(--color-asset-${((hashText(id) >>> 5) % COLOURS) + 1})`;
}

/** What a chart shows together. */
export const REST_COLOUR = "var(--color-asset-rest)";

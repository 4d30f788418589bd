/**
 * How long texts from outside may be, in Unicode code points. An issuer writes whatever fits into a block, and the
 * text of one output is shown with many: without limits, a small transaction makes a large database and large answers.
 */
export const MAX_NAME = 256;
export const MAX_SYMBOL = 64;
/** Of a token's content. */
export const MAX_MEDIA_TYPE = 256;

/** In the registry, whose texts the operator writes. */
export const MAX_DESCRIPTION = 1_024;
/** Of all keywords together, with a comma between each two. */
export const MAX_KEYWORDS = 1_024;
export const MAX_PARENT_ID = 256;
/** The name of an access token: it comes with every page that the token's holder reads. */
export const MAX_TOKEN_NAME = 100;
export const MAX_TAGS = 32;
export const MAX_TAG = 64;
/** In bytes. Asset ids of the chain have 32 and fewer. */
export const MAX_ASSET_ID = 64;

const ELLIPSIS = "…";

/** True if the text has more code points than that; it reads no further than it must. */
export function isLonger(text: string, most: number): boolean {
  return text.length > most && indexOfCodePoint(text, most) < text.length;
}

/** At most `most` code points: of a longer text, the last one is an ellipsis instead of the rest. */
export function limitText(text: string, most: number): string {
  return isLonger(text, most) ? text.slice(0, indexOfCodePoint(text, most - 1)) + ELLIPSIS : text;
}

/** True if the text may be what `limitText` left of a longer one. */
export function isLimited(text: string, most: number): boolean {
  return text.endsWith(ELLIPSIS) && !isLonger(text, most) && isLonger(text, most - 1);
}

/** Where the code point with this number, counted from 0, begins. */
function indexOfCodePoint(text: string, number: number): number {
  let index = 0;
  for (let i = 0; i < number && index < text.length; i++) index += text.codePointAt(index)! > 0xffff ? 2 : 1;
  return index;
}

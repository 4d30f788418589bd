/**
 * Maximum lengths of texts from outside, in Unicode code points. Issuers write whatever fits into a block, and many outputs
 * show one text: without limits, a small transaction causes a large database and large responses.
 */
export const MAX_NAME = 256;
export const MAX_SYMBOL = 64;
export const MAX_MEDIA_TYPE = 256;

export const MAX_DESCRIPTION = 1_024;
/** Maximum of all keywords together, with a comma between each two. */
export const MAX_KEYWORDS = 1_024;
export const MAX_PARENT_ID = 256;
/** Maximum name of an access token, which is sent with every page that its holder reads. */
export const MAX_TOKEN_NAME = 100;
export const MAX_TAGS = 32;
export const MAX_TAG = 64;
/** Maximum in bytes. Asset ids of the chains have at most 32. */
export const MAX_ASSET_ID = 64;

/** Addresses that one request may name. */
export const MAX_ADDRESSES = 100;

const ELLIPSIS = "…";

/** Whether the text has more than `most` code points. Reads no further than necessary. */
export function isLonger(text: string, most: number): boolean {
  return text.length > most && indexOfCodePoint(text, most) < text.length;
}

/** Cuts a text to `most` code points. The last one is then an ellipsis. */
export function limitText(text: string, most: number): string {
  return isLonger(text, most) ? text.slice(0, indexOfCodePoint(text, most - 1)) + ELLIPSIS : text;
}

/** Whether the text may be a longer one that `limitText` cut. */
export function isLimited(text: string, most: number): boolean {
  return text.endsWith(ELLIPSIS) && !isLonger(text, most) && isLonger(text, most - 1);
}

/** The index of the code point with this number, counted from 0. */
function indexOfCodePoint(text: string, number: number): number {
  let index = 0;
  for (let i = 0; i < number && index < text.length; i++) index += text.codePointAt(index)! > 0xffff ? 2 : 1;
  return index;
}

import type { OutPoint } from "#lib/contract/ledger.ts";
import { terms } from "#terms";

/** What a text is, by its shape alone. `view`: the query of a page's URL, with its `?`. */
export type Detected =
  | { kind: "empty" }
  /** `network` is the one that the address names; null if it names none. */
  | { kind: "address"; address: string; network: string | null; view?: string }
  | { kind: "block-hash"; hash: string; view?: string }
  | { kind: "block-number"; height: number; view?: string }
  | ({ kind: "out-point" } & OutPoint)
  /** From the URL of its page: an id alone has the shape of a hash, or of a part of one. */
  | { kind: "asset"; id: string; view?: string }
  /** `isName`: nothing in it is of an address or a hash, so that it may be what an asset is called. */
  | { kind: "fault"; message: string; isName: boolean };

/** A URL of a page, on any host: the part that names the record, and the query. */
const pageUrl = /^[^?#]*\/(addresses|blocks|assets)\/([^/?#]+)(\?[^#]*)?/;
const assetId = /^0x[0-9a-f]+$/;
const hashDigits = 64;
const blockHash = new RegExp(`^(?:0x)?([0-9a-f]{${hashDigits}})$`);
const outPoint = new RegExp(`^(?:0x)?([0-9a-f]{${hashDigits}})[-:#\\s]+(0x[0-9a-f]{1,8}|\\d{1,9})$`);

/** The page that lists what a text finds. */
export const SEARCH_PATH = "/search";
export const searchPath = (text: string): string => `${SEARCH_PATH}?q=${encodeURIComponent(text)}`;

export function detect(input: string): Detected {
  // Pages and chats add invisible characters to what is copied from them.
  const text = input.replace(/\p{DI}/gu, "").trim();
  if (text === "") return { kind: "empty" };
  const lower = text.toLowerCase();
  const [, page, part, view = ""] = pageUrl.exec(text) ?? [];
  if (page === "assets" && assetId.test(part!.toLowerCase())) {
    return { kind: "asset", id: part!.toLowerCase(), view };
  }
  if (part !== undefined) {
    return { ...detect(part), ...(view !== "" && { view }) };
  }
  const found = terms.detectAddress(text);
  if (found !== null) {
    if ("fault" in found) return { kind: "fault", message: found.fault, isName: false };
    return { kind: "address", ...found };
  }
  // A hash can consist of decimal digits alone. It comes first: no block number is that long.
  const [, digits] = blockHash.exec(lower) ?? [];
  if (digits !== undefined) {
    return { kind: "block-hash", hash: `0x${digits}` };
  }
  const [, outPointHash, index] = outPoint.exec(lower) ?? [];
  if (outPointHash !== undefined) {
    const named = { transactionHash: `0x${outPointHash}`, outputIndex: Number(index) };
    return { kind: "out-point", ...named };
  }
  const number = lower.replace(/[,_\s]/g, "");
  if (/^\d{1,15}$/.test(number)) {
    const height = Number(number);
    return { kind: "block-number", height };
  }
  return faultOf(lower);
}

function faultOf(lower: string): Detected {
  const near = (message: string): Detected => ({ kind: "fault", message, isName: false });
  const prefixed = lower.startsWith("0x");
  const digits = prefixed ? lower.slice(2) : lower;
  const at = digits.search(/[^0-9a-f]/);
  if (prefixed && at >= 0) return near(`Character ${2 + at + 1} is not a hex digit`);
  if (at < 0 && (prefixed || digits.length >= 16)) {
    return near(`${digits.length} hex ${digits.length === 1 ? "digit" : "digits"}, a hash has ${hashDigits}`);
  }
  const starts = terms.addressStarts.map((start) => `${start}…`).join(", ");
  const message = `Not an address (${starts}), a block hash (${hashDigits} hex digits) or a block number`;
  return { kind: "fault", message, isName: true };
}

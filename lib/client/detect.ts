import type { OutPoint } from "#lib/contract/ledger.ts";
import { terms } from "#terms";

/** The kind of a text, by its shape alone. `view` is the query of a page's URL, with its `?`. */
export type Detected =
  | { kind: "empty" }
  /** `network` is null if the address names none. */
  | { kind: "address"; address: string; network: string | null; view?: string }
  | { kind: "block-hash"; hash: string; view?: string }
  | { kind: "block-number"; height: number; view?: string }
  | ({ kind: "out-point" } & OutPoint)
  /** Only the URL of an asset's page names an asset: an id alone is shaped like a hash or a part of one. */
  | { kind: "asset"; id: string; view?: string }
  /** `isName`: the text resembles no address or hash, so that it may be an asset's name. */
  | { kind: "fault"; message: string; isName: boolean };

/** A page's URL on any host. Captures the kind of page, the record and the query. */
const pageUrl = /^[^?#]*\/(addresses|blocks|assets)\/([^/?#]+)(\?[^#]*)?/;
const assetId = /^0x[0-9a-f]+$/;
const hashDigits = 64;
const blockHash = new RegExp(`^(?:0x)?([0-9a-f]{${hashDigits}})$`);
const outPoint = new RegExp(`^(?:0x)?([0-9a-f]{${hashDigits}})[-:#\\s]+(0x[0-9a-f]{1,8}|\\d{1,9})$`);

export const SEARCH_PATH = "/search";
export const searchPath = (text: string): string => `${SEARCH_PATH}?q=${encodeURIComponent(text)}`;

export function detect(input: string): Detected {
  // Text copied from pages and chats may contain invisible characters.
  const text = input.replace(/\p{DI}/gu, "").trim();
  if (text === "") return { kind: "empty" };
  const lower = text.toLowerCase();
  const [, page, part, view = ""] = pageUrl.exec(text) ?? [];
  const id = part?.toLowerCase() ?? "";
  if (page === "assets" && assetId.test(id)) return { kind: "asset", id, view };
  if (part !== undefined) return { ...detect(part), ...(view !== "" && { view }) };
  const found = terms.detectAddress(text);
  if (found !== null) {
    if ("fault" in found) return { kind: "fault", message: found.fault, isName: false };
    return { kind: "address", ...found };
  }
  // Hashes come before numbers: a hash may consist of decimal digits, but no block number is as long.
  const [, digits] = blockHash.exec(lower) ?? [];
  if (digits !== undefined) return { kind: "block-hash", hash: `0x${digits}` };
  const [, transaction, index] = outPoint.exec(lower) ?? [];
  if (transaction !== undefined) {
    return { kind: "out-point", transactionHash: `0x${transaction}`, outputIndex: Number(index) };
  }
  const number = lower.replace(/[,_\s]/g, "");
  if (/^\d{1,15}$/.test(number)) return { kind: "block-number", height: Number(number) };
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

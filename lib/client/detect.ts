import { search } from "#chain/search.ts";
import { terms } from "#chain/terms.ts";

/** What a text in the search field is, by its shape alone. The page that opens reports other faults. */
export type Detected =
  | { kind: "empty" }
  /** `network` is the one that the address names; null if it names none. */
  | { kind: "address"; address: string; network: string | null; path: string }
  | { kind: "block-hash"; hash: string; path: string }
  | { kind: "block-number"; height: number; path: string }
  | { kind: "fault"; message: string };

/** A URL of an address or block page, on any host: the part that names the record, and the query. */
const pageUrl = /^[^?#]*\/(?:addresses|blocks)\/([^/?#]+)(\?[^#]*)?/;
const { hashDigits, hashPrefix } = search;
const blockHash = new RegExp(`^(?:${hashPrefix})?([0-9a-f]{${hashDigits}})$`);
const outPoint = new RegExp(`^(?:${hashPrefix})?[0-9a-f]{${hashDigits}}[-:#\\s]+\\d+$`);

export function detect(input: string): Detected {
  // Pages and chats add invisible characters to what is copied from them.
  const text = input.replace(/\p{DI}/gu, "").trim();
  if (text === "") return { kind: "empty" };
  const lower = text.toLowerCase();
  const [, part, view = ""] = pageUrl.exec(text) ?? [];
  if (part !== undefined) {
    const named = detect(part);
    return "path" in named ? { ...named, path: named.path + view } : named;
  }
  const found = search.detectAddress(text);
  if (found !== null) {
    if ("fault" in found) return { kind: "fault", message: found.fault };
    return { kind: "address", ...found, path: `/addresses/${found.address}` };
  }
  // A hash can consist of decimal digits alone. It comes first: no block number is that long.
  const [, digits] = blockHash.exec(lower) ?? [];
  if (digits !== undefined) {
    const hash = hashPrefix + digits;
    return { kind: "block-hash", hash, path: `/blocks/${hash}` };
  }
  const number = lower.replace(/[,_\s]/g, "");
  if (/^\d{1,15}$/.test(number)) {
    const height = Number(number);
    return { kind: "block-number", height, path: `/blocks/${height}` };
  }
  return { kind: "fault", message: faultOf(lower) };
}

function faultOf(lower: string): string {
  if (outPoint.test(lower)) return "Out point of a transaction: this service does not list transactions";
  const prefixed = hashPrefix !== "" && lower.startsWith(hashPrefix);
  const digits = prefixed ? lower.slice(hashPrefix.length) : lower;
  const at = digits.search(/[^0-9a-f]/);
  if (prefixed && at >= 0) return `Character ${hashPrefix.length + at + 1} is not a hex digit`;
  if (at < 0 && (prefixed || digits.length >= 16)) {
    return `${digits.length} hex ${digits.length === 1 ? "digit" : "digits"}, a hash has ${hashDigits}`;
  }
  const starts = search.addressStarts.map((start) => `${start}…`).join(", ");
  return `Not an address (${starts}), a block hash (${hashDigits} hex digits) or a block number`;
}

/** One line about the text while it is typed; `""` for an empty field. */
export function describeDetected(detected: Detected): string {
  switch (detected.kind) {
    case "empty":
      return "";
    case "address":
      return `${terms.native.name} address${detected.network === null ? "" : `, ${detected.network}`}`;
    case "block-hash":
      return `${hashDigits / 2}-byte hash: block`;
    case "block-number":
      return "Block number";
    case "fault":
      return detected.message;
  }
}

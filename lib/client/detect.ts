/**
 * What a text typed into the search field is, by its shape alone. Checksums and what is indexed are the
 * server's to check: the page that opens names those faults.
 */

export type Detected =
  | { kind: "empty" }
  /** `network` as the prefix says it. */
  | { kind: "address"; address: string; network: "mainnet" | "testnet"; path: string }
  | { kind: "block-hash"; hash: string; path: string }
  | { kind: "block-number"; height: number; path: string }
  /** Not searchable; `message` names what is wrong. */
  | { kind: "fault"; message: string };

const addressPrefixes = { ckb1: "mainnet", ckt1: "testnet" } as const;
/** A page of ours, on whatever host: its part that names something, and its view. */
const pageUrl = /^[^?#]*\/(?:addresses|blocks)\/([^/?#]+)(\?[^#]*)?/;
const bech32Text = /^[02-9ac-hj-np-z]+$/;

export function detect(input: string): Detected {
  // Pages and chats put characters without looks beside what is copied from them.
  const text = input.replace(/\p{DI}/gu, "").trim();
  if (text === "") return { kind: "empty" };
  const lower = text.toLowerCase();
  const [, part, view = ""] = pageUrl.exec(text) ?? [];
  if (part !== undefined) {
    const named = detect(part);
    return "path" in named ? { ...named, path: named.path + view } : named;
  }
  const prefix = lower.slice(0, 4);
  if (prefix === "ckb1" || prefix === "ckt1") return detectAddress(text, lower, addressPrefixes[prefix]);
  // 64 digits are a hash even where all of them are decimal: no block number is that long.
  if (/^(0x)?[0-9a-f]{64}$/.test(lower)) {
    const hash = `0x${lower.slice(-64)}`;
    return { kind: "block-hash", hash, path: `/blocks/${hash}` };
  }
  const number = lower.replace(/[,_\s]/g, "");
  if (/^\d{1,15}$/.test(number)) {
    const height = Number(number);
    return { kind: "block-number", height, path: `/blocks/${height}` };
  }
  return { kind: "fault", message: faultOf(lower) };
}

function detectAddress(text: string, lower: string, network: "mainnet" | "testnet"): Detected {
  const address = text === text.toUpperCase() ? lower : text;
  if (/\s/.test(address)) return { kind: "fault", message: "An address has no spaces inside" };
  if (address !== lower) {
    return { kind: "fault", message: "An address is all lower case or all upper case, not mixed" };
  }
  const body = address.slice(4);
  if (!bech32Text.test(body)) {
    const at = [...body].findIndex((character) => !bech32Text.test(character));
    const fault =
      at < 0 ? "The address ends after its prefix" : `Character ${at + 5} cannot be in an address`;
    return { kind: "fault", message: fault };
  }
  if (body.length < 40) {
    return { kind: "fault", message: `${address.length} characters, an address has at least 46` };
  }
  return { kind: "address", address, network, path: `/addresses/${address}` };
}

function faultOf(lower: string): string {
  if (/^(0x)?[0-9a-f]{64}[-:#\s]+\d+$/.test(lower)) {
    return "Out point of a transaction: this service does not list transactions";
  }
  const prefixed = lower.startsWith("0x");
  const digits = lower.replace(/^0x/, "");
  const at = digits.search(/[^0-9a-f]/);
  if (prefixed && at >= 0) return `Character ${at + 3} is not a hex digit`;
  if (at < 0 && (prefixed || digits.length >= 16)) {
    return `${digits.length} hex ${digits.length === 1 ? "digit" : "digits"}, a hash has 64`;
  }
  return "Not an address (ckb1…, ckt1…), a block hash (64 hex digits) or a block number";
}

/** One line for the reader while typing; `""` for an empty field. */
export function describeDetected(detected: Detected): string {
  switch (detected.kind) {
    case "empty":
      return "";
    case "address":
      return `CKB address, ${detected.network}`;
    case "block-hash":
      return "32-byte hash: block";
    case "block-number":
      return "Block number";
    case "fault":
      return detected.message;
  }
}

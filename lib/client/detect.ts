import { TIME, timeIn } from "#lib/contract/block-text.ts";
import { type AddressPart, LEAST_END } from "#lib/contract/chain.ts";
import type { OutPoint } from "#lib/contract/ledger.ts";
import { terms } from "#terms";

/** The kind of a text, by its shape alone. `view` is the query of a page's URL, with its `?`. */
export type Detected =
  | { kind: "empty" }
  /** `network` is null if the address names none. */
  | { kind: "address"; address: string; network: string | null; view?: string }
  | { kind: "block-hash"; hash: string; view?: string }
  | { kind: "block-number"; height: number; view?: string }
  | { kind: "tip" }
  /** In milliseconds since the Unix epoch. A date is the end of its day. */
  | { kind: "time"; time: number }
  | ({ kind: "out-point" } & OutPoint)
  /** Only the URL of an asset's page names an asset: an id alone is shaped like a hash or a part of one. */
  | { kind: "asset"; id: string; view?: string }
  /** `isName`: the text resembles no address or hash, so that it may be an asset's name. */
  | { kind: "fault"; message: string; isName: boolean };

/** A page's URL on any host, which may be a Markdown link's. Captures the kind of page, the record and the query. */
const pageUrl = /^[^?#\s]*\/(addresses|blocks|assets)\/([^/?#\s)]+)(\?[^#\s)]*)?(?=[/#)]|$)/;
/** The same of a transaction. Its fragment would name an output, as `namedIndex` reads it. */
const transactionUrl = /^[^?#\s]*\/transactions\/((?:0x)?[0-9a-f]{64})(\?[^#\s)]*)\)?$/i;
const assetId = /^0x[0-9a-f]+$/;
const hashDigits = 64;
/** Shorter starts match too much. */
const hashStart = new RegExp(`^(?:0x)?([0-9a-f]{8,${hashDigits - 1}})$`);
const LEAST_ADDRESS_CHARACTERS = 10;
/** An address as pages and wallets shorten it. */
const shortened = /^([^.…]*)(?:…|\.{2,3})([^.…]+)$/;
const hash = new RegExp(`^(?:0x)?([0-9a-f]{${hashDigits}})$`);
const index = "(0x[0-9a-f]{1,8}|\\d{1,9})";
const outPoint = new RegExp(`^\\W*(?:0x)?([0-9a-f]{${hashDigits}})\\W+(?<!:-)o?${index}\\W*$`);
/** An output beside its transaction, as nodes, Rust and other explorers name it: `"index": "0x1"`, `#vout=1`, `?o=1`, `#1`. */
const namedIndex = new RegExp(
  `(?:(?<!tx_|block_)index|vout|output|\\bo|#(?=\\d+\\W*$))\\W{0,5}(?:uint32\\W)?${index}(?![0-9a-z])`,
);
/** One kind of character may separate the thousands: `1,5` is no number. */
const blockNumber =
  /^(?:(?:block|height|#)(?:s|height|number|no|[\s:#./=-])*)?(\d+|\d{1,3}([.,'’_\s])\d{3}(?:\2\d{3})*)[.,;]?$/;
/** The height in a URL: the path's last number, or one that the query names. */
const urlHeight =
  /(?:^(?=\S*[.:]|\/)[^\s?]*\/|(?:block|height|[?&]q)\w{0,9}(?:\.\w{1,9})?[^\s\w])(\d{1,15})(?=$|[/?#&]|\.htm)/;
/** Separates what may be an address, a hash or an out point in a text or a URL. */
const betweenWords = /(?:%[\da-f]{2}|[^\w:!-])+/i;
const tipName = /^(?:tip|latest|newest)(?: block)?$/;
/** The forms in which pages write times, such as `2026-11-01 14:25:35 GMT+2, 3 d ago` and `1 Nov 2026, 14:25`. */
const printedTime =
  /^(?:(?<date>\d{4}-\d\d-\d\d)|(?<day>\d{1,2}) (?<month>[a-z]{3})[a-z]* (?<year>\d{4})),?(?:[ t](?<minutes>\d\d:\d\d)(?<seconds>:\d\d)?(?<fraction>\.\d+)?)?(?: ?(?:utc|z|gmt(?:(?<sign>[+-])(?<hours>\d{1,2})(?<rest>:\d\d)?)?))?(?:, [^,]* ago)?$/;
const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const twoDigits = (number: number | string): string => String(number).padStart(2, "0");

/** The printed time as RFC 3339 has it, `""` for other text. Pages cut off what they leave out, so it is the last such moment. */
function fromPrinted(lower: string): string {
  const { groups } = printedTime.exec(lower) ?? {};
  if (!groups) return "";
  const {
    date,
    day,
    month,
    year,
    minutes,
    seconds = ":59",
    fraction = ".999",
    sign,
    hours,
    rest = ":00",
  } = groups;
  const named = date ?? `${year}-${twoDigits(months.indexOf(month!) + 1)}-${twoDigits(day!)}`;
  const zone = sign ? `${sign}${twoDigits(hours!)}${rest}` : "Z";
  return minutes ? `${named}T${minutes}${seconds}${fraction}${zone}` : named;
}
const pairs = ['""', "''", "``", "“”", "„“", "„”", "‘’", "‚‘", "«»", "»«", "‹›", "()", "[]", "{}", "<>"];

export const SEARCH_PATH = "/search";
/** A text that was cut may end in half of a character, which URLs cannot have. */
export const searchPath = (text: string): string =>
  `${SEARCH_PATH}?q=${encodeURIComponent(text.toWellFormed())}`;

const MAX_PAIRS = 4;

/** The text without quotes or brackets around it. */
export function bareText(input: string): string {
  let text = input.trim();
  for (let n = 0; n < MAX_PAIRS && text.length > 1 && pairs.includes(text[0]! + text.at(-1)); n++) {
    text = text.slice(1, -1).trim();
  }
  return text;
}

/** Text copied from pages and chats may contain invisible characters, and end where it was shortened. */
export const visible = (input: string): string =>
  bareText(input.replace(/\p{DI}/gu, "")).replace(/(?<=^\w+)(?:…|\.{3})$/, "");

export function detect(input: string): Detected {
  const text = visible(input);
  if (text === "") return { kind: "empty" };
  const lower = text.toLowerCase();
  const [, page, part, view = ""] = pageUrl.exec(text) ?? [];
  const id = part?.toLowerCase() ?? "";
  if (page === "assets" && assetId.test(id)) return { kind: "asset", id, view };
  const ofPart = part === undefined ? null : detect(part);
  if (ofPart && ofPart.kind !== "fault") return { ...ofPart, ...(view !== "" && { view }) };
  const [, transaction, of] = transactionUrl.exec(text) ?? [];
  if (transaction !== undefined)
    return { kind: "block-hash", hash: `0x${transaction.slice(-hashDigits).toLowerCase()}`, view: of };
  const named = detectName(text, lower);
  if (named && named.kind !== "fault") return named;
  return inText(text, lower) ?? named ?? ofPart ?? faultOf(lower);
}

/** The block in a text as the API takes it; undefined if it names none. A date or time that the API takes stays as it is. */
export function referenceIn(text: string): string | undefined {
  const found = detect(text);
  if (found.kind === "block-number") return String(found.height);
  if (found.kind === "block-hash") return found.hash;
  if (found.kind !== "time") return undefined;
  return timeIn(text) === undefined ? new Date(found.time).toISOString() : text;
}

/** Detects what the whole text names; null if it has no known shape. */
function detectName(text: string, lower: string): Detected | null {
  const found = terms.detectAddress(text);
  if (found !== null) {
    if (!("fault" in found)) return { kind: "address", ...found };
    return { kind: "fault", message: found.fault, isName: false };
  }
  // Hashes come before numbers: a hash may consist of decimal digits, but no block number is as long.
  const [, digits] = hash.exec(lower) ?? [];
  if (digits !== undefined) return { kind: "block-hash", hash: `0x${digits}` };
  const [, transaction, output] = outPoint.exec(lower) ?? [];
  if (transaction !== undefined) {
    return { kind: "out-point", transactionHash: `0x${transaction}`, outputIndex: Number(output) };
  }
  const height = blockNumber.exec(lower)?.[1]?.replace(/\D/g, "");
  if (height !== undefined && height.length <= 15) return { kind: "block-number", height: Number(height) };
  if (tipName.test(lower)) return { kind: "tip" };
  const time = timeIn(text) ?? timeIn(fromPrinted(lower));
  return time === undefined ? null : { kind: "time", time };
}

/** The only address, hash or out point in a text, or the height in a URL; null if there is none. A URL's path says best what it is about. */
function inText(text: string, lower: string): Detected | null {
  // A part of an address may have the shape of a whole one.
  if (shortened.test(text)) return null;
  const query = `${text}?`.search(/[?#]/);
  const path = namedAmong(text.slice(0, query).split(betweenWords).reverse());
  const all = new Map([...path, ...namedAmong(text.slice(query).split(betweenWords))]);
  const [found] = all.values();
  const isUrl = !/\s/.test(text) && /^[^/.:]*[.:][^/]*\//.test(text);
  const areAddresses = (named: typeof all) => [...named.values()].every(({ kind }) => kind === "address");
  if (isUrl ? path.size > 1 && areAddresses(path) : all.size > 1) {
    const isWallet = areAddresses(all);
    const message = `Enter only one${isWallet ? ": to combine several addresses, open /wallet" : ""}`;
    return { kind: "fault", message, isName: false };
  }
  const [, output] = namedIndex.exec(lower) ?? [];
  if (found?.kind === "block-hash" && output !== undefined && !/\/blocks?\//.test(lower)) {
    return { kind: "out-point", transactionHash: found.hash, outputIndex: Number(output) };
  }
  const [, height] = urlHeight.exec(lower) ?? [];
  return found ?? (height === undefined ? null : { kind: "block-number", height: Number(height) });
}

const namedAmong = (words: string[]): Map<string, Detected> =>
  new Map(words.flatMap(namedIn).map((found) => [JSON.stringify(found), found]));

/** The address, hash or out point that a word is, or else what its parts are: a colon may be a part of an address or follow a name. */
function namedIn(word: string): Detected[] {
  if (word.length < LEAST_ADDRESS_CHARACTERS) return [];
  const named = detectName(word, word.toLowerCase());
  if (named && /address|hash|out/.test(named.kind)) return [named];
  return word.includes(":") ? word.split(":").flatMap(namedIn) : [];
}

interface Parts {
  /** The first hex digits of a hash, and the last ones of a hash that was shortened. */
  hash: { start: string; end: string } | undefined;
  addresses: AddressPart[];
}

/** Reads the text as a part of a hash, and as parts of an address in each form that allows its characters. */
export function partsIn(input: string): Parts {
  const text = visible(input);
  const [, first = "", last] = shortened.exec(text) ?? [];
  const given = last === undefined ? [{ start: text }, { end: text }] : [{ start: first, end: last }];
  const parts = new Map<string, AddressPart>();
  for (const { start = "", end = "" } of given) {
    if (start.length + end.length < LEAST_ADDRESS_CHARACTERS || (end !== "" && end.length < LEAST_END))
      continue;
    for (const form of terms.addressForms) {
      const part = form.anyCase ? { start: start.toLowerCase(), end: end.toLowerCase() } : { start, end };
      const isOfForm = start === "" || part.start.startsWith(form.start);
      const body = part.start.slice(form.start.length) + part.end;
      if (isOfForm && !new RegExp(`[^${form.characters}]`).test(body))
        parts.set(`${part.start}…${part.end}`, part);
    }
  }
  const end = last?.toLowerCase() ?? "";
  const start = hashStart.exec((last === undefined ? text : first).toLowerCase())?.[1];
  const isHash = start !== undefined && /^[0-9a-f]*$/.test(end);
  return { hash: isHash ? { start, end } : undefined, addresses: [...parts.values()] };
}

function faultOf(lower: string): Detected {
  const near = (message: string): Detected => ({ kind: "fault", message, isName: false });
  if (TIME.test(lower) || printedTime.test(lower)) {
    return near(`This ${lower.includes(":") ? "date or time" : "date"} does not exist`);
  }
  const prefixed = lower.startsWith("0x");
  const digits = prefixed ? lower.slice(2) : lower;
  const at = digits.search(/[^0-9a-f]/);
  if (prefixed && at >= 0) return near(`Character ${2 + at + 1} is not a hex digit`);
  if (at < 0 && (prefixed || digits.length >= 16)) {
    return near(`${digits.length} hex ${digits.length === 1 ? "digit" : "digits"}; a hash has ${hashDigits}`);
  }
  const message = `${notAddress()}, a block hash (${hashDigits} hex digits) or a block number`;
  return { kind: "fault", message, isName: true };
}

export const notAddress = (): string =>
  `Not an address (${terms.addressStarts.map((start) => `${start}…`).join(", ")})`;

/** Cleans hostile text from the chain for display, and flags oddities. The API and exported files keep the original. */

import type { TokenInfo } from "#lib/contract/operation.ts";
import { isLimited, MAX_NAME, MAX_SYMBOL } from "#lib/contract/texts.ts";
import { displayDecimals, isPlausibleScale } from "#lib/util/amounts.ts";
import { controls, invisible, withoutHidden } from "#lib/util/hidden.ts";
import { lookalikes, looksOf, withoutMarks } from "#lib/util/look.ts";
import { terms } from "#terms";
import { cutId, cutToText, formatAmount } from "./format.ts";

export { displayDecimals };

const NAME_GRAPHEMES = 32;
const SYMBOL_GRAPHEMES = 16;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Real writing stacks at most two combining marks on a letter. More would cover the rows above. */
const surplusMarks = /(\p{M}{2})\p{M}+/gu;

/** Matches most names: they need no cleaning, and each character is one grapheme. */
const plainAscii = /^(?:[!-~]+(?: [!-~]+)*)?$/;

export interface CleanText {
  text: string;
  /** The original contained invisible characters. */
  hidden: boolean;
  /** The original was longer, or stacked more marks. */
  cut: boolean;
}

/** One line of visible text, at most `maxGraphemes` characters as a reader counts them. */
export function cleanText(original: string, maxGraphemes: number): CleanText {
  if (original.length <= maxGraphemes && plainAscii.test(original)) {
    return { text: original, hidden: false, cut: false };
  }
  const visible = withoutHidden(original);
  const hidden = visible !== original;
  const plain = visible.replace(/\s+/gu, " ").trim();
  const calm = plain.replace(surplusMarks, "$1");
  let text = "";
  let count = 0;
  for (const { segment } of graphemes.segment(calm)) {
    if (count === maxGraphemes) return { text: `${text.trimEnd()}…`, hidden, cut: true };
    text += segment;
    count += 1;
  }
  return { text, hidden, cut: calm !== plain };
}

/** The original with invisible characters as code points: `US⟦U+200B⟧DT`. */
export function withCodePoints(original: string): string {
  const spelled = (character: string) =>
    `⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟧`;
  return original
    .replace(controls, spelled)
    .replace(invisible, spelled)
    .replace(/\p{Cs}/gu, spelled);
}

// Browsers treat U+3002 as a dot, but between Chinese or Japanese words it ends a sentence.
const webAddress = /https?:|www[.\u3002]|[\p{L}\p{N}]\.\p{L}{2,}|[\p{L}\p{N}]\u3002\p{Script=Latin}{2,}/iu;
/** Characters that browsers accept as dots of a host name, or that look like a full stop. */
const dots = /[.\u3002\uff0e\uff61\u2024\ua4f8\ua60e]/g;
const lookalikeDots = /[\ua4f8\ua60e]/g;

/** Normalises the text first, as browsers do. */
const hasWebAddress = (text: string): boolean =>
  webAddress.test(text.normalize("NFKC").replace(lookalikeDots, "."));

/** Makes a web address unusable: `.` becomes `[.]`. */
function defang(text: string): string {
  return hasWebAddress(text) ? text.replace(dots, "[.]") : text;
}

export type AssetNames = Pick<TokenInfo, "id" | "name" | "symbol" | "decimals">;

/** A token's name, cleaned for display; its id if the name is empty. */
export function displayName(asset: AssetNames): string {
  return defang(cleanText(asset.name, NAME_GRAPHEMES).text) || `Unnamed ${cutToText(cutId(asset.id))}`;
}

/** A token's symbol, cleaned for display, or its name if the symbol is empty. Show its id beside it. */
export function displaySymbol(asset: AssetNames): string {
  return defang(cleanText(asset.symbol || asset.name, SYMBOL_GRAPHEMES).text) || "Unnamed";
}

/** Returns the unit in which unique assets without a name are counted, such as `NFT`; undefined for any other asset. */
export const unnamedUnit = (
  { name, symbol }: Pick<AssetNames, "name" | "symbol">,
  kind = "",
): string | undefined => (name === "" && symbol === "" ? terms.outputKind(kind)?.unique : undefined);

export type FlagKind =
  | "hidden-characters"
  | "imitates"
  | "look-alike"
  | "mixed-scripts"
  | "same-symbol"
  | "web-address"
  | "over-length"
  | "odd-decimals";

/** Weak flags inform; lists hide assets with a strong flag. */
const WEAK: ReadonlySet<FlagKind> = new Set(["same-symbol", "over-length", "odd-decimals"]);

export interface Flag {
  kind: FlagKind;
  strong: boolean;
  label: string;
  reason: string;
}

/** Assets that others may be confused with: the native asset, and those of the same list. */
export interface Surroundings extends Namesakes {
  native: { id: string; symbol: string } | null;
}

export interface Namesakes {
  listed: readonly ListedNames[];
  /** Displayed symbols, and the ids of the assets that have them. */
  bySymbol: readonly (readonly [symbol: string, ids: readonly string[]])[];
}

export interface ListedNames extends AssetNames {
  public?: boolean;
}

/** Whether the name can be trusted: the asset is native or in the registry. */
export const isVouchedFor = ({ id, public: listed }: ListedNames): boolean =>
  listed === true || id === terms.native.id;

/** A token's symbol, with its id unless the registry vouches for it. */
export const symbolAndId = (asset: ListedNames): string =>
  isVouchedFor(asset) ? displaySymbol(asset) : `${displaySymbol(asset)} ${cutToText(cutId(asset.id))}`;

/** A count of unique assets in their unit: `1 NFT`, `38 × NFT`. Null without a unit, and for an amount with decimals. */
export function uniqueCount(amount: bigint | string, decimals: number | null, unit: string | undefined) {
  if (unit === undefined) return null;
  const { text, exact, scaled } = formatAmount(amount, decimals);
  if (scaled && decimals !== 0) return null;
  return { text: counted(text, unit), exact };
}

const counted = (count: string, unit: string) =>
  count === "0" ? "0" : `${count} ${count === "1" ? "" : "× "}${unit}`;

/**
 * An amount for a sentence, shortened and exact. An integer of unknown scale is marked as raw; a count of unique assets, which
 * `kind` tells, has their unit.
 */
export function markedAmount(amount: bigint | string, asset: Omit<AssetNames, "id">, kind = "") {
  const decimals = displayDecimals(asset);
  const unit = terms.outputKind(kind)?.unique;
  const count = uniqueCount(amount, decimals, unit);
  if (count && unit) return { text: count.text, exact: counted(count.exact, unit) };
  const { text, exact, scaled } = formatAmount(amount, decimals);
  const isNamed = asset.name !== "" || asset.symbol !== "";
  // Without a kind, what has no name may be an NFT, which needs no decimals.
  const mark = !scaled && (kind !== "" || isNamed) ? " (raw)" : "";
  return { text: text + mark, exact: exact + mark };
}

const shownSymbol = ({ symbol }: AssetNames): string => cleanText(symbol, SYMBOL_GRAPHEMES).text;

/** Members of a collection share a name and have no symbol, so they resemble nothing. */
const looksOfAsset = ({ symbol, name }: AssetNames): string[] =>
  symbol === "" ? [] : [symbol, name].flatMap(looksOf);

export function namesakesOf(assets: readonly ListedNames[]): Namesakes {
  const bySymbol = Map.groupBy(assets, shownSymbol);
  bySymbol.delete("");
  return {
    listed: assets.filter((asset) => asset.public),
    bySymbol: [...bySymbol].map(([symbol, sharing]) => [symbol, [...new Set(sharing.map(({ id }) => id))]]),
  };
}

/** Leaves out symbols that only one asset has. */
export function sharedAmong({ listed, bySymbol }: Namesakes): Namesakes {
  return { listed, bySymbol: bySymbol.filter(([, ids]) => ids.length > 1) };
}

/** Returns a function that flags oddities of an asset's name and symbol. Create it once for a list: it examines each peer once. */
export function createFlagger(surroundings: Surroundings): (asset: ListedNames) => readonly Flag[] {
  const { native, listed, bySymbol } = surroundings;
  const listedIds = new Set(listed.map(({ id }) => id));
  const idsBySymbol = new Map(bySymbol);
  const listedByLook = new Map(
    listed.flatMap((peer) => looksOfAsset(peer).map((look) => [look, peer] as const)),
  );
  const listedLike = (asset: AssetNames) =>
    looksOfAsset(asset)
      .map((look) => listedByLook.get(look))
      .find((peer) => peer !== undefined);

  return (asset) => {
    if (asset.id === native?.id) return [];
    const isListed = asset.public || listedIds.has(asset.id);
    const name = cleanText(asset.name, NAME_GRAPHEMES);
    const symbol = cleanText(asset.symbol, SYMBOL_GRAPHEMES);
    const either = (isOdd: (text: string) => boolean) => isOdd(name.text) || isOdd(symbol.text);
    const flags: Flag[] = [];
    const add = (kind: FlagKind, label: string, reason: string) =>
      flags.push({ kind, strong: !WEAK.has(kind), label, reason });

    const imitated = imitatedBy(cleanText(asset.name, 128).text, symbol.text, native);
    if (imitated) add("imitates", `Imitates ${imitated}`, `It presents itself as ${imitated}, but is not.`);
    const alike = imitated || isListed ? undefined : listedLike(asset);
    if (alike) {
      const known = displaySymbol(alike);
      const reason = `Its name or symbol looks like that of ${known}, a different token that the registry lists.`;
      add("look-alike", `Look-alike of ${known}`, reason);
    } else if (!imitated && either(passesForLatin)) {
      const reason = "A word of its name or symbol consists of characters that pass for Latin letters.";
      add("look-alike", "Latin look-alike", reason);
    }
    if (name.hidden || symbol.hidden)
      add("hidden-characters", "Hidden characters", "Its name or symbol contains invisible characters.");
    if (either(mixesScripts))
      add("mixed-scripts", "Mixed alphabets", "One word of its name or symbol mixes alphabets.");
    const others = (idsBySymbol.get(symbol.text) ?? []).filter((id) => id !== asset.id).length;
    if (others > 0 && !isListed && !alike) {
      const who = others === 1 ? "1 other" : `${others} others`;
      const reason = `${who} in this list ${others === 1 ? "has" : "have"} the same symbol. Compare the ids.`;
      add("same-symbol", `Same symbol as ${who}`, reason);
    }
    if (either(hasWebAddress))
      add("web-address", "Web address", "Its name or symbol advertises a web address.");
    if (name.cut || symbol.cut || isLimited(asset.name, MAX_NAME) || isLimited(asset.symbol, MAX_SYMBOL))
      add("over-length", "Over length", "Its name or symbol is longer than shown.");
    if (!isPlausibleScale(asset.decimals)) {
      const reason = `It claims ${asset.decimals} decimals, so the raw amount is shown.`;
      add("odd-decimals", "Implausible decimals", reason);
    }
    return flags;
  };
}

const IMITATION: Flag = {
  kind: "look-alike",
  strong: true,
  label: "Look-alike",
  reason: "Its name or symbol looks like that of an asset which is older or in the registry: compare ids.",
};

/** Adds a flag if the server found an asset that this one looks like; `resembles` is its id, or `""`. */
export const withImitation = (flags: readonly Flag[], resembles: string): readonly Flag[] =>
  resembles === "" || flags.some(({ kind }) => kind === "look-alike" || kind === "imitates")
    ? flags
    : [IMITATION, ...flags];

function imitatedBy(name: string, symbol: string, native: Surroundings["native"]): string | null {
  for (const text of [name, symbol]) {
    if (/^(0x)?[0-9a-f]{40,}…?$/i.test(text)) return "a hash";
    if (/^ck[bt]1[02-9ac-hj-np-z]{20,}/i.test(text)) return "an address";
    if (native && looksOf(text).some((look) => looksOf(native.symbol).includes(look))) return native.symbol;
  }
  return null;
}

const LATIN = /\p{Script=Latin}/u;

/** Alphabets with letters that look alike. A word that mixes them is a disguise. */
const confusableScripts = [
  LATIN,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{M}]+/u);

function mixesScripts(text: string): boolean {
  return wordsOf(text).some(
    (word) =>
      confusableScripts.filter((script) => script.test(word)).length > 1 ||
      (LATIN.test(word) && [...word].some((one) => lookalikes.has(one) && !LATIN.test(one))),
  );
}

/** Scripts in everyday use, where whole words can look Latin by chance, like монета. */
const LIVING_SCRIPTS =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Georgian}\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** Whether a word has no ASCII letter, but each of its letters looks like one. */
function passesForLatin(text: string): boolean {
  return wordsOf(withoutMarks(text)).some((word) => {
    const letters = [...word];
    return (
      letters.length > 1 &&
      letters.every((one) => one > "\x7f" && lookalikes.has(one)) &&
      !LIVING_SCRIPTS.test(word)
    );
  });
}

import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import type { NodeScript } from "#lib/chains/ckb/schema.ts";
import { account, type TokenStandard, type TokenText, tokenId, udt } from "#lib/chains/ckb/testing/cells.ts";
import type { RegistryEntry } from "#lib/contract/registry.ts";
import { PRICE_DECIMALS, parseDecimal, toUnits } from "#lib/util/amounts.ts";

/** A token of the demo chain. All of them are made up. */
export interface DemoToken {
  id: string;
  key: string;
  /** May mint it. */
  issuer: NodeScript;
  type: NodeScript;
  /** The contents of its Unique cell; undefined if it has none. */
  info?: TokenText | undefined;
  /** The Unique cell's raw data, for malformed ones. */
  infoData?: string | undefined;
  /** Amount of the first mint, in the smallest unit. */
  supply: bigint;
  /** Its entry in the operator's registry; undefined if it is not listed. */
  listing?: Omit<RegistryEntry, "id" | "public">;
  /** US dollars for one whole token when the chain starts; undefined if it never has a price. */
  price?: string | undefined;
}

/** @param key identifies its issuer */
function tokenOf(key: string, standard: TokenStandard, supply: bigint, info?: TokenText): DemoToken {
  const issuer = account(`issuer of ${key}`);
  const type = udt(issuer, standard);
  return { key, issuer, type, id: tokenId(type), info, supply: supply * 10n ** BigInt(info?.decimals ?? 0) };
}

/** PNGs of 32 x 32 pixels, by token. */
// biome-ignore format: one row an icon
const icons: Record<string, string> = {
  TIDE: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAADFBMVEUPdZENc5D6/P2EuMdY2Ds/AAAAAnRSTlP6BwakUawAAAAJcEhZcwAACxMAAAsTAQCanBgAAAB7SURBVBjTbdCxDYAwDATAD4iWjmWgyQgUeB/msSgYAYl1GIJPHjkNLpKT7Fh2YGZAOcwykAo2MCZiLRiIXJAI1DBswoRVGBqykH7QovdLmP0Q3L3eHXGq5GZuoR5W3XowMrvXhoQ6s4PAnulnnhg1hm/rxIKxcnzC9y0vJ58oUZmk5d4AAAAASUVORK5CYII=",
  BUOY: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAADFBMVEW6Hh65Gxv++fnYf3+0TTV+AAAAAnRSTlP4BzSSMy4AAAAJcEhZcwAACxMAAAsTAQCanBgAAACNSURBVBjTTZCxDcJADEXfBaWhgCpLMALVjZAi3iejpEROCkZgnlSMwLfgHCzd6Un3z/7fmBnEZVahBEyoBsEY0AtqQBHA9S05Eyf3FwMjZ/eFXrC7r4KKqyjUztfdZ8HF586fBWlBasEDbgH3gC1g+54/aE8pbt+z4TGiDU0baSytpvkjTgbMyLmE31o+y6BBZdoOq5YAAAAASUVORK5CYII=",
  REEF: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAgMAAAAOFJJnAAAADFBMVEV9O+57Oex7Oe37+f85NAhzAAAAA3RSTlP9BIW+1Jb2AAAACXBIWXMAAAsTAAALEwEAmpwYAAAAhklEQVQY013QwRFAQAwF0I9xcHJSgjpsCQ5iHJWyTehHSQowE3+FrPFP77LZn0BkjuUmApEVaBJmMBsxJtRESCgI3BFMhg6LocdoqMEp1c5JCIYCEWgPoMxghtMeZKj+UKnuX0S0qsc950HAoHryi9XQsIYyrOHFvKqXz+ss74K+sh/hOcsFH8w3CT3SPXEAAAAASUVORK5CYII=",
};

type Row = [
  key: string,
  standard: TokenStandard,
  name: string,
  decimals: number,
  wholeTokens: bigint,
  price: string | undefined,
  tags: string[],
  description: string,
];

// biome-ignore format: one row a token
const wellKnown: Row[] = [
  ["TIDE", "usdi", "Tide Dollar", 6, 40_000_000n, "1.0002", ["stablecoin", "payments"], "A dollar of the demo chain, redeemable nowhere."],
  ["QUAY", "rusd", "Quay Dollar", 8, 12_000_000n, "0.9991", ["stablecoin", "collateralised"], "Borrowed against CKB, on paper."],
  ["dBTC", "ccbtc", "Demo Bitcoin", 8, 2_100n, "61250.5", ["wrapped", "bitcoin"], "Stands for a bitcoin in examples."],
  ["dETH", "xudt", "Demo Ether", 18, 90_000n, "2450.75", ["wrapped", "smart contracts"], "Eighteen decimals, to try long amounts."],
  ["KELP", "xudt", "Kelp", 18, 10_000_000_000n, "0.000000421337", ["meme"], "Grows a metre a day."],
  ["BUOY", "sudt", "Buoy", 8, 7_000_000n, "0.42", ["defi", "governance"], "Votes in an exchange that does not exist."],
  ["REEF", "xudt", "Reef Share", 4, 1_000_000n, "18.25", ["rwa", "equity"], "A share of a reef."],
  ["GULL", "sudt", "Gull", 2, 55_000_000n, "0.0031", ["meme", "social"], "Steals your chips."],
  ["MOOR", "xudtByData", "Mooring Rights", 0, 12_000n, "310", ["rwa", "gaming"], "One berth each: no decimals."],
  ["CAFE", "xudt", "Café Points", 0, 9_000_000n, "0.01", ["loyalty", "café"], "A tag and a name with an accent."],
  ["R&D", "xudt", "Research & Development", 8, 3_000_000n, "1.75", ["R&D", "a+b", "grants"], "Tags that must be encoded in a URL."],
  ["DUST", "xudt", "Dust", 18, 1_000_000_000_000n, "0.000000000000000003", ["meme"], "Its price has the least digits that are kept."],
  ["VAULT", "xudt", "Vault Bar", 8, 40n, "1840000.25", ["rwa", "commodity"], "A bar of gold each."],
  ["LATE", "xudt", "Late Listing", 8, 5_000_000n, "0.77", ["defi", "new"], "Its price begins in the middle of the chain."],
  ["AHOY", "sudt", "Ahoy", 8, 8_000_000n, "0.115", ["social", "payments"], "An old standard, still at sea."],
  ["OAR", "xudt", "Oar", 3, 600_000n, "2.2", ["gaming"], "Needs another one."],
];

const places = "Amber Birch Cedar Delta Ember Fjord Grove Heron Iris Juniper Larch Maple".split(" ");

// biome-ignore format: one row a kind
const kinds: [word: string, decimals: number, wholeTokens: bigint, price: string, tags: string[]][] = [
  ["Credits", 2, 20_000_000n, "0.05", ["loyalty", "gaming"]],
  ["Gold", 6, 900_000n, "2.4", ["rwa", "commodity"]],
  ["Vote", 18, 50_000_000n, "0.0125", ["governance", "dao"]],
  ["Share", 0, 80_000n, "37.5", ["rwa", "equity", "regulated"]],
];

const series = places.flatMap((place, index) =>
  kinds.map(([word, decimals, supply, price, tags]): Row => {
    const key = place.slice(0, 3).toUpperCase() + word[0];
    // Each has its own price: 1, 2, 3 … times the kind's.
    const own = toUnits(parseDecimal(price, PRICE_DECIMALS)! * BigInt(index + 1), PRICE_DECIMALS);
    const standard = index % 3 === 0 ? "sudt" : "xudt";
    return [
      key,
      standard,
      `${place} ${word}`,
      decimals,
      supply,
      own,
      tags,
      `${word} of the ${place} district.`,
    ];
  }),
);

/** Listed, but without a price. */
// biome-ignore format: one row a token
const unpriced: Row[] = [
  ["BADGE", "xudt", "Sailor's Badge", 0, 5_000n, undefined, ["gaming", "non-transferable"], "Never traded."],
  ["TESTS", "xudt", "Test Coin", 8, 1_000_000n, undefined, ["test"], "For tests."],
  ["RARE", "xudt", "Rare Earth Receipt", 12, 400n, undefined, ["rwa"], "Waits for a market."],
  ["ذهب", "xudt", "ذهب الميناء", 6, 70_000n, undefined, ["commodity"], "A name that honestly reads from right to left."],
  ["鯨", "xudt", "鯨ポイント", 2, 70_000n, undefined, ["loyalty"], "A symbol of one wide letter."],
];

/** Tokens of ordinary holders, all listed; the well-known ones come first. */
export const ordinaryTokens = [...wellKnown, ...series, ...unpriced].map(
  ([key, standard, name, decimals, supply, price, tags, description]): DemoToken => {
    const info = { name, symbol: key, decimals };
    // The chain cannot name what anybody may mint.
    const named = ["rusd", "usdi", "ccbtc"].includes(standard) ? info : {};
    const keywords = [key.toLowerCase(), ...name.toLowerCase().split(" ")];
    const icon = key in icons ? { icon: icons[key] } : {};
    const listing = { ...named, tags, description, keywords, ...icon };
    return { ...tokenOf(key, standard, supply, info), listing, price };
  },
);

/** Used by the demo's special transactions. */
export const specialTokens = {
  /** Each of its outputs holds the largest possible amount. */
  maximum: tokenOf("MAXED", "xudt", 0n, { name: "Full to the Brim", symbol: "MAXED", decimals: 0 }),
  /** A token with 255 decimals: one whole token has 256 digits. */
  deep: tokenOf("DEEP", "xudt", 0n, { name: "Mariana", symbol: "DEEP", decimals: 255 }),
  /** Completely burnt. */
  burnt: tokenOf("ASH", "xudt", 0n, { name: "Ash", symbol: "ASH", decimals: 8 }),
  /** Exists on the abandoned branch only. */
  abandoned: tokenOf("GHOST", "xudt", 0n, { name: "Ghost Ship", symbol: "GHOST", decimals: 8 }),
};

const zalgo = (text: string): string =>
  [...text].map((letter) => letter + "\u0300\u0316\u0327\u0334\u035c\u0489".repeat(4)).join("");

/** Names that try to break a page, to mislead a reader or to run code. The registry lists none of them. */
// biome-ignore format: one row a token
const hostileTexts: [key: string, name: string | Uint8Array, symbol: string | Uint8Array, decimals: number][] = [
  ["look-alike", "Tide Dollar", "T\u0406D\u0415", 6], // Cyrillic letters in the symbol
  ["same-symbol", "Tide Dollar", "TIDE", 6],
  ["zero-width", "Tide\u200b Dollar\u2060", "TI\u200bDE\ufeff", 6],
  ["native", "CKB", "CKB", 8],
  ["bidi", "Safe \u202etxt.exe\u202c Token", "\u202eEDIT", 8],
  ["isolates", "\u2067\u2066Tide\u2069 Dollar\u2069\u2069\u2069", "\u2068X\u2069", 8],
  ["image", "<img src=x onerror=alert(1)>", "<b>B</b>", 8],
  ["script", "</script><script>alert(document.domain)</script>", "'\"><svg/onload=alert(1)>", 8],
  ["formula", '=HYPERLINK("http://evil.example/","Claim")', "=1+1", 8],
  ["formula-at", "@SUM(1+1)*cmd|' /C calc'!A0", "+1", 8],
  ["formula-tab", "\t=1+1", "-2+3", 8],
  ["zalgo", zalgo("Tide").slice(0, 100), zalgo("T"), 8],
  ["empty", "", "", 8],
  ["blank", "   \u3000 ", " ", 8],
  ["url", "https://claim-airdrop.example/?tide", "www.example", 8],
  ["long", "A".repeat(255), "W".repeat(255), 8],
  ["wide", "\ufdfd".repeat(85), "\ufdfd", 8],
  ["control", "line\nbreak\u0000nul\u0007bell\u001b[31mred\r\n", "\u0000", 8],
  ["not-utf8", new Uint8Array([0xff, 0xfe, 0x41, 0xc3, 0x28, 0xed, 0xa0, 0x80]), new Uint8Array([0xf0, 0x28]), 8],
  ["family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466} Family \u{1f3f4}\u200d\u2620\ufe0f", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}", 0],
  ["pattern", "100%_pure", "%", 8],
  ["quotes", `Robert'); DROP TABLE tokens;-- "\\`, "';--", 8],
  ["template", "{{constructor.constructor('alert(1)')()}} $\u007b7*7} %s %d", "__proto__", 8],
  ["json", '{"name":"x","decimals":99}', "null", 8],
  ["surrogate", "\u{e0041}\u{e0042} tags", "NaN", 8],
];

/** Tokens with hostile names. The first four imitate another token. */
export const hostileTokens: readonly DemoToken[] = [
  ...hostileTexts.map(([key, name, symbol, decimals]) =>
    tokenOf(`hostile ${key}`, "xudt", 1_000_000n, { name, symbol, decimals }),
  ),
  // Ends in the middle of its symbol.
  { ...tokenOf("hostile malformed", "xudt", 1_000_000n), infoData: "0x0804546964650a54" },
  tokenOf("hostile nameless", "sudt", 1_000_000n),
];

/** The operator's registry. Entries that are not public are not listed. */
export const registry: RegistryEntry[] = [
  {
    id: NATIVE_ASSET.id,
    description: "The chain's own asset: pays for the room that outputs take.",
    keywords: ["ckb", "native"],
    tags: ["native"],
    public: true,
  },
  ...ordinaryTokens.map(({ id, listing }) => ({ id, public: true, ...listing })),
  {
    id: hostileTokens[0]!.id,
    tags: ["warning"],
    description: "Not TIDE: the symbol has Cyrillic letters.",
    public: false,
  },
  { id: specialTokens.maximum.id, tags: ["test"], public: false },
];

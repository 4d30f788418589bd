import { expect, test } from "vitest";
import { createFlagger, namesakesOf } from "./chain-text.ts";

/** Whether a token with this name is flagged as a look-alike of a listed one. */
function isFlagged(listed: string, name: string): boolean {
  const token = (id: string, text: string) => ({ id, name: text, symbol: text, decimals: 8 });
  const peer = { ...token("0x01", listed), public: true };
  const flags = createFlagger({ native: null, ...namesakesOf([peer]) })(token("0x02", name));
  return flags.some(({ label }) => label.startsWith("Look-alike of"));
}

/** Honest names, each with the listed name that it is compared with. */
// biome-ignore format: one row a listed name
const honest = [
  ["GALA", "GAIA"], ["GAIA", "GALA"], ["FIAT", "FLAT"], ["FLAT", "FIAT"], ["AI Doge", "Al Doge"], ["Al Doge", "AI Doge"],
  ["MODEM", "MODERN"], ["MODEM", "Modern"], ["Modem", "MODERN"], ["BARN", "BAM"], ["Barn", "BAM"], ["BAM", "Barn"],
  ["1NCH", "INCH"], ["INCH", "1NCH"], ["SIRE", "5IRE"], ["USDS", "USD5"],
  ["DAI", "DAL"], ["SOL", "SOI"], ["FLOW", "FIOW"], ["PAL", "PAI"], ["LIDO", "LLDO"], ["IO", "LO"], ["ILLY", "LILY"],
  ["COM", "CORN"], ["BUM", "BURN"], ["TOM", "TORN"], ["WS", "VVS"], ["SAWY", "SAVVY"],
  ["BTC", "ETC"], ["BTC", "tBTC"], ["BTC", "WBTC"], ["USDC", "USDC.e"], ["USDT", "USDC"], ["RUSD", "RUSD2"], ["CKB", "CKBFS"],
  ["GOLD", "COLD"], ["H2O", "HZO"], ["OIGMA", "ΣIGMA"], ["MP", "МІР"], ["コヒ", "コーヒー"], ["🚀", "🌙"], ["RUSD", "✅"], ["TM", "™"],
  ["Ø", "O2"], ["RUSD", "£USD"], ["SOL", "SÆL"],
] as const;

// biome-ignore format: one row a listed name
const imitating: readonly (readonly [listed: string, ...names: string[]])[] = [
  ["RUSD", "RUSD.", "RUSD-", "$RUSD", "R.U.S.D", "RUSD✅", "RUSD™", "RUSD®", "[RUSD]", "RUSD🇺🇸", "RUSDʼ", "R U S D", "rusd"],
  ["RUSD", "RUЅD", "ＲＵＳＤ", "R\u200bUSD", "ŔUSD", "RU5D", "RU$D", "ⓇⓊⓈⒹ", "🅁🅄🅂🄳", "🆁🆄🆂🅳", "𝐑𝐔𝐒𝐃", "ʀᴜꜱᴅ"],
  ["BTC", "BTC.", "BTС", "₿TC", "B‑T‑C"],
  ["Rune Miner", "Rune-Miner", "Rune_Miner", "RUNEMINER"],
  ["USDI", "USDІ", "USDl"],
  ["TIDE", "TlDE", "T1DE", "T|DE"],
  ["DOGE", "D0GE", "DОGE"],
  ["Solana", "SoIana", "So1ana"],
  ["Algorand", "AIgorand"],
  ["OpenAI", "OpenAl"],
  ["GALA", "GA1A"],
  ["Modem", "Modern"],
  ["Wave", "vvave"],
  ["USDT", "USD₮", "ꓴꓢꓓꓔ"],
  ["DAI", "ĐAI", "ÐAI"],
  ["SOL", "SØL", "SOŁ"],
  ["ETH", "ETĦ", "EŦH", "ΞTH", "ɆTH"],
  ["USDC", "USDȻ", "USD¢"],
  ["BTC", "฿TC", "ɃTC"],
  ["БИТ", "бит", "БИТ!"],
  ["🚀", "🚀"],
];

test("40 honest names beside a listed one are not flagged", () => {
  expect(honest.length).toBeGreaterThanOrEqual(40);
  expect(honest.filter(([listed, name]) => isFlagged(listed, name))).toEqual([]);
});

test("40 names that imitate a listed one are flagged", () => {
  const pairs = imitating.flatMap(([listed, ...names]) => names.map((name) => [listed, name] as const));
  expect(pairs.length).toBeGreaterThanOrEqual(40);
  expect(pairs.filter(([listed, name]) => !isFlagged(listed, name))).toEqual([]);
});

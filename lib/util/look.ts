/** The looks of texts: how they appear to a reader, whatever characters they consist of. */
// Generated from Unicode's confusables.txt (UTS 39) by `npm run confusables`, under docs/unicode-license.txt.
import confusables from "./confusables.json" with { type: "json" };
import { withoutHidden } from "./hidden.ts";

/** Further lookalikes, after the letter that they resemble. */
const MISREAD = `aᴀ₳ȺΛ bвβьʙ₿฿ɃƀƁ cȻȼ₵¢ dᴅĐđÐðƉ eєЄεᴇ€ɆɇΞ fꜰ gɢǤǥ hнʜĦħ jᴊɈɉ kкκᴋ₭ lʟŁłȽƚⱠⱡⱢ mмᴍ
  nηɴ₦ O0ØøƟɵӨө pᴘ₱Ᵽ qꞯ rʀɌɍ tтτᴛ₮ŦŧȾⱦ uɄʉ wωш₩ xχ yʏ¥Ɏɏ zƵƶ`.split(/\s+/);
/** White letters on a black circle or square, from A on. */
const BADGES = [0x1f150, 0x1f170];
/** The placeholder for a stroke, which may be a capital I or a small l. */
const STROKE = "ǀ";

/** Lookalikes by the character that they replace, in the case that a reader sees. */
export const lookalikes = new Map(
  [
    ...Object.entries(confusables.drawn).map(([letters, drawn]) => [letters, [...drawn]] as const),
    ...MISREAD.map((misread) => [misread.slice(0, 1), [...misread.slice(1)]] as const),
    ...Array.from(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
      (letter, at) => [letter, BADGES.map((first) => String.fromCodePoint(first + at))] as const,
    ),
  ].flatMap(([letters, drawn]) => drawn.map((one) => [one, letters === "l" ? STROKE : letters] as const)),
);

export const withoutMarks = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "");

/** The letters that a reader sees for a character. A symbol such as ™ stays a symbol. */
function seen(character: string): string {
  const plain = [...withoutMarks(character)];
  if (plain.length > 1 && /\p{S}/u.test(character)) return character;
  return plain.map((one) => lookalikes.get(one) ?? one).join("");
}

/** Signs inside a word that look like the letter S. */
const SIGNS = /(?<=\p{L})[5$](?=\p{L})/gu;
/**
 * Characters that may look like I or l: a stroke; 1 and | between letters; a small l among capitals; a capital I among small
 * letters. Elsewhere readers can distinguish the two, as in GAIA and GALA, or AI and Al.
 */
const EITHER = /ǀ|(?<=\p{L})[1|](?=\p{L})|l(?=\p{Lu})|(?<=\p{L}\p{Lu})l(?!\p{Ll})|(?<=\p{L})I(?=\p{Ll})/gu;

/** Replaces small letters that run into each other. Capitals do not, and a capital M has another form. */
const runTogether = (text: string): string => text.replace(/rn|m/g, "ɱ").replace(/vv|[wW]/g, "ⱳ");

function bare(text: string): string {
  const words = text.replace(/[^\p{L}\p{N}]|[\u02b0-\u02ff]/gu, "");
  return (words === "" ? text.replace(/\s/gu, "") : words).toLowerCase();
}

/** The looks of a text, one for each way to read it. Texts that share one look alike. */
export function looksOf(text: string): string[] {
  const written = withoutHidden(text);
  const shown = Array.from(written, seen).join("").replace(SIGNS, "S");
  const [asI, asL] = ["I", "l"].map((letter) => shown.replace(EITHER, letter)) as [string, string];
  // The original text counts, too: letters that look like Latin ones only in one case are still the same letters.
  const looks = [written.normalize(), shown, asI, asL, runTogether(asL)].map(bare);
  return [...new Set(looks)].filter((look) => look !== "");
}

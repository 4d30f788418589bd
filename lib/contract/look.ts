/** What texts look like to a reader, whatever characters they consist of. */
// From Unicode's confusables.txt (UTS 39), by `npm run confusables`, under docs/unicode-license.txt.
import confusables from "./confusables.json" with { type: "json" };

// A variation selector after a pictograph is part of an emoji. All else that takes no room is hidden text.
export const controls = /[\p{Cc}\u2028\u2029]/gu;
export const invisible =
  /(?<!\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?![\uFE0E\uFE0F])[\p{Default_Ignorable_Code_Point}\u2800\uFFF9-\uFFFB]/gu;

export const withoutHidden = (text: string): string =>
  text.toWellFormed().replace(controls, "").replace(invisible, "");

/** Symbols and small capitals that people misread, each after the letter that it passes for. */
const MISREAD = "aᴀ bвβьʙ dᴅ eєεᴇ fꜰ gɢ hнʜ jᴊ kкκᴋ li1|ʟ mмᴍ nηɴ o0 pᴘ qꞯ rʀ s5$ tтτᴛ wωш xχ yʏ".split(" ");

/** Characters that look alike to a reader who skims them: from → to. Unicode's come first. */
export const lookalikes = new Map(
  [
    ...Object.entries(confusables.drawn).map(([letters, drawn]) => [readCasually(letters), drawn] as const),
    ...MISREAD.map((misread) => [misread.slice(0, 1), misread.slice(1)] as const),
  ].flatMap(([letter, drawn]) => [...drawn].map((one) => [one, letter] as const)),
);

/** ASCII letters and digits without what a glance confuses. */
function readCasually(letters: string): string {
  return letters.toLowerCase().replace(/[i1]/g, "l").replaceAll("0", "o").replaceAll("5", "s");
}

export const withoutMarks = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "");

/** What a text looks like at a glance: texts with one skeleton cannot be told apart. */
export function skeleton(text: string): string {
  const plain = [...withoutMarks(text)].map(
    (one) => lookalikes.get(one) ?? lookalikes.get(one.toLowerCase()) ?? one.toLowerCase(),
  );
  return plain.join("").replaceAll("rn", "m").replaceAll("vv", "w").replace(/\s/gu, "");
}

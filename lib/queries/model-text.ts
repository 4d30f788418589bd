/** Text that strangers wrote, for language models. */

/** Unicode code points of a text. */
const MAX_TEXT = 100;

/** Invisible characters, which can hide text from people that models read, and controls. */
const HIDDEN = /(?:[\p{C}\p{Zl}\p{Zp}]|\p{Variation_Selector})+/gu;

export function plain(text: string): string {
  const points = [...text.replace(HIDDEN, "\ufffd")];
  return points.length > MAX_TEXT ? `${points.slice(0, MAX_TEXT - 1).join("")}…` : points.join("");
}

export const untrusted = ({ name, symbol }: { name: string; symbol: string }) => ({
  name: plain(name),
  symbol: plain(symbol),
});

/** Most Unicode code points of a stranger's text in a response for a language model. */
const MAX_TEXT = 100;

/** Controls, and invisible characters, which can hide text from people but not from models. */
const HIDDEN = /(?:[\p{C}\p{Zl}\p{Zp}]|\p{Variation_Selector})+/gu;

export function plain(text: string): string {
  const points = [...text.replace(HIDDEN, "\ufffd")];
  return points.length > MAX_TEXT ? `${points.slice(0, MAX_TEXT - 1).join("")}…` : points.join("");
}

export const untrusted = ({ name, symbol }: { name: string; symbol: string }) => ({
  name: plain(name),
  symbol: plain(symbol),
});

/** JSON whose numbers lose no digits. The `amount` of an asset change is an integer of any length. */

declare global {
  interface RawJSON {
    readonly rawJSON: string;
  }
  interface JSON {
    rawJSON(text: string): RawJSON;
    parse(
      text: string,
      reviver?: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/** Parses `amount` to a bigint and `amountUsd` to exact decimal text; everything else like JSON.parse. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (key, value, context) => {
    if (typeof value !== "number" || context.source === undefined) return value;
    if (key === "amount") return BigInt(context.source);
    if (key === "amountUsd") return context.source;
    return value;
  });
}

/** The inverse of `parseExactJson`. */
export function stringifyExactJson(value: unknown, indent?: number): string {
  return JSON.stringify(
    value,
    (key, item) =>
      typeof item === "bigint" || (key === "amountUsd" && typeof item === "string")
        ? JSON.rawJSON(String(item))
        : item,
    indent,
  );
}

/**
 * The index at which the text exceeds `levels` of nesting or `values` values; null if it does not. Empty brackets count as a
 * value. Deep nesting overflows a parser's stack, and a value of two characters can take a hundred bytes of memory.
 */
export function excessAt(text: string, { levels = Infinity, values = Infinity }): number | null {
  let depth = 0;
  let begun = 1;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "]" || character === "}") depth -= 1;
    else if (character === ",") begun += 1;
    else if (character === "[" || character === "{") {
      depth += 1;
      begun += 1;
    }
    if (depth > levels || begun > values) return at;
  }
  return null;
}

/** The index of the quote that ends the string at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text[before] === "\\") before -= 1;
    // An odd number of backslashes escapes the quote.
    if ((at - before) % 2 === 1) return at;
  }
  return text.length;
}

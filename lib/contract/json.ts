/**
 * JSON whose numbers lose no digit. An asset change's `amount` is a JSON integer of any length, so it is
 * read into a `bigint`, never through a floating-point number.
 */

declare global {
  interface RawJSON {
    readonly rawJSON: string;
  }
  interface JSON {
    rawJSON(text: string): RawJSON;
    isRawJSON(value: unknown): value is RawJSON;
    parse(
      text: string,
      reviver?: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/** `amount` → bigint, `amountUsd` → exact decimal text; everything else as JSON.parse gives it. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (key, value, context) => {
    if (typeof value !== "number" || context.source === undefined) return value;
    if (key === "amount") return BigInt(context.source);
    if (key === "amountUsd") return context.source;
    return value;
  });
}

/** The inverse: numbers that `parseExactJson` read as bigint or text are written with all their digits. */
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
 * The place in the text of the first bracket that is nested more than `most` levels deep; null if there is none.
 * Parsers that call themselves for each level run out of stack a few thousand levels deep.
 */
export function tooDeepAt(text: string, most: number): number | null {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"') inString = !inString;
    else if (inString) at += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > most) return at;
  }
  return null;
}

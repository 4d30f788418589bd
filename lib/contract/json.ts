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

import { z } from "zod";
import { HASH, HEIGHT, TIME, timeIn } from "./block-text.ts";
import { coded, type Issue } from "./errors.ts";

/** `time`: the highest block that is not later, in milliseconds since the Unix epoch. */
export type BlockReference = { hash: string } | { height: number } | { time: number } | "tip";

export const isBlockHash = (text: string): boolean => HASH.test(text);

function read(text: string): BlockReference | undefined {
  if (text === "tip") return text;
  if (HASH.test(text)) return { hash: `0x${text.slice(-64).toLowerCase()}` };
  if (HEIGHT.test(text)) return { height: Math.min(Number(text), Number.MAX_SAFE_INTEGER) };
  const time = timeIn(text);
  return time === undefined ? undefined : { time };
}

const EXPECTED =
  "Expected 64 hex digits, with or without 0x; a height in decimal; tip; a date (2026-01-31); or an RFC 3339 time with its zone, in a query with %2B for +";

export const blockReference = z
  .string()
  .refine((given) => read(given) !== undefined, coded("invalid_block", EXPECTED))
  .transform((given) => read(given)!)
  .describe(
    "The block's hash: 64 hex digits, `0x` optional, any case. Or its height in decimal, or `tip`. Or a time, which names the highest block that is not later: RFC 3339 with its zone, or a date for the end of that day in UTC",
  )
  .meta({ pattern: `${HASH.source}|${HEIGHT.source}|${TIME.source}|^tip$` });

const named = (what: string) => blockReference.optional().describe(what);

/** A range of blocks, from the one after `from` up to `to`. */
export const blockRange = {
  from: named(
    "The block before the range, by hash, height or time; missing: the range begins with the first block",
  ),
  to: named("The last block of the range, by hash, height or time, or `tip`; missing: the tip"),
};
export type BlockRange = { from?: BlockReference | undefined; to?: BlockReference | undefined };

export const FROM_ABOVE_TO: Issue = {
  path: ["query", "from"],
  code: "range",
  message: "Expected a block that is not above `to`",
};

/** The height in a reference; undefined for any other. */
export const heightIn = (reference: BlockReference | undefined): number | undefined =>
  typeof reference === "object" && "height" in reference ? reference.height : undefined;

export const asOf = named("As of this block, by hash, height or time, or `tip`; missing: the tip");

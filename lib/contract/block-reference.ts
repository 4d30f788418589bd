import { z } from "zod";
import { HASH, HEIGHT } from "./block-text.ts";
import { coded, type Issue } from "./errors.ts";

export type BlockReference = { hash: string } | { height: number } | "tip";

export const isBlockHash = (text: string): boolean => HASH.test(text);

export const blockReference = z
  .string()
  .refine(
    (given) => HASH.test(given) || HEIGHT.test(given) || given === "tip",
    coded("invalid_block", "Expected 64 hex digits, with or without 0x; or a height in decimal; or tip"),
  )
  .transform((given): BlockReference => {
    if (given === "tip") return given;
    if (HASH.test(given)) return { hash: `0x${given.slice(-64).toLowerCase()}` };
    return { height: Math.min(Number(given), Number.MAX_SAFE_INTEGER) };
  })
  .describe("The block's hash: 64 hex digits, `0x` optional, any case. Or its height in decimal, or `tip`")
  .meta({ pattern: `${HASH.source}|${HEIGHT.source}|^tip$` });

const named = (what: string) => blockReference.optional().describe(what);

/** A range of blocks, from the one after `from` up to `to`. */
export const blockRange = {
  from: named(
    "The block before the range, by hash or height; missing: the range begins with the first block",
  ),
  to: named("The last block of the range, by hash or height, or `tip`; missing: the tip"),
};
export type BlockRange = { from?: BlockReference | undefined; to?: BlockReference | undefined };

export const FROM_ABOVE_TO: Issue = {
  path: ["query", "from"],
  code: "range",
  message: "Expected a block that is not above `to`",
};

/** The height in a reference; undefined for a hash and for `tip`. */
export const heightIn = (reference: BlockReference | undefined): number | undefined =>
  typeof reference === "object" && "height" in reference ? reference.height : undefined;

export const asOf = named("As of this block, by hash or height, or `tip`; missing: the tip");

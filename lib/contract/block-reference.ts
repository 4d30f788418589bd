import { z } from "zod";
import { HASH, HEIGHT } from "./block-text.ts";
import { coded, type Issue } from "./errors.ts";

export type BlockReference = { hash: string } | { height: number } | "tip";

export const isBlockHash = (text: string): boolean => HASH.test(text);

/** 64 digits are always a hash. */
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

/** A range of blocks: what happened after `from`, up to `to`. */
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

/** Undefined of a hash and of `tip`: only the chain knows. */
export const heightIn = (reference: BlockReference | undefined): number | undefined =>
  typeof reference === "object" && "height" in reference ? reference.height : undefined;

/** A list's state is the one after this block. */
export const asOf = named("As of this block, by hash or height, or `tip`; missing: the tip");

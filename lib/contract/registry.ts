import { z } from "zod";
import {
  isLonger,
  MAX_ASSET_ID,
  MAX_DESCRIPTION,
  MAX_KEYWORDS,
  MAX_NAME,
  MAX_PARENT_ID,
  MAX_SYMBOL,
  MAX_TAG,
  MAX_TAGS,
} from "./texts.ts";

const text = z
  .string()
  .refine((value) => !value.includes("\0"), "Contains the character U+0000")
  .refine((value) => value.isWellFormed(), "Contains half of a surrogate pair");

const textOf = (most: number) =>
  text.refine((value) => !isLonger(value, most), `Has more than ${most} characters`);

const MAX_LAYER = 2 ** 31 - 1;

/** An asset in the operator's registry file. Its fields override the chain's facts. */
export const registryEntry = z.strictObject({
  id: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2})+$/, "Expected 0x and an even number of hex digits")
    .max(2 + 2 * MAX_ASSET_ID, `Has more than ${MAX_ASSET_ID} bytes`)
    .transform((id) => id.toLowerCase()),
  name: textOf(MAX_NAME).optional(),
  symbol: textOf(MAX_SYMBOL).optional(),
  decimals: z.int().min(0).max(255).optional(),
  layer: z.int().min(1).max(MAX_LAYER).optional(),
  parentId: textOf(MAX_PARENT_ID).optional(),
  icon: text.optional(),
  description: textOf(MAX_DESCRIPTION).optional(),
  keywords: z
    .array(text)
    .refine(
      (keywords) => !isLonger(keywords.join(","), MAX_KEYWORDS),
      `Has more than ${MAX_KEYWORDS} characters in all`,
    )
    .optional(),
  tags: z
    .array(
      textOf(MAX_TAG)
        .min(1)
        .regex(/^[^,]*$/, "Has a comma, which separates tags in requests"),
    )
    .max(MAX_TAGS, `Has more than ${MAX_TAGS} tags`)
    .optional(),
  public: z.boolean().optional(),
});
export type RegistryEntry = z.infer<typeof registryEntry>;

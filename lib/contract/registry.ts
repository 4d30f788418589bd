import { z } from "zod";

/** Text that every storage engine can keep as it is. */
const text = z
  .string()
  .refine((value) => !value.includes("\0"), "Contains the character U+0000")
  .refine((value) => value.isWellFormed(), "Contains half of a surrogate pair");

/** The largest that every storage engine can keep. */
const MAX_LAYER = 2 ** 31 - 1;

/**
 * One asset of the operator's registry file. Every field but `id` is optional; what is given overrides
 * what the chain says.
 */
export const registryEntry = z.strictObject({
  id: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2})+$/, "Expected 0x and an even number of hex digits")
    .transform((id) => id.toLowerCase()),
  name: text.optional(),
  symbol: text.optional(),
  decimals: z.int().min(0).max(255).optional(),
  layer: z.int().min(1).max(MAX_LAYER).optional(),
  parentId: text.optional(),
  icon: text.optional(),
  description: text.optional(),
  keywords: z.array(text).optional(),
  tags: z.array(text.min(1)).optional(),
  public: z.boolean().optional(),
});
export type RegistryEntry = z.infer<typeof registryEntry>;

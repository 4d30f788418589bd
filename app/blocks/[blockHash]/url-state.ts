import {
  parseAsArrayOf,
  parseAsInteger,
  parseAsNumberLiteral,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";

export const PAGE_SIZES = [10, 25, 50, 100] as const;

/** `chain`: order of first appearance in the block. */
export type Order = "desc" | "asc" | "chain";

/** The whole view, as the address bar has it; what is left out is the default. */
export const urlState = {
  name: parseAsString.withDefault(""),
  tags: parseAsArrayOf(parseAsString).withDefault([]),
  order: parseAsStringLiteral(["desc", "asc", "chain"] as const).withDefault("desc"),
  page: parseAsInteger.withDefault(1),
  size: parseAsNumberLiteral(PAGE_SIZES).withDefault(10),
  flagged: parseAsStringLiteral(["hide", "show"] as const).withDefault("hide"),
};

import { choiceField, listField, pageField, textField } from "#lib/client/url-state.ts";

export const PAGE_SIZES = [10, 25, 50, 100] as const;

/** `chain`: order of first appearance in the block. */
export type Order = "desc" | "asc" | "chain";

/** The whole view, as the address bar has it; what is left out is the default. */
export const urlState = {
  name: textField,
  tags: listField,
  order: choiceField<Order>(["desc", "asc", "chain"]),
  page: pageField,
  size: choiceField(PAGE_SIZES),
  flagged: choiceField(["hide", "show"]),
};

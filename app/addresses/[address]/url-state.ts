import { parseAsString, parseAsStringLiteral } from "nuqs/server";

/** The whole view, as the address bar has it; what is left out is the default. */
export const urlState = {
  token: parseAsString,
  order: parseAsStringLiteral(["asc", "desc"] as const).withDefault("asc"),
  flagged: parseAsStringLiteral(["hide", "show"] as const).withDefault("hide"),
  /** The cursor that the list starts after. */
  from: parseAsString.withDefault(""),
};

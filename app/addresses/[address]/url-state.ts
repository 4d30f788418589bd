import { choiceField, textField } from "#lib/client/url-state.ts";

/** The whole view, as the address bar has it; what is left out is the default. */
export const urlState = {
  /** `""` for all. */
  token: textField,
  order: choiceField(["asc", "desc"]),
  flagged: choiceField(["hide", "show"]),
  /** The cursor that the list starts after. */
  from: textField,
  /** `1` opens the lock script. */
  lock: choiceField(["", "1"]),
};

import { choiceField, textField } from "#lib/client/url-state.ts";

/** What the page shows of an address besides its outputs, one at a time. */
const PANELS = ["holdings", "lock", "capacity", "age", "changes"] as const;
export type PanelName = (typeof PANELS)[number];

export const panelFields = {
  panel: choiceField(["", ...PANELS]),
  /** How earlier links opened the lock script. */
  lock: choiceField(["", "1"]),
  /** A block's number or hash: opens the changes since then. */
  since: textField,
};

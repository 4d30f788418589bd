import type { ViewOf } from "#lib/client/list.ts";
import { choiceField, textField } from "#lib/client/url-state.ts";
import { terms } from "#terms";

const TABS = ["outputs", "holdings", "statement", "changes", "lock"] as const;
export type Tab = (typeof TABS)[number];

/** The default comes first. */
const SPANS = ["7d", "24h", "30d", "all"] as const;
export type Span = (typeof SPANS)[number];

/** What the address bar says about the page beside the view of its list. */
export const addressFields = {
  /** `""` for the one that the other parameters mean. */
  tab: choiceField(["", ...TABS]),
  /** A block, by its number or hash: the page as of then. */
  at: textField,
  /** The chart. `asset`: the id of one; `""` for the value of all. */
  span: choiceField(SPANS),
  asset: textField,
  /** A range of blocks, by their numbers or hashes. */
  since: textField,
  to: textField,
  /** How earlier links opened what are tabs now. */
  panel: choiceField(["", "holdings", "lock", "capacity", "age", "changes"]),
  lock: choiceField(["", "1"]),
};

const TAB_OF_PANEL = {
  holdings: "holdings",
  capacity: "holdings",
  lock: "lock",
  age: "lock",
  changes: "changes",
} as const;

type Named = Pick<ViewOf<{ fields: typeof addressFields }>, "tab" | "panel" | "lock" | "since">;

/** Which part of the page is open. */
export function tabOf({ tab, panel, lock, since }: Named): Tab {
  const byRange = since === "" ? "outputs" : "changes";
  const named = tab || (panel ? TAB_OF_PANEL[panel] : lock ? "lock" : byRange);
  // Of one asset, the first line of the page says it all.
  return named === "holdings" && !terms.hasTokens ? "outputs" : named;
}

/** What another tab does not keep, for `changeParameters`. */
export const OTHER_TAB = { panel: "", lock: "", from: "", row: "", since: "", to: "", was: "", missing: "" };

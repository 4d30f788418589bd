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
  "": "outputs",
  holdings: "holdings",
  capacity: "holdings",
  lock: "lock",
  age: "lock",
  changes: "changes",
} as const;

interface Named {
  tab: Tab | "";
  panel: keyof typeof TAB_OF_PANEL;
  lock: "" | "1";
  since: string;
}

/** Which part of the page is open. */
export function tabOf(named: Named): Tab {
  const tab = tabNamed(named);
  // Of one asset, the first line of the page says it all.
  return tab === "holdings" && !terms.hasTokens ? "outputs" : tab;
}

function tabNamed({ tab, panel, lock, since }: Named): Tab {
  if (tab !== "") return tab;
  if (panel !== "") return TAB_OF_PANEL[panel];
  if (lock === "1") return "lock";
  return since === "" ? "outputs" : "changes";
}

/** A block that the page is as of. */
export interface PastBlock {
  height: number;
  hash: string;
  /** Milliseconds since the Unix epoch. */
  timestamp: number;
}

/** What another tab does not keep, for `changeParameters`. */
export const OTHER_TAB = { panel: "", lock: "", from: "", row: "", since: "", to: "", was: "", missing: "" };

import { capitalised } from "#lib/client/format.ts";
import { choiceField, readView, textField } from "#lib/client/url-state.ts";
import { terms } from "#terms";

export const TABS = ["outputs", "holdings", "statement", "changes", "lock"] as const;
export type Tab = (typeof TABS)[number];

/** The default comes first. */
const SPANS = ["7d", "24h", "30d", "all"] as const;
export type Span = (typeof SPANS)[number];

/** Parameters of the page in the address bar. Those of the open list come on top. */
export const addressFields = {
  /** `""`: the changes if `since` is given, otherwise the outputs. */
  tab: choiceField(["", ...TABS]),
  /** Number, hash or time of the block that the page is as of; `""` for the tip. */
  at: textField,
  span: choiceField(SPANS),
  /** Id of the asset in the chart; `""` for the value of all. */
  asset: textField,
  /** Numbers, hashes or times of the blocks that a range begins after and ends with. */
  since: textField,
  to: textField,
};

/** The open tab. */
export function tabOf({ tab, since }: { tab: Tab | ""; since: string }): Tab {
  const open = tab || (since === "" ? "outputs" : "changes");
  // With a single asset, the headline already shows the only holding.
  return open === "holdings" && !terms.hasTokens ? "outputs" : open;
}

export function tabTitle(tab: Tab): string {
  if (tab === "outputs") return capitalised(terms.output.many);
  return tab === "lock" ? terms.lock : capitalised(tab);
}

/** The title of the part that a page's query opens; `hasLock`: whether the page is about one lock. */
export function partTitle(search: string, hasLock: boolean): string {
  const tab = tabOf(readView(addressFields, new URLSearchParams(search)));
  return tab === "outputs" || (tab === "lock" && !hasLock) ? "UTXOs" : tabTitle(tab);
}

/** Removes the parameters that belong to one tab only; for `changeParameters`. */
export const OTHER_TAB: Record<string, string> = Object.fromEntries(
  ["from", "row", "since", "to", "was", "missing", "search", "page"].map((name) => [name, ""]),
);

import { capitalised } from "#lib/client/format.ts";
import { choiceField, NO_NOTICE, NO_PLACE, readView, textField } from "#lib/client/url-state.ts";
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

const without = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, ""]));

/** Removes the parameters of a place in a list; for `changeParameters`. */
const OTHER_PLACE = { ...NO_PLACE, ...NO_NOTICE, ...without("was", "search", "page") };
/** Removes the parameters that belong to one tab only. */
export const OTHER_TAB = { ...OTHER_PLACE, ...without("since", "to") };

/** The changes that open a tab. The statement and the changes share a range that the reader chose. */
export function opening(tab: Tab, from: Tab): Record<string, string> {
  const isOfRange = (name: Tab) => name === "statement" || name === "changes";
  const left = isOfRange(tab) && isOfRange(from) ? OTHER_PLACE : OTHER_TAB;
  return { ...left, tab: tab === "outputs" ? "" : tab };
}

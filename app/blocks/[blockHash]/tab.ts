import { terms } from "#terms";
import { namesABlock } from "./read-comparison.ts";

const TITLES = { assets: "Asset changes", transactions: "Transactions", compare: "Compare" };
export type BlockTab = keyof typeof TITLES;

/** The open part of a block's page. */
export function tabIn(query: URLSearchParams): BlockTab {
  if (namesABlock(query.get("compare") ?? "")) return "compare";
  return query.get("tab") === "transactions" || !terms.hasTokens ? "transactions" : "assets";
}

/** The title of a block's page, such as `Block 153 · Transactions`. */
export const blockTitle = (name: string, search: string): string =>
  `${name} · ${TITLES[tabIn(new URLSearchParams(search))]}`;

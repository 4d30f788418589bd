import type { ReactNode } from "react";
import { Tabs } from "#components/ui/Tabs.tsx";
import { formatCount } from "#lib/client/format.ts";
import { terms } from "#terms";
import { PARENT } from "./comparison.ts";
import type { BlockTab } from "./tab.ts";

export interface BlockTabsProps {
  block: { height: number; hash: string; assetCount: number; transactionCount: number };
  current: BlockTab;
  /** Tools for the list of the open tab. */
  children?: ReactNode;
}

/** Number of blocks in the range that the link opens. This block is the last. */
const RANGE = 10;

/** The parts of a block's page. The link to each keeps the filters. */
export function BlockTabs({ block, current, children }: BlockTabsProps) {
  const { height, assetCount, transactionCount } = block;
  const tab = (
    name: BlockTabsProps["current"],
    title: string,
    parameters: Record<string, string>,
    count?: string,
  ) => ({
    href: { tab: "", compare: "", page: "", ...parameters },
    title,
    count,
    current: current === name,
  });
  const range = new URLSearchParams({
    ...(height >= RANGE && { from: String(height - RANGE) }),
    to: String(height),
  });
  return (
    <Tabs
      label="Parts of this block"
      className="mt-5"
      tabs={[
        ...(terms.hasTokens ? [tab("assets", "Assets", {}, formatCount(assetCount))] : []),
        tab("transactions", "Transactions", { tab: "transactions" }, formatCount(transactionCount)),
        tab("compare", "Compare", { compare: PARENT }),
        { href: `/blocks/range?${range}`, title: "Range", current: false },
      ]}
    >
      {children}
    </Tabs>
  );
}

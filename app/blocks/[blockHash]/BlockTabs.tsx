"use client";

import type { ReactNode } from "react";
import { Tabs } from "#components/ui/Tabs.tsx";
import { usePath } from "#components/url-state.ts";
import { formatCount } from "#lib/client/format.ts";
import { changeParameters } from "#lib/client/url-state.ts";
import { terms } from "#terms";
import { PARENT } from "./comparison.ts";

export interface BlockTabsProps {
  block: { height: number; hash: string; assetCount: number; transactionCount: number };
  current: "assets" | "transactions" | "compare";
  /** Tools for the list of the open tab. */
  children?: ReactNode;
}

/** Blocks of the range that the link opens, up to this one. */
const RANGE = 10;

/** The parts of a block's page. The link to each keeps the filters. */
export function BlockTabs({ block, current, children }: BlockTabsProps) {
  const path = usePath();
  const { height, assetCount, transactionCount } = block;
  const open = (changes: Record<string, string>) =>
    changeParameters(path, { tab: "", compare: "", page: "", ...changes });
  const range = new URLSearchParams({
    ...(height >= RANGE && { from: String(height - RANGE) }),
    to: String(height),
  });
  const assets = {
    href: open({}),
    title: "Assets",
    count: formatCount(assetCount),
    current: current === "assets",
  };
  return (
    <div className="mt-11">
      <Tabs
        label="Parts of this block"
        tabs={[
          ...(terms.hasTokens ? [assets] : []),
          {
            href: open({ tab: "transactions" }),
            title: "Transactions",
            count: formatCount(transactionCount),
            current: current === "transactions",
          },
          { href: open({ compare: PARENT }), title: "Compare", current: current === "compare" },
          { href: `/blocks/range?${range}`, title: "Range", current: false },
        ]}
      >
        {children}
      </Tabs>
    </div>
  );
}

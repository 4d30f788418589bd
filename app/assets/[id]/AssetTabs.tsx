import type { ReactNode } from "react";
import { Tabs } from "#components/ui/Tabs.tsx";

const TITLES = {
  holders: "Holders",
  transfers: "Transfers",
  collection: "Collection",
  "look-alikes": "Look-alikes",
};

export interface AssetPart {
  name: keyof typeof TITLES;
  count?: string;
}

interface Props {
  /** The default comes first. */
  parts: readonly AssetPart[];
  current: AssetPart["name"];
  /** Tools for the list of the open tab. */
  children?: ReactNode;
}

/** The parts of an asset's page. */
export function AssetTabs({ parts, current, children }: Props) {
  return (
    <Tabs
      label="Parts of this token"
      tabs={parts.map(({ name, count }, at) => ({
        title: TITLES[name],
        count,
        href: { from: "", row: "", tab: at === 0 ? "" : name },
        current: name === current,
      }))}
    >
      {children}
    </Tabs>
  );
}

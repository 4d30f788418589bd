"use client";

import { createContext } from "react";
import type { FlagsOf } from "#components/table/flagged.tsx";
import type { AssetChange } from "#lib/contract/endpoints.ts";

/** What the columns show besides their entry. */
export interface ChangeRowFacts {
  flagsOf: FlagsOf<AssetChange>;
  /** What the name filter looks for. */
  name: string;
  /** The tags that the list is filtered by. */
  tags: readonly string[];
  toggleTag: (tag: string) => void;
  /** Of all the block's priced assets, in units of 10^-8 US dollars. */
  volumeUsd: string;
}

export const ChangeRows = createContext<ChangeRowFacts>({
  flagsOf: () => [],
  name: "",
  tags: [],
  toggleTag() {},
  volumeUsd: "0",
});

"use client";

import { createContext } from "react";
import type { FlagsOf } from "#components/table/flagged.tsx";
import type { UtxoEntry } from "#lib/contract/endpoints.ts";
import type { NativeAsset } from "#lib/contract/ledger.ts";

/** What the page needs of the native asset. */
export type ShownNative = Pick<NativeAsset, "id" | "symbol" | "decimals">;

/** What the columns show besides their entry. */
export interface UtxoRowFacts {
  native: ShownNative | null;
  flagsOf: FlagsOf<UtxoEntry>;
  /** Rows of the whole list before the loaded ones; null if unknown, for a list that starts part-way. */
  before: number | null;
  /** All rows hold one token, so that there is nothing to choose. */
  filtered: boolean;
}

export const UtxoRows = createContext<UtxoRowFacts>({
  native: null,
  flagsOf: () => [],
  before: 0,
  filtered: false,
});

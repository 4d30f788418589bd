"use client";

import { createContext, type ReactNode, useContext, useMemo } from "react";
import { labelsWith, storedLabels } from "#lib/client/labels.ts";
import type { SearchResult } from "#lib/client/search.ts";
import { addressPage } from "#lib/client/wallet.ts";
import { withoutHidden } from "#lib/util/hidden.ts";
import { useIsClosed } from "./closed-pages.ts";
import { useStored } from "./use-stored.ts";

const Labels = createContext<ReadonlyMap<string, string>>(new Map());

/** Reads the labels once for all addresses, of which a table may have thousands. */
export function LabelsProvider({ children }: { children: ReactNode }) {
  const labels = useStored(storedLabels);
  const byAddress = useMemo(() => {
    // The file may come from others. Its characters that cannot be seen include those that turn text around.
    const seen = labels.map(({ ref, label }) => [ref, withoutHidden(label).trim()] as const);
    return new Map(seen.filter(([, label]) => label !== ""));
  }, [labels]);
  return <Labels value={byAddress}>{children}</Labels>;
}

/** The reader's labels by address. There are none on the server and in the first render after it. */
export const useLabels = () => useContext(Labels);

/** The reader's label of an address. */
export const useLabel = (address: string): string | undefined => useLabels().get(address);

/** Search results for addresses whose label contains the text, the first `most` of them. Only the browser knows them. */
export function useLabelled(sought: string, most = Number.POSITIVE_INFINITY): SearchResult[] {
  const labels = useStored(storedLabels);
  if (useIsClosed("/addresses/")) return [];
  return labelsWith(labels, sought)
    .slice(0, most)
    .map(({ ref }) => ({
      kind: "address",
      address: ref,
      outputs: null,
      href: addressPage(ref),
      exact: false,
    }));
}

"use client";

import { useSyncExternalStore } from "react";
import { labelsWith, storedLabels } from "#lib/client/labels.ts";
import type { SearchResult } from "#lib/client/search.ts";
import { addressPage } from "#lib/client/wallet.ts";
import { useStored } from "./use-stored.ts";

// A table has thousands of addresses, so the stored text is parsed once for all of them.
let known: ReadonlyMap<string, string> | null = null;
const listeners = new Set<() => void>();

function changed(): void {
  known = null;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) {
    // Changes were missed while nobody listened.
    known = null;
    window.addEventListener("storage", changed);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener("storage", changed);
  };
}

function labelOf(address: string): string | undefined {
  known ??= new Map(storedLabels.parse(storedLabels.read()).map(({ ref, label }) => [ref, label]));
  return known.get(address);
}

/** The reader's label of an address. There is none on the server and in the first render after it. */
export const useLabel = (address: string): string | undefined =>
  useSyncExternalStore(
    subscribe,
    () => labelOf(address),
    () => undefined,
  );

/** Labelled addresses that a search offers. */
const OFFERED = 4;

/** Search results for addresses whose label contains the text. Only the browser knows them. */
export function useLabelled(sought: string): SearchResult[] {
  const labels = useStored(storedLabels);
  return labelsWith(labels, sought)
    .slice(0, OFFERED)
    .map(({ ref }) => ({
      kind: "address",
      address: ref,
      outputs: null,
      href: addressPage(ref),
      exact: false,
    }));
}

"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { StoredList } from "#lib/client/stored.ts";

function subscribe(listener: () => void): () => void {
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

/** The list as it is stored now. It is empty on the server and in the first render after it. */
export function useStored<Item>(list: StoredList<Item>): Item[] {
  const stored = useSyncExternalStore(subscribe, list.read, () => null);
  return useMemo(() => list.parse(stored), [list, stored]);
}

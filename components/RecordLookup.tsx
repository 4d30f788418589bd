"use client";

import { useEffect } from "react";
import {
  LOOKUPS_CHANGED,
  type Lookup,
  parseLookups,
  storedLookups,
  storeLookups,
  withLookup,
} from "#lib/client/recent.ts";

/** Remembers, in this browser, that a page was looked up. */
export function RecordLookup({ path, label }: Lookup) {
  useEffect(() => {
    storeLookups(withLookup(parseLookups(storedLookups()), { path, label }));
    window.dispatchEvent(new Event(LOOKUPS_CHANGED));
  }, [path, label]);
  return null;
}

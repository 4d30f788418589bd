"use client";

import { useEffect } from "react";
import { type Lookup, parseLookups, storedLookups, storeLookups, withLookup } from "#lib/client/recent.ts";

/** Remembers, in this browser, that a page was looked up. */
export function RecordLookup({ path, label }: Lookup) {
  useEffect(() => {
    storeLookups(withLookup(parseLookups(storedLookups()), { path, label }));
  }, [path, label]);
  return null;
}

"use client";

import { useEffect } from "react";
import { type Lookup, storedLookups, storeLookups, withLookup } from "#lib/client/recent.ts";

/** Adds a page to the recent lookups, which only this browser keeps. */
export function RecordLookup({ path, label }: Lookup) {
  useEffect(() => {
    storeLookups(withLookup(storedLookups.parse(storedLookups.read()), { path, label }));
  }, [path, label]);
  return null;
}

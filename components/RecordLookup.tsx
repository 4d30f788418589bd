"use client";

import { useEffect } from "react";
import type { Lookup } from "#lib/client/recent.ts";

/** Remembers, in this browser, that a page was looked up. */
export function RecordLookup({ path, label }: Lookup) {
  useEffect(() => {
    // The page itself does without, so it does not wait for it.
    void import("#lib/client/recent.ts").then((recent) => recent.recordLookup({ path, label }));
  }, [path, label]);
  return null;
}

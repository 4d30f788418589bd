"use client";

import Link from "next/link";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type Lookup, parseLookups, storedLookups, storeLookups, withLookup } from "#lib/client/recent.ts";

const CHANGED = "recent-lookups";

function subscribe(listener: () => void): () => void {
  window.addEventListener("storage", listener);
  window.addEventListener(CHANGED, listener);
  return () => {
    window.removeEventListener("storage", listener);
    window.removeEventListener(CHANGED, listener);
  };
}

/** Remembers, in this browser, that a page was looked up. */
export function RecordLookup({ path, label }: Lookup) {
  useEffect(() => {
    storeLookups(withLookup(parseLookups(storedLookups()), { path, label }));
    window.dispatchEvent(new Event(CHANGED));
  }, [path, label]);
  return null;
}

export function RecentLookups() {
  const stored = useSyncExternalStore(subscribe, storedLookups, () => null);
  const lookups = useMemo(() => parseLookups(stored), [stored]);
  if (lookups.length === 0) return null;
  return (
    <section aria-labelledby="recent" className="mt-6">
      <div className="mb-2 flex items-center gap-3">
        <h2 id="recent" className="font-semibold">
          Recent, in this browser
        </h2>
        <button
          type="button"
          className="link"
          onClick={() => {
            storeLookups([]);
            window.dispatchEvent(new Event(CHANGED));
          }}
        >
          Clear
        </button>
      </div>
      <ul className="flex flex-wrap gap-2">
        {lookups.map(({ path, label }) => (
          <li key={path}>
            <Link href={path} prefetch={false} className="button mono">
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

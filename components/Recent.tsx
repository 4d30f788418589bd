"use client";

import { useEffect, useMemo, useSyncExternalStore } from "react";
import { type Lookup, storedLookups, withLookup } from "#lib/client/recent.ts";
import { storedVisits } from "#lib/client/visits.ts";
import { ButtonLink } from "./Link.tsx";

/** Adds a page to the recent lookups, which only this browser keeps. */
export function RecordLookup({ path, label }: Lookup) {
  useEffect(() => {
    storedLookups.write(withLookup(storedLookups.parse(storedLookups.read()), { path, label }));
  }, [path, label]);
  return null;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

const readStored = () => storedLookups.read();

function clear(): void {
  storedLookups.write([]);
  storedVisits.write([]);
}

export function RecentLookups() {
  const stored = useSyncExternalStore(subscribe, readStored, () => null);
  const lookups = useMemo(() => storedLookups.parse(stored), [stored]);
  if (lookups.length === 0) return null;
  return (
    <section aria-labelledby="recent" className="mt-6">
      <div className="mb-2 flex items-center gap-3">
        <h2 id="recent" className="font-semibold">
          Recent (this browser only)
        </h2>
        <button type="button" className="text-accent hover:underline" onClick={clear}>
          Clear
        </button>
      </div>
      <ul className="flex flex-wrap gap-2">
        {lookups.map(({ path, label }) => (
          <li key={path}>
            <ButtonLink href={path} className="font-mono">
              {label}
            </ButtonLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

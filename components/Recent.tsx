"use client";

import { useMemo, useSyncExternalStore } from "react";
import { LOOKUPS_CHANGED, storedLookups, storeLookups } from "#lib/client/recent.ts";
import { storedVisits } from "#lib/client/visits.ts";
import { Link } from "./Link.tsx";
import { buttonClass } from "./ui/Button.tsx";

function subscribe(listener: () => void): () => void {
  window.addEventListener("storage", listener);
  window.addEventListener(LOOKUPS_CHANGED, listener);
  return () => {
    window.removeEventListener("storage", listener);
    window.removeEventListener(LOOKUPS_CHANGED, listener);
  };
}

const readStored = () => storedLookups.read();

function clear(): void {
  storeLookups([]);
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
            <Link href={path} className={buttonClass({}, "font-mono")}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

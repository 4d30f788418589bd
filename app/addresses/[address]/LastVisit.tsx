"use client";

import { useEffect, useState } from "react";
import { FilterLink } from "#components/FilterLink.tsx";
import { useNow } from "#components/Time.tsx";
import { formatAge, formatCount } from "#lib/client/format.ts";
import { recordVisit, type Visit } from "#lib/client/visits.ts";

/** Offers what changed since this browser last read the address; nothing on the first visit. */
export function LastVisit({ address, tip }: { address: string; tip: { height: number; hash: string } }) {
  const [before, setBefore] = useState<Visit["before"]>();
  const now = useNow();
  const { height, hash } = tip;
  useEffect(() => {
    setBefore(recordVisit({ address, height, hash, time: Date.now() }));
  }, [address, height, hash]);
  if (!before || before.hash === hash) return null;
  const age = now === null ? "" : `, ${formatAge(before.time, now)}`;
  return (
    <span
      className="flex flex-none items-center px-1 whitespace-nowrap"
      title={`At block ${formatCount(before.height)}${age}`}
    >
      <FilterLink filter={{ since: before.hash, panel: "", lock: "" }}>Since your last visit</FilterLink>
    </span>
  );
}

"use client";

import { useQueries } from "@tanstack/react-query";
import { useTip } from "#components/chain-tip.ts";
import { changeOf } from "#components/change.ts";
import { Section } from "#components/ui/Section.tsx";
import { formatDifference, formatUsd } from "#lib/client/format.ts";
import { type SinceVisit, VISITS } from "#lib/client/home.ts";
import { sinceVisits } from "#lib/client/queries.ts";
import type { Watch } from "#lib/client/visits.ts";
import { VisitLine } from "./Change.tsx";

/** The watched addresses, what they hold now, and their changes since the last visit. */
export function WatchedAddresses({ watches }: { watches: readonly Watch[] }) {
  const tip = useTip();
  const pieces = Array.from({ length: Math.ceil(watches.length / VISITS) }, (_, at) =>
    watches.slice(at * VISITS, (at + 1) * VISITS),
  );
  const found = useQueries({ queries: pieces.map((piece) => sinceVisits(piece, tip, true)) });
  return (
    <Section title="Watched addresses">
      <ul className="divide-y">
        {watches.map((watch, at) => {
          const { data, error } = found[Math.floor(at / VISITS)]!;
          const since = data?.[at % VISITS];
          return (
            <VisitLine key={watch.address} visit={watch} since={since} error={error}>
              <Value watch={watch} since={since} />
            </VisitLine>
          );
        })}
      </ul>
    </Section>
  );
}

/** The value now, and its change since the visit; nothing without a price. */
function Value({ watch, since }: { watch: Watch; since: SinceVisit | undefined }) {
  if (since?.valueUsd == null) return null;
  const now = BigInt(since.valueUsd);
  const before = watch.valueUsd === null ? null : BigInt(watch.valueUsd);
  if (now === 0n && before === null) return null;
  const change = before === null || before === now ? null : changeOf(now, before);
  const { text, exact } = formatUsd(now);
  return (
    <span className="block">
      <span className="font-medium text-text" title={exact}>
        {text}
      </span>
      {change && before !== null && (
        <span className={`ms-2 ${change.colour}`} title={`${formatUsd(before).exact} at your last visit`}>
          {formatDifference(now - before, (size) => formatUsd(size).text)} ({change.text})
        </span>
      )}
    </span>
  );
}

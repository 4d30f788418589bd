"use client";

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo, useSyncExternalStore } from "react";
import { Cut } from "#components/Cut.tsx";
import { useChainStatus } from "#components/chain-tip.ts";
import { Link } from "#components/Link.tsx";
import { Time } from "#components/Time.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Section } from "#components/ui/Section.tsx";
import { countOf, cutAddress } from "#lib/client/format.ts";
import { changedText, type SinceVisit, VISITS } from "#lib/client/home.ts";
import { sinceVisits } from "#lib/client/queries.ts";
import { storedVisits } from "#lib/client/visits.ts";
import { terms } from "#terms";

function subscribe(listener: () => void): () => void {
  window.addEventListener("storage", listener);
  return () => window.removeEventListener("storage", listener);
}

/** The addresses that this browser opened last, and their changes since. Without any, it shows `instead`. */
export function RecentAddresses({ instead }: { instead: ReactNode }) {
  const stored = useSyncExternalStore(subscribe, storedVisits.read, () => null);
  const visits = useMemo(() => storedVisits.parse(stored).slice(0, VISITS), [stored]);
  const { data: status } = useChainStatus();
  const { data: changes, error } = useQuery(sinceVisits(visits, status?.tip ?? null));
  if (visits.length === 0) return instead;
  return (
    <Section
      title="Recent addresses"
      aside={
        <Button
          tone="bare"
          size="narrow"
          onClick={() => storedVisits.write([])}
          title="Stored in this browser only"
        >
          Clear
        </Button>
      }
    >
      <ul className="divide-y">
        {visits.map(({ address, time }, at) => (
          <li key={address} className="flex min-h-11 flex-wrap items-center justify-between gap-x-4">
            <Link href={`/addresses/${address}`} className="inline-flex min-h-11 items-center text-text">
              <Cut parts={cutAddress(address)} narrows />
            </Link>
            <span className="text-right text-text-2">
              {error ? "Changes unknown" : <Change since={changes?.[at]} />}
              <span className="text-text-3">
                {" "}
                · <Time time={time} short />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Change({ since }: { since: SinceVisit | undefined }) {
  if (!since) return "…";
  const { isReplaced, isMore, transactions, created, spent } = since;
  if (isReplaced) return "Reorganised since your visit";
  if (transactions === 0) return isMore ? "Changes unknown" : "Unchanged";
  if (isMore) return `At least ${countOf(transactions, "transaction")}`;
  return (
    <span className="text-accent" title={`In ${countOf(transactions, "transaction")} since your last visit`}>
      {changedText(created, spent)} {created + spent === 1 ? terms.output.one : terms.output.many}
    </span>
  );
}

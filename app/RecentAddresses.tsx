"use client";

import type { ReactNode } from "react";
import { useAtTip, useTip } from "#components/chain-tip.ts";
import { Button } from "#components/ui/Button.tsx";
import { Section } from "#components/ui/Section.tsx";
import { useStored } from "#components/use-stored.ts";
import { VISITS } from "#lib/client/home.ts";
import { sinceVisits } from "#lib/client/queries.ts";
import { storedVisits, storedWatches, type Visit } from "#lib/client/visits.ts";
import { VisitLine } from "./Change.tsx";
import { KEPT_ID, WatchedAddresses } from "./WatchedAddresses.tsx";
import { SavedWallets } from "./wallet/SavedWallets.tsx";

/** Lists what this browser keeps: watched addresses, wallets and recent addresses. `instead` is shown if it keeps no addresses. */
export function RecentAddresses({ instead }: { instead: ReactNode }) {
  const watches = useStored(storedWatches);
  const visits = useStored(storedVisits)
    .filter(({ address }) => !watches.some((one) => one.address === address))
    .slice(0, VISITS);
  return (
    <div id={KEPT_ID} tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] gap-y-8 outline-none">
      {watches.length > 0 && <WatchedAddresses watches={watches} />}
      <SavedWallets />
      {visits.length > 0 ? <Recent visits={visits} /> : watches.length === 0 && instead}
    </div>
  );
}

/** The addresses that this browser opened last, and their changes since. */
function Recent({ visits }: { visits: Visit[] }) {
  const { data: changes, error } = useAtTip(sinceVisits(visits, useTip()));
  return (
    <Section
      title="Recent addresses"
      aside={
        <Button
          tone="bare"
          size="narrow"
          onClick={() => {
            storedVisits.write([]);
            // The section disappears, and its button has the focus.
            document.getElementById(KEPT_ID)?.focus();
          }}
          title="Stored in this browser only"
        >
          Clear
        </Button>
      }
    >
      <ul className="divide-y">
        {visits.map((visit, at) => (
          <VisitLine key={visit.address} visit={visit} since={changes?.[at]} error={error} />
        ))}
      </ul>
    </Section>
  );
}

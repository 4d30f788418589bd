"use client";

import { useState } from "react";
import { announce } from "#components/announce.ts";
import { useAtTip, useTip } from "#components/chain-tip.ts";
import { changeOf } from "#components/change.ts";
import { CloseIcon } from "#components/icons.tsx";
import { Button } from "#components/ui/Button.tsx";
import { Section } from "#components/ui/Section.tsx";
import { formatDifference, formatUsd } from "#lib/client/format.ts";
import { type SinceVisit, VISITS } from "#lib/client/home.ts";
import { sinceVisits } from "#lib/client/queries.ts";
import { NOT_STORED } from "#lib/client/stored.ts";
import { storedWatches, type Watch } from "#lib/client/visits.ts";
import { VisitLine } from "./Change.tsx";

/** The part of the page with everything that the browser keeps. */
export const KEPT_ID = "kept-addresses";

/** The watched addresses, what they hold now, and their changes since the last visit. */
export function WatchedAddresses({ watches }: { watches: readonly Watch[] }) {
  // A removed watch stays in its request, which is then that of the other lines, too.
  const [asked, setAsked] = useState(watches);
  const isListed = (list: readonly Watch[], { address, hash }: Watch) =>
    list.some((one) => one.address === address && one.hash === hash);
  if (!watches.every((watch) => isListed(asked, watch))) setAsked(watches);
  const pieces = Array.from({ length: Math.ceil(asked.length / VISITS) }, (_, at) =>
    asked.slice(at * VISITS, (at + 1) * VISITS),
  );
  return (
    <Section title="Watched addresses">
      <ul className="divide-y">
        {pieces.map((piece) => (
          <Watches key={piece[0]!.address} watches={piece} isShown={(watch) => isListed(watches, watch)} />
        ))}
      </ul>
    </Section>
  );
}

interface WatchesProps {
  /** As many as one request may have. */
  watches: readonly Watch[];
  isShown: (watch: Watch) => boolean;
}

function Watches({ watches, isShown }: WatchesProps) {
  const { data, error } = useAtTip(sinceVisits(watches, useTip(), true));
  const lines = watches.map((watch, at) => ({ watch, since: data?.[at] }));
  return lines
    .filter(({ watch }) => isShown(watch))
    .map(({ watch, since }) => (
      <VisitLine
        key={watch.address}
        visit={watch}
        since={since}
        error={error}
        action={<StopWatching address={watch.address} />}
      >
        <Value watch={watch} since={since} />
      </VisitLine>
    ));
}

function StopWatching({ address }: { address: string }) {
  function stop() {
    const others = storedWatches.items().filter((one) => one.address !== address);
    if (!storedWatches.write(others)) return announce(NOT_STORED, true);
    announce("No longer watched", true);
    // The button goes away, and had the focus.
    document.getElementById(KEPT_ID)?.focus();
  }
  return (
    <Button
      tone="bare"
      size="square"
      onClick={stop}
      aria-label={`Stop watching ${address}`}
      title="Stop watching"
      className="-me-2 flex-none"
    >
      <CloseIcon />
    </Button>
  );
}

/** The value now, and its change since the visit; nothing without a price. */
function Value({ watch, since }: { watch: Watch; since: SinceVisit | undefined }) {
  if (since?.valueUsd == null) return null;
  const now = BigInt(since.valueUsd);
  const before = watch.valueUsd === null ? null : BigInt(watch.valueUsd);
  if (now === 0n && !before) return null;
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

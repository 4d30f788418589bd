"use client";

import { useEffect } from "react";
import { serverNow } from "#lib/client/clock.ts";
import { NOT_STORED, tooManyStored } from "#lib/client/stored.ts";
import { storedWatches, type Watch, withLatest } from "#lib/client/visits.ts";
import { announce } from "./announce.ts";
import { Button } from "./ui/Button.tsx";
import { useStored } from "./use-stored.ts";

interface Props extends Pick<Watch, "address" | "height" | "hash" | "valueUsd"> {
  hidden: boolean;
}

/**
 * Puts an address on the watch list of the home page, or removes it. Each view of a watched address is its last visit, even if
 * the button is hidden.
 */
export function WatchButton({ address, height, hash, valueUsd, hidden }: Props) {
  const watches = useStored(storedWatches);
  const isWatched = watches.some((one) => one.address === address);
  useEffect(() => {
    const list = storedWatches.items();
    if (!list.some((one) => one.address === address)) return;
    storedWatches.write(withLatest(list, { address, height, hash, valueUsd, time: serverNow() }));
  }, [address, height, hash, valueUsd]);
  function toggle() {
    const list = isWatched
      ? watches.filter((one) => one.address !== address)
      : [{ address, height, hash, valueUsd, time: serverNow() }, ...watches];
    const isFull = list.length > storedWatches.most;
    if (!isFull && storedWatches.write(list)) return;
    announce(isFull ? tooManyStored(storedWatches, "watched addresses") : NOT_STORED, true);
  }
  if (hidden) return null;
  return (
    <Button
      size="narrow"
      className="print:hidden"
      aria-pressed={isWatched}
      onClick={toggle}
      title="Watched addresses stay in this browser"
    >
      <span aria-hidden="true">{isWatched ? "★" : "☆"}</span> Watch
    </Button>
  );
}

"use client";

import { useEffect, useState } from "react";
import { useChainStatus } from "#components/chain-tip.ts";
import { useNow } from "#components/Time.tsx";
import { Notice } from "#components/ui/Notice.tsx";
import { withBase } from "#lib/client/base-path.ts";
import { countOf, formatAge, formatCount, formatUtc } from "#lib/client/format.ts";
import { hasSessionEnded } from "#lib/client/queries.ts";
import type { ChainStatus } from "#lib/client/status.ts";
import { terms } from "#terms";

/** A tip, and the time at which it arrived, in milliseconds since the Unix epoch. */
interface Sample {
  tip: NonNullable<ChainStatus["tip"]>;
  at: number;
}

/** The speed is computed from the latest tips, up to this many. */
const SAMPLES = 12;

/** Warns that the index is behind, and estimates the time left; or that the session has ended. */
export function CatchingUp({ initial }: { initial: ChainStatus }) {
  const { data: status = initial, dataUpdatedAt, error } = useChainStatus();
  const { tip, demo } = status;
  const now = useNow();
  const [samples, setSamples] = useState<Sample[]>([]);
  useEffect(() => {
    if (!tip || dataUpdatedAt === 0) return;
    setSamples((before) =>
      before.at(-1)?.tip.hash === tip.hash ? before : [...before, { tip, at: dataUpdatedAt }].slice(-SAMPLES),
    );
  }, [tip, dataUpdatedAt]);
  if (hasSessionEnded(error)) {
    return (
      <Notice tone="warn" title="Your session has ended">
        This page no longer updates.{" "}
        {/* A full load, so that the server renders every part of the page for the new session. */}
        <a href={withBase("/sign-in?next=%2F")} className="underline">
          Sign in
        </a>
      </Notice>
    );
  }
  if (demo || tip?.time == null || now === null || now - tip.time <= terms.staleAfterMs) return null;
  const pace = paceOf(samples, dataUpdatedAt);
  return (
    <Notice title={pace ? "Catching up with the chain" : "The index is behind the chain"}>
      Indexed up to block {formatCount(tip.height)}, {formatUtc(tip.time)} ({formatAge(tip.time, now)}).
      {pace && (
        <>
          {" "}
          {countOf(Math.max(1, Math.round(pace.blocksPerMinute)), "block")} a minute
          {pace.chainSpeed > 1 && `, about ${duration((now - tip.time) / (pace.chainSpeed - 1))} left`}.
        </>
      )}
    </Notice>
  );
}

/** Without a new tip for this long, indexing has stopped. */
const STOPPED_MS = 120_000;

/** `chainSpeed`: time on the chain per unit of real time. Null if the tip does not rise. */
function paceOf(
  samples: readonly Sample[],
  now: number,
): { blocksPerMinute: number; chainSpeed: number } | null {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || first.tip.time === null || last.tip.time === null) return null;
  if (now - last.at > STOPPED_MS) return null;
  const passed = last.at - first.at;
  const blocks = last.tip.height - first.tip.height;
  if (passed <= 0 || blocks <= 0) return null;
  return {
    blocksPerMinute: (blocks * 60_000) / passed,
    chainSpeed: (last.tip.time - first.tip.time) / passed,
  };
}

function duration(milliseconds: number): string {
  const minutes = Math.ceil(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.ceil(minutes / 60)} h` : `${Math.ceil(minutes / 1440)} days`;
}

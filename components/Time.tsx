"use client";

import { useLayoutEffect, useState } from "react";
import { serverNow } from "#lib/client/clock.ts";
import { formatAge, formatLocal, formatUtc } from "#lib/client/format.ts";
import { usePreferences } from "./Preferences.tsx";
import { repeat } from "./repeat.ts";

const TICK_MS = 10_000;

/** The server's time, updated every ten seconds. Null while the server renders: its time would be old when the page arrives. */
export function useNow(): number | null {
  const [now, setNow] = useState<number | null>(null);
  // A layout effect runs before the first paint, so that the text does not visibly change.
  useLayoutEffect(() => repeat(() => setNow(serverNow()), TICK_MS), []);
  return now;
}

interface Props {
  /** Milliseconds since the Unix epoch. */
  time: number;
  short?: boolean;
}

export function Time({ time, short = false }: Props) {
  const current = useNow();
  const { times } = usePreferences().preferences;
  // The server does not know the reader's time zone, so the first render is in UTC.
  const text = times === "local" && current !== null ? formatLocal(time) : formatUtc(time);
  const age = current === null ? "" : formatAge(time, current);
  const dateTime = new Date(time).toISOString();
  if (short) {
    return (
      <time dateTime={dateTime} title={text}>
        {age || dateTime.slice(0, 10)}
      </time>
    );
  }
  return (
    <time dateTime={dateTime}>
      {text}
      {age && (
        <span className="text-text-3">
          , <span className="whitespace-nowrap">{age}</span>
        </span>
      )}
    </time>
  );
}

"use client";

import { useSyncExternalStore } from "react";
import { formatAge, formatLocal, formatUtc } from "#lib/client/format.ts";
import { usePreferences } from "./Preferences.tsx";

const TICK_MS = 60_000;
let now: number | null = null;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
      now = null;
    }
  };
}

/** The time of day, once a minute; null on the server, whose clock is not the reader's. */
function useNow(): number | null {
  return useSyncExternalStore(
    subscribe,
    () => {
      now ??= Date.now();
      return now;
    },
    () => null,
  );
}

/** A moment in milliseconds since the Unix epoch, with its age. */
export function Time({ time, ageOnly = false }: { time: number; ageOnly?: boolean }) {
  const current = useNow();
  const { times } = usePreferences().preferences;
  // The server does not know the reader's zone; the first frame is in UTC for everyone.
  const text = times === "local" && current !== null ? formatLocal(time) : formatUtc(time);
  const age = current === null ? "" : formatAge(time, current);
  return (
    <time dateTime={new Date(time).toISOString()} title={text}>
      {ageOnly ? age : text}
      {!ageOnly && age && <span className="text-text-3"> · {age}</span>}
    </time>
  );
}

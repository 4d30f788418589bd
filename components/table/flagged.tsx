"use client";

import { useMemo } from "react";
import { Button } from "#components/ui/Button.tsx";
import type { Flag } from "#lib/client/chain-text.ts";
import { formatCount } from "#lib/client/format.ts";

export type FlagsOf<Entry> = (entry: Entry) => readonly Flag[];

/** The entries without strongly flagged ones, unless these are to be shown, and how many of them there are. */
export function useFlagged<Entry>(entries: Entry[], flagsOf: FlagsOf<Entry>, show: boolean) {
  const plain = useMemo(
    () => entries.filter((entry) => !flagsOf(entry).some((flag) => flag.strong)),
    [entries, flagsOf],
  );
  const count = entries.length - plain.length;
  return { rows: show || count === 0 ? entries : plain, count };
}

interface Props {
  flagged: "hide" | "show";
  /** Flagged entries among those loaded. */
  count: number;
  /** Words after the count. */
  note?: string;
  onChange: (flagged: "hide" | "show") => void;
}

/** Hides flagged entries or shows them. Nothing if there are none to hide. */
export function FlaggedToggle({ flagged, count, note = "", onChange }: Props) {
  if (count === 0 && flagged === "hide") return null;
  return (
    <Button aria-pressed={flagged === "hide"} onClick={() => onChange(flagged === "hide" ? "show" : "hide")}>
      Hide flagged ({formatCount(count)}
      {`${note})`}
    </Button>
  );
}

"use client";

import { useMemo } from "react";
import { focusResults } from "#components/navigation.tsx";
import { Button } from "#components/ui/Button.tsx";
import { createFlagger, type Flag, type ListedNames, type Surroundings } from "#lib/client/chain-text.ts";
import { formatCount } from "#lib/client/format.ts";

export type FlagsOf = (asset: ListedNames) => readonly Flag[];

/** Returns a function that computes the flags of each asset once. The argument's parts must be stable between renders. */
export function useFlags({ native, listed, bySymbol }: Surroundings): FlagsOf {
  return useMemo(() => {
    const flagger = createFlagger({ native, listed, bySymbol });
    const cache = new Map<string, readonly Flag[]>();
    return (asset) => {
      const flags = cache.get(asset.id) ?? flagger(asset);
      cache.set(asset.id, flags);
      return flags;
    };
  }, [native, listed, bySymbol]);
}

/** The rows to show, without strongly flagged entries unless `show` is set, and the number of flagged entries. */
export function useFlagged<Entry>(
  entries: Entry[],
  assetOf: (entry: Entry) => ListedNames,
  flagsOf: FlagsOf,
  show: boolean,
) {
  const plain = useMemo(
    () => entries.filter((entry) => !flagsOf(assetOf(entry)).some((flag) => flag.strong)),
    [entries, assetOf, flagsOf],
  );
  const count = entries.length - plain.length;
  return { rows: show || count === 0 ? entries : plain, count };
}

interface Props {
  flagged: "hide" | "show";
  count: number;
  note?: string;
  onChange: (flagged: "hide" | "show") => void;
}

/** Hides or shows flagged entries. Renders nothing while there are none to hide. */
export function FlaggedToggle({ flagged, count, note = "", onChange }: Props) {
  if (count === 0 && flagged === "hide") return null;
  return (
    <Button
      aria-pressed={flagged === "hide"}
      onClick={() => {
        onChange(flagged === "hide" ? "show" : "hide");
        // The button is gone then.
        if (count === 0) focusResults();
      }}
    >
      Hide flagged{count > 0 && ` (${formatCount(count)}${note})`}
    </Button>
  );
}

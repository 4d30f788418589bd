"use client";

import { useState } from "react";
import { focusResults } from "#components/navigation.tsx";
import { ChipButton } from "#components/ui/Chip.tsx";
import { formatCount } from "#lib/client/format.ts";

const FIRST_TAGS = 10;

export interface TagCount {
  tag: string;
  count: number;
}

// One line, so that the height does not depend on the block.
const ONE_LINE = "scrolls-sideways -ms-0.5 p-0.5 *:flex-none";

interface TagFilterProps {
  tags: readonly TagCount[];
  chosen: readonly string[];
  onToggle: (tag: string) => void;
  onClear: () => void;
  /** Keeps its height even without tags. */
  steady: boolean;
}

export function TagFilter({ tags, chosen, onToggle, onClear, steady }: TagFilterProps) {
  const [all, setAll] = useState(false);
  // The filter has these tags although no asset of the block does.
  const foreign = chosen
    .filter((tag) => tags.every((one) => one.tag !== tag))
    .map((tag) => ({ tag, count: 0 }));
  // The tags of the link come first; a pressed one stays in place.
  const [linked] = useState(chosen);
  const sorted = tags.toSorted(
    (one, other) => Number(linked.includes(other.tag)) - Number(linked.includes(one.tag)),
  );
  const stays = new Set((all ? sorted : sorted.slice(0, FIRST_TAGS)).map(({ tag }) => tag));
  const own = sorted.filter(({ tag }) => stays.has(tag) || chosen.includes(tag));
  const shown = [...foreign, ...own];
  if (shown.length === 0) return steady && <div className="mt-3 h-8 max-sm:h-12" />;
  return (
    <fieldset className="mt-3 flex min-w-0 items-center gap-2 print:hidden">
      <legend className="sr-only">Filter by tag</legend>
      <span className={`flex min-w-0 gap-2 ${all ? "flex-wrap" : ONE_LINE}`}>
        {shown.map(({ tag, count }) => (
          <ChipButton
            key={tag}
            size="medium"
            aria-pressed={chosen.includes(tag)}
            onClick={() => {
              onToggle(tag);
              if (chosen.includes(tag) && !stays.has(tag)) focusResults();
            }}
          >
            <bdi className="max-w-60 truncate">{tag}</bdi>{" "}
            <span className="font-normal">{formatCount(count)}</span>
          </ChipButton>
        ))}
        {(own.length < tags.length || (all && tags.length > FIRST_TAGS)) && (
          <ChipButton size="medium" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? "Fewer" : `${formatCount(tags.length - own.length)} more`}
          </ChipButton>
        )}
      </span>
      {chosen.length > 0 && (
        <button
          type="button"
          className="min-h-7 flex-none px-2 text-accent hover:underline"
          onClick={() => {
            onClear();
            focusResults();
          }}
        >
          Clear tags
        </button>
      )}
    </fieldset>
  );
}

"use client";

import { useState } from "react";
import { ChipButton } from "#components/ui/Chip.tsx";
import { formatCount } from "#lib/client/format.ts";

const FIRST_TAGS = 12;

export interface TagCount {
  tag: string;
  count: number;
}

// A narrow window scrolls the tags sideways. The fading edge shows that there are more.
const TAG_ROW =
  "contents max-sm:-mx-4 max-sm:flex max-sm:gap-2 max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 max-sm:[mask-image:linear-gradient(to_left,transparent,#000_24px)] max-sm:[scrollbar-width:none]";

interface TagFilterProps {
  tags: readonly TagCount[];
  chosen: readonly string[];
  onToggle: (tag: string) => void;
  onClear: () => void;
}

export function TagFilter({ tags, chosen, onToggle, onClear }: TagFilterProps) {
  const [all, setAll] = useState(false);
  // The list is filtered by these tags although the block does not have them.
  const foreign = chosen
    .filter((tag) => tags.every((one) => one.tag !== tag))
    .map((tag) => ({ tag, count: 0 }));
  const own = all ? tags : tags.filter(({ tag }, at) => at < FIRST_TAGS || chosen.includes(tag));
  const shown = [...own, ...foreign];
  if (shown.length === 0) return null;
  return (
    <fieldset className="mb-2 flex min-w-0 flex-wrap items-center gap-2 print:hidden">
      <legend className="sr-only">Filter by tag</legend>
      <span className={TAG_ROW}>
        {shown.map(({ tag, count }) => (
          <ChipButton
            key={tag}
            size="medium"
            className="max-sm:flex-none"
            aria-pressed={chosen.includes(tag)}
            onClick={() => onToggle(tag)}
          >
            <bdi className="truncate">{tag}</bdi> <span className="text-text-2">{formatCount(count)}</span>
          </ChipButton>
        ))}
        {own.length < tags.length && (
          <ChipButton size="medium" className="max-sm:flex-none" onClick={() => setAll(true)}>
            +{tags.length - own.length} more
          </ChipButton>
        )}
      </span>
      {chosen.length > 0 && (
        <button type="button" className="text-accent hover:underline" onClick={onClear}>
          Clear tags
        </button>
      )}
      {chosen.length > 1 && <span className="text-text-2 text-xs">Assets with any of these tags</span>}
    </fieldset>
  );
}

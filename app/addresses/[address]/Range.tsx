"use client";

import { BlockForm } from "#components/BlockForm.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { formatCount } from "#lib/client/format.ts";
import { changeParameters } from "#lib/client/url-state.ts";
import type { Visit } from "#lib/client/visits.ts";
import type { Preset } from "./presets.ts";

export interface RangeProps {
  /** Path and query of the page. */
  path: string;
  presets: readonly Preset[];
  lastVisit: Visit["before"];
}

/** Chooses the block that a range begins after. `since` is how the link names it, `""` for none. */
export function Range({
  path,
  presets,
  lastVisit,
  since,
  whole,
}: RangeProps & { since: string; whole?: string }) {
  const choices = [
    ...(whole ? [{ title: whole, since: "" }] : []),
    ...presets.map(({ name, height }) => ({ title: name, since: String(height) })),
    ...(lastVisit ? [{ title: "Since your last visit", since: lastVisit.hash }] : []),
  ];
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 print:hidden">
      <Segments
        label="Since when"
        choices={choices.map((choice) => ({
          href: changeParameters(path, { since: choice.since, to: "", from: "", row: "" }),
          title: choice.title,
          current: choice.since === since,
        }))}
      />
      <BlockForm
        key={since}
        parameter="since"
        value={/^\d+$/.test(since) ? formatCount(Number(since)) : since}
        label="Block number or hash"
        action="Show since"
      />
    </div>
  );
}

"use client";

import { openPage } from "#components/navigation.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { Select } from "#components/ui/Select.tsx";
import { NO_NOTICE } from "#lib/client/url-state.ts";
import type { Span } from "./view.ts";

interface Props {
  span: Span;
  asset: string;
  /** Ids and names of what can be drawn, the default first; `""` is the value of all. */
  choices: readonly (readonly [id: string, name: string])[];
}

const SPANS: [Span, string][] = [
  ["24h", "24 h"],
  ["7d", "7 d"],
  ["30d", "30 d"],
  ["all", "All"],
];

export function ChartControls({ span, asset, choices }: Props) {
  const choose = (id: string) => openPage({ ...NO_NOTICE, asset: id === choices[0]?.[0] ? "" : id });
  return (
    <div className="flex flex-wrap items-center justify-end gap-2 max-sm:[&>select]:w-32 xl:[&>select]:max-w-40 print:hidden">
      {choices.length > 1 && (
        <Select label="What the chart shows" value={asset} choices={choices} onChoose={choose} />
      )}
      <Segments
        label="Span of the chart"
        choices={SPANS.map(([name, title]) => ({
          href: { ...NO_NOTICE, span: name === "7d" ? "" : name },
          title,
          current: name === span,
        }))}
      />
    </div>
  );
}

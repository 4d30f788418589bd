import { BlockForm, shownBlock } from "#components/BlockForm.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import type { Visit } from "#lib/client/visits.ts";
import type { Preset } from "./presets.ts";

export interface RangeProps {
  presets: readonly Preset[];
  lastVisit: Visit["before"];
}

interface Props extends RangeProps {
  /** Number or hash of the block that the range begins after; `""` for none. */
  since: string;
  /** Title of the choice of all blocks, if there is one. */
  whole?: string;
}

export function Range({ presets, lastVisit, since, whole }: Props) {
  const choices = [
    ...(whole ? [{ title: whole, since: "" }] : []),
    ...presets.map(({ name, height }) => ({ title: name, since: String(height) })),
    ...(lastVisit ? [{ title: "Since your last visit", since: lastVisit.hash }] : []),
  ];
  return (
    <div className="flex min-w-0 max-w-full flex-wrap items-center gap-x-4 gap-y-2 print:hidden">
      <Segments
        label="Since when"
        choices={choices.map((choice) => ({
          href: { since: choice.since, to: "", from: "", row: "" },
          title: choice.title,
          current: choice.since === since,
        }))}
      />
      <BlockForm key={since} parameter="since" value={shownBlock(since)} action="Show since" />
    </div>
  );
}

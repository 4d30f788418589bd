import { BlockForm } from "#components/BlockForm.tsx";
import { Segments } from "#components/ui/Segments.tsx";
import { NO_NOTICE, NO_PLACE } from "#lib/client/url-state.ts";
import type { Visit } from "#lib/client/visits.ts";
import { HEIGHT } from "#lib/contract/block-text.ts";
import type { Preset } from "./presets.ts";

export interface RangeProps {
  presets: readonly Preset[];
  lastVisit: Visit["before"];
}

interface Props extends RangeProps {
  /** Number, hash or time of the block that the range begins after; `""` for none. */
  since: string;
  /** Number, hash or time of the last block, `""` for the tip; missing if the list cannot be ended here. */
  to?: string | undefined;
  /** Heights of these blocks, as far as they are known. */
  heights?: { since?: number | undefined; to?: number | undefined };
  /** Title of the choice of all blocks, if there is one. */
  whole?: string;
}

/** Part of a preset's length by which the tip may have moved since the preset was chosen. */
const MOVED = 0.1;

export function Range({ presets, lastVisit, since, to, heights, whole }: Props) {
  const isNear = ({ height, length }: Preset) =>
    HEIGHT.test(since) && Math.abs(height - Number(since)) <= length * MOVED;
  const near = to ? undefined : presets.find(isNear);
  const choices = [
    ...(whole ? [{ title: whole, from: "", current: since === "" && !to }] : []),
    ...presets.map((one) => ({ title: one.name, from: String(one.height), current: one === near })),
    ...(lastVisit
      ? [{ title: "Since your last visit", from: lastVisit.hash, current: since === lastVisit.hash && !to }]
      : []),
  ];
  return (
    <div className="flex min-w-0 max-w-full flex-wrap items-center gap-x-4 gap-y-2 print:hidden">
      <Segments
        label="Since when"
        choices={choices.map(({ from, ...choice }) => ({
          href: { since: from, to: "", ...NO_NOTICE, ...NO_PLACE },
          ...choice,
        }))}
      />
      <BlockForm
        key={`${since} ${to}`}
        action="Show"
        fields={[
          {
            parameter: "since",
            value: since,
            height: heights?.since,
            label: "After a block, or after the end of a date in UTC",
            hint: "After block or date",
            isOptional: whole !== undefined,
          },
          ...(to === undefined
            ? []
            : [
                {
                  parameter: "to",
                  value: to,
                  height: heights?.to,
                  label: "Up to a block, or to the end of a date in UTC",
                  hint: "Up to block or date",
                  isOptional: true,
                },
              ]),
        ]}
      />
    </div>
  );
}

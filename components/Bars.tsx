import type { CSSProperties, ReactNode } from "react";
import {
  createFlagger,
  displaySymbol,
  isNameless,
  type ListedNames,
  type Namesakes,
} from "#lib/client/chain-text.ts";
import { cutId, cutToText, formatCount } from "#lib/client/format.ts";
import { FilterLink } from "./FilterLink.tsx";
import { Panel } from "./ui/Panel.tsx";

export interface Bar {
  key: string;
  label: ReactNode;
  /** Share of the whole, by exact integers. */
  part: bigint;
  value: string;
  /** Exact, for hovering. */
  exact: string;
  /** URL parameters that filter the list by this one; `""` removes one. */
  filter?: Record<string, string>;
  /** All that remains together: in another colour. */
  rest?: boolean;
}

const SHADES = [1, 0.72, 0.5, 0.34, 0.22, 0.6, 0.42, 0.15];

/** In hundredths of a percent. */
function share(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 10_000n) / whole);
}

/** Every second part is hatched, so that neighbours differ without colour. */
const HATCHED =
  "bg-[repeating-linear-gradient(-45deg,color-mix(in_srgb,var(--color-surface)_55%,transparent)_0_2px,transparent_2px_6px)]";

function Part({ bar, at, style }: { bar: Bar; at: number; style?: CSSProperties }) {
  const shade = (SHADES[at % SHADES.length] ?? 1) * 100;
  const background = `color-mix(in srgb, var(--color-accent) ${shade}%, var(--color-surface))`;
  const ground = bar.rest ? "bg-control" : at % 2 === 1 ? HATCHED : "";
  return (
    <span
      className={`block h-full min-w-0.5 forced-color-adjust-none ${ground}`}
      title={bar.exact}
      style={bar.rest ? style : { ...style, backgroundColor: background }}
    />
  );
}

export function BarList({ title, bars, note }: { title: string; bars: Bar[]; note?: string | undefined }) {
  const longest = bars.reduce((most, bar) => (bar.part > most ? bar.part : most), 0n);
  return (
    <Panel as="details" className="mb-4 print:hidden">
      <summary className="px-3 py-2 text-text-2">{title}</summary>
      <ul className="grid grid-cols-[fit-content(40%)_minmax(0,1fr)_max-content] gap-x-3 gap-y-1 px-3 pb-3 max-sm:grid-cols-[minmax(0,1fr)_max-content] max-sm:gap-y-2">
        {bars.map((bar) => (
          <li key={bar.key} className="col-span-full grid grid-cols-subgrid items-center" title={bar.exact}>
            <BarLabel bar={bar} />
            <span
              aria-hidden="true"
              className="h-3 overflow-hidden rounded-[3px] bg-sunken max-sm:col-span-full max-sm:row-start-2"
            >
              <Part bar={bar} at={0} style={{ width: `${share(bar.part, longest) / 100}%` }} />
            </span>
            <span className="text-right text-text-2 whitespace-nowrap">{bar.value}</span>
          </li>
        ))}
      </ul>
      {note && <p className="border-border border-t px-3 py-2 text-text-2 text-xs">{note}</p>}
    </Panel>
  );
}

function BarLabel({ bar }: { bar: Bar }) {
  if (!bar.filter) return <span className="truncate">{bar.label}</span>;
  return <FilterLink filter={bar.filter}>{bar.label}</FilterLink>;
}

/** The labels of one chart's assets. The id follows the symbol if the asset has no symbol or a suspect one. */
export function chartLabels(
  native: { id: string; symbol: string } | null,
  namesakes: Namesakes,
): (asset: ListedNames) => ReactNode {
  const flagsOf = createFlagger({ native, ...namesakes });
  return function label(asset) {
    const symbol = displaySymbol(asset);
    return (
      <>
        <bdi>{symbol}</bdi>
        {(isNameless(asset) || flagsOf(asset).length > 0) && (
          <span className="mono text-text-3"> {cutToText(cutId(asset.id))}</span>
        )}
      </>
    );
  };
}

/** `Other (12)`: the last part of a chart that shows only its largest ones. */
export function otherBar(part: bigint, count: number, value: string, exact: string): Bar[] {
  if (count <= 0) return [];
  return [{ key: "other", label: `Other (${formatCount(count)})`, part, value, exact, rest: true }];
}

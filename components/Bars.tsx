import type { CSSProperties, ReactNode } from "react";
import { createFlagger, displaySymbol, type ListedNames } from "#lib/client/chain-text.ts";
import { cutId, cutToText, formatCount } from "#lib/client/format.ts";
import { FilterLink } from "./FilterLink.tsx";

export interface Bar {
  key: string;
  label: ReactNode;
  /** Share of the whole, by exact integers. */
  part: bigint;
  value: string;
  /** Exact, for hovering. */
  exact: string;
  /** Parameters of the address bar that filter the list by this one; `""` for none. */
  filter?: Record<string, string>;
  /** Not one of its kind, but what is left: in another colour. */
  rest?: boolean;
}

const PARTS = 10_000n;
/** Parts of the full colour. */
const SHADES = [1, 0.72, 0.5, 0.34, 0.22, 0.6, 0.42, 0.15];

function share(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * PARTS) / whole);
}

function percent(part: bigint, whole: bigint): string {
  const hundredths = share(part, whole);
  if (hundredths === 0 && part > 0n) return "< 0.01 %";
  const digits = hundredths.toString().padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)} %`;
}

/** One bar cut into parts: where a whole lies. The list beside it is the same as a table. */
export function StackedBar({ title, bars, whole }: { title: string; bars: Bar[]; whole: bigint }) {
  return (
    <details className="panel no-print mb-4" open>
      <summary className="px-3 py-2 text-text-2">{title}</summary>
      <div className="px-3 pb-3">
        <div
          role="img"
          aria-label={`${title}: ${bars.map((bar) => percent(bar.part, whole)).join(", ")}`}
          className="mb-2 flex h-6 gap-px overflow-hidden rounded-md"
        >
          {bars.map((bar, at) => (
            <Part key={bar.key} bar={bar} at={at} style={{ flexGrow: share(bar.part, whole) }} />
          ))}
        </div>
        <ul className="flex flex-wrap gap-x-5 gap-y-1">
          {bars.map((bar, at) => (
            <li key={bar.key} className="flex min-w-0 items-center gap-2" title={bar.exact}>
              <span aria-hidden="true" className="size-3 shrink-0">
                <Part bar={bar} at={at} />
              </span>
              <BarLabel bar={bar} />
              <span className="whitespace-nowrap text-text-2">{percent(bar.part, whole)}</span>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}

function Part({ bar, at, style }: { bar: Bar; at: number; style?: CSSProperties }) {
  const shade = `${(SHADES[at % SHADES.length] ?? 1) * 100}%`;
  return (
    <span
      className="part block"
      title={bar.exact}
      data-hatched={at % 2 === 1 || undefined}
      data-muted={bar.rest}
      style={{ ...style, "--shade": shade } as CSSProperties}
    />
  );
}

/** One bar each, the longest first: what a whole is made of. */
export function BarList({ title, bars, note }: { title: string; bars: Bar[]; note?: string | undefined }) {
  const longest = bars.reduce((most, bar) => (bar.part > most ? bar.part : most), 0n);
  return (
    <details className="panel no-print mb-4">
      <summary className="px-3 py-2 text-text-2">{title}</summary>
      <ul className="bar-list px-3 pb-3">
        {bars.map((bar) => (
          <li key={bar.key} className="bar-row" title={bar.exact}>
            <BarLabel bar={bar} />
            <span aria-hidden="true" className="bar">
              <Part bar={bar} at={0} style={{ width: `${share(bar.part, longest) / 100}%` }} />
            </span>
            <span className="text-right text-text-2 whitespace-nowrap">{bar.value}</span>
          </li>
        ))}
      </ul>
      {note && <p className="border-border border-t px-3 py-2 text-text-2 text-xs">{note}</p>}
    </details>
  );
}

function BarLabel({ bar }: { bar: Bar }) {
  if (!bar.filter) return <span className="clip">{bar.label}</span>;
  return <FilterLink filter={bar.filter}>{bar.label}</FilterLink>;
}

/**
 * How the assets of one chart are called: each by its symbol, with its id beside it where there is none, or where
 * anything is odd about it: another is called or looks the same.
 */
export function chartLabels(
  native: { id: string; symbol: string } | null,
  assets: readonly ListedNames[],
): (asset: ListedNames) => ReactNode {
  const flagsOf = createFlagger({ native, peers: assets });
  return function label(asset) {
    const symbol = displaySymbol(asset);
    const nameless = symbol === displaySymbol({ ...asset, name: "", symbol: "" });
    return (
      <>
        <bdi>{symbol}</bdi>
        {(nameless || flagsOf(asset).length > 0) && (
          <span className="mono text-text-3"> {cutToText(cutId(asset.id))}</span>
        )}
      </>
    );
  };
}

/** `Other (12)` closes a chart that shows only its largest parts. */
export function otherBar(part: bigint, count: number, value: string, exact: string): Bar[] {
  if (count <= 0) return [];
  return [{ key: "other", label: `Other (${formatCount(count)})`, part, value, exact, rest: true }];
}

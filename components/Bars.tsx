import type { ReactNode } from "react";
import { formatCount } from "#lib/client/format.ts";
import { Link } from "./Link.tsx";

export interface Bar {
  key: string;
  label: ReactNode;
  /** Share of the whole, by exact integers. */
  part: bigint;
  value: string;
  /** Exact, for hovering. */
  exact: string;
  /** Filters the list by this one. */
  href?: string;
}

const PARTS = 10_000n;
/** Patterns beside shades, so that neighbours differ without colour. */
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
  let left = 0;
  return (
    <details className="panel no-print mb-4" open>
      <summary className="px-3 py-2 text-text-2">{title}</summary>
      <div className="px-3 pb-3">
        <svg
          role="img"
          aria-label={`${title}: ${bars.map((bar) => percent(bar.part, whole)).join(", ")}`}
          viewBox="0 0 10000 24"
          preserveAspectRatio="none"
          className="mb-2 block h-6 w-full rounded-md bg-sunken"
        >
          <desc>{title}. The list below has every part.</desc>
          <Hatch />
          {bars.map((bar, at) => {
            const width = share(bar.part, whole);
            const x = left;
            left += width;
            return <Part key={bar.key} x={x} width={width} at={at} title={bar.exact} />;
          })}
        </svg>
        <ul className="flex flex-wrap gap-x-5 gap-y-1">
          {bars.map((bar, at) => (
            <li key={bar.key} className="flex min-w-0 items-center gap-2" title={bar.exact}>
              <svg aria-hidden="true" width="12" height="12" viewBox="0 0 12 12" className="shrink-0">
                <Part x={0} width={12} at={at} height={12} />
              </svg>
              <BarLabel bar={bar} />
              <span className="whitespace-nowrap text-text-2">{percent(bar.part, whole)}</span>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
}

function Hatch() {
  return (
    <defs>
      <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="2" height="6" fill="var(--surface)" fillOpacity="0.55" />
      </pattern>
    </defs>
  );
}

function Part(props: { x: number; width: number; at: number; height?: number; title?: string }) {
  const { x, width, at, height = 24, title } = props;
  return (
    <g>
      {title && <title>{title}</title>}
      <rect
        x={x}
        width={width}
        height={height}
        fill="var(--accent)"
        fillOpacity={SHADES[at % SHADES.length]}
      />
      {at % 2 === 1 && height < 24 && <rect x={x} width={width} height={height} fill="url(#hatch)" />}
      <rect x={x + width} width={height < 24 ? 0 : 12} height={height} fill="var(--surface)" />
    </g>
  );
}

/** One bar each, the longest first: what a whole is made of. */
export function BarList({ title, bars, note }: { title: string; bars: Bar[]; note?: string | undefined }) {
  const longest = bars.reduce((most, bar) => (bar.part > most ? bar.part : most), 0n);
  return (
    <details className="panel no-print mb-4">
      <summary className="px-3 py-2 text-text-2">{title}</summary>
      <ul className="grid gap-1 px-3 pb-3">
        {bars.map((bar) => (
          <li key={bar.key} className="bar-row" title={bar.exact}>
            <BarLabel bar={bar} />
            <svg
              aria-hidden="true"
              viewBox="0 0 10000 10"
              preserveAspectRatio="none"
              className="h-3 w-full rounded-[3px] bg-sunken"
            >
              <rect width={share(bar.part, longest)} height="10" fill="var(--accent)" />
            </svg>
            <span className="text-right text-text-2 whitespace-nowrap">{bar.value}</span>
          </li>
        ))}
      </ul>
      {note && <p className="border-border border-t px-3 py-2 text-text-2 text-xs">{note}</p>}
    </details>
  );
}

function BarLabel({ bar }: { bar: Bar }) {
  if (!bar.href) return <span className="clip">{bar.label}</span>;
  return (
    <Link href={bar.href} scroll={false} className="clip">
      {bar.label}
    </Link>
  );
}

/** `Other (12)` closes a chart that shows only its largest parts. */
export function otherBar(part: bigint, count: number, value: string, exact: string): Bar[] {
  if (count <= 0) return [];
  return [{ key: "other", label: `Other (${formatCount(count)})`, part, value, exact }];
}

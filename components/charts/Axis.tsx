import { scaleLinear } from "d3-scale";
import type { ReactNode } from "react";
import { percent } from "./plot.ts";

/** A labelled line across a chart. */
export interface Level {
  /** Position from 0 at the bottom to 1 at the top. */
  at: number;
  text: string;
}

const LEVELS = 3;

/** Round amounts between two. Returns none if some of them would have the same text. */
export function levelsOf(from: number, to: number, level: (amount: number) => string): Level[] {
  const amounts = scaleLinear().domain([from, to]).ticks(LEVELS);
  const levels = amounts
    .filter((amount) => amount > from)
    .map((amount) => ({ at: (amount - from) / (to - from), text: level(amount) }));
  return new Set(levels.map(({ text }) => text)).size === levels.length ? withEqualDecimals(levels) : [];
}

/** Gives levels of the same unit as many decimals: `$1.000`, `$1.005` and `$1.010`. */
function withEqualDecimals(levels: Level[]): Level[] {
  const parts = levels.map(
    ({ text }) => /^(?<whole>\D*[\d,]+)\.?(?<decimals>\d*)(?<unit>\D*)$/.exec(text)?.groups,
  );
  if (parts.some((part) => part?.unit !== parts[0]?.unit)) return levels;
  const places = Math.max(...parts.map((part) => part?.decimals?.length ?? 0));
  if (places === 0) return levels;
  return levels.map((level, at) => {
    const { whole, decimals = "", unit } = parts[at]!;
    return { ...level, text: `${whole}.${decimals.padEnd(places, "0")}${unit}` };
  });
}

interface Props {
  levels: readonly Level[];
  className: string;
  children: ReactNode;
}

/** A drawing with lines at its levels. Place it in a grid with two columns: the labels take the first. */
export function Axis({ levels, className, children }: Props) {
  return (
    <>
      <div aria-hidden="true" className="grid">
        {levels.map(({ at, text }) => (
          <span
            key={at}
            className="relative col-start-1 row-start-1 translate-y-1/2 self-end pe-2 text-end text-text-3 text-xs tabular-nums"
            style={{ bottom: percent(at) }}
          >
            {text}
          </span>
        ))}
      </div>
      <div className={`relative ${className}`}>
        {levels.map(({ at }) => (
          <span key={at} className="absolute inset-x-0 border-t" style={{ bottom: percent(at) }} />
        ))}
        {children}
      </div>
    </>
  );
}

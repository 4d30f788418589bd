import { scaleLinear } from "d3-scale";
import type { ReactNode } from "react";
import { percent } from "./plot.ts";

/** A round amount, and how far up the drawing it stands, from 0 to 1. */
export interface Level {
  at: number;
  text: string;
}

/** Lines across, about so many. */
const LEVELS = 3;

/** Round amounts between two, by their places from 0 to 1; none if too close together to be told apart. */
export function levelsOf(from: number, to: number, level: (amount: number) => string): Level[] {
  const amounts = scaleLinear().domain([from, to]).ticks(LEVELS);
  const levels = amounts
    .filter((amount) => amount > from)
    .map((amount) => ({ at: (amount - from) / (to - from), text: level(amount) }));
  return new Set(levels.map(({ text }) => text)).size === levels.length ? levels : [];
}

interface Props {
  levels: readonly Level[];
  /** The height of the drawing. */
  className: string;
  children: ReactNode;
}

/** A drawing between its levels, which are named beside it. Both stand in a grid of two columns. */
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

import type { ReactNode } from "react";
import { percent } from "./plot.ts";

/** A round amount, and how far up the drawing it stands, from 0 to 1. */
export interface Level {
  at: number;
  text: string;
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

import { type Href, Link } from "#components/Link.tsx";
import { percent } from "./plot.ts";

export interface ChartMark {
  /** Index of the point. */
  at: number;
  text: string;
  href: Href;
}

interface Props extends Omit<ChartMark, "at"> {
  colour: string;
  /** Distance from the left, from 0 to 1. */
  x: number;
  /** Distances from the top, from 0 to 1, of the point and of the one before it. */
  y: number;
  before: number;
}

/** The text is at the left of points beyond this distance. */
const RIGHT = 0.6;

/** Keeps the link within the drawing: above it, its touch area would cover controls. */
const WITHIN = "100% - var(--height)";

/** Names the step to a point of a line, in the room that the step leaves free. */
export function Mark({ text, href, colour, x, y, before }: Props) {
  const isRight = x < RIGHT;
  // The line occupies one of the two levels on the side of the text. The other is free.
  const [level, free] = isRight ? [y, before] : [before, y];
  const offset = (from: (top: number) => number) =>
    `min(max(${percent(from(level))} + 4px, ${percent(from(free))} - var(--height)), ${WITHIN})`;
  return (
    <>
      <span
        aria-hidden="true"
        className="pointer-events-none absolute size-2 -translate-x-1/2 -translate-y-1/2 rounded-full"
        style={{ left: percent(x), top: percent(y), backgroundColor: colour }}
      />
      <span
        className={`pointer-events-none absolute inset-x-0 z-1 flex [--height:24px] pointer-coarse:[--height:44px] ${isRight ? "" : "flex-row-reverse"}`}
        style={isRight === y > before ? { bottom: offset((top) => 1 - top) } : { top: offset((top) => top) }}
      >
        {/* It shrinks if the text has no room beside the point. */}
        <span style={{ flexBasis: percent(isRight ? x : 1 - x) }} />
        <Link
          href={href}
          scroll
          className="pointer-events-auto mx-2 max-w-[calc(100%-16px)] flex-none truncate rounded-sm bg-bg/80 px-1 text-text-2 text-xs/6 pointer-coarse:py-2.5"
        >
          {text} <span aria-hidden="true">→</span>
        </Link>
      </span>
    </>
  );
}

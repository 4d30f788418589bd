"use client";

import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { hasModifier } from "#components/modifier.ts";
import { openPage } from "#components/navigation.tsx";
import { formatDifference } from "#lib/client/format.ts";
import { amountText, type ChartUnit } from "./amount-text.ts";
import { percent } from "./plot.ts";

interface Point {
  /** Distance from the left, from 0 to 1. */
  x: number;
  /** Distance from the top, from 0 to 1. */
  y: number;
  text: string;
  /** Absent if it is not known. */
  amount?: bigint;
  where: string;
  key: string;
}

interface Props {
  label: string;
  colour: string;
  points: readonly Point[];
  /** Parameters of the page of a point, which `at` names. */
  ofPoint?: Record<string, string> | undefined;
  /** Parameters of the page of a range, which `since` and `to` name. */
  ofRange?: Record<string, string> | undefined;
  unit?: ChartUnit | undefined;
}

/** Says what a range adds to the amount, or names both ends if one of them is not known. */
function changeText(low: Point, high: Point, unit: ChartUnit | undefined): string {
  if (low.amount === undefined || high.amount === undefined) return `${low.text} to ${high.text}`;
  return formatDifference(high.amount - low.amount, (size) => amountText(size, unit));
}

/** A mouse that moves less is still clicking. */
const CLICK_PX = 5;

/**
 * Shows a chart's points on hover and by keyboard. A click opens one. Dragging, or Shift with the arrow keys, selects a range.
 * A finger covers what it touches, so its choice stays, and a second tap on it opens it.
 */
export function PointReader({ label, colour, points, ofPoint, ofRange, unit }: Props) {
  const [at, setAt] = useState<number | null>(null);
  const [from, setFrom] = useState<number | null>(null);
  const pressedAt = useRef(0);
  /** Whether a finger has chosen what is shown, and whether it has tapped that again. */
  const [held, setHeld] = useState<"no" | "once" | "again">("no");
  const point = at === null ? undefined : points[at];
  const start = !ofRange || from === null || from === at ? undefined : points[from];

  const nearest = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const x = (clientX - left) / width;
    return points.reduce(
      (best, one, i) => (Math.abs(one.x - x) < Math.abs(points[best]!.x - x) ? i : best),
      0,
    );
  };
  function open(first: number, last: number) {
    const [low, high] = [points[Math.min(first, last)], points[Math.max(first, last)]];
    if (!low || !high) return;
    if (low === high) {
      if (ofPoint) openPage({ ...ofPoint, at: high.key });
    } else if (ofRange) {
      openPage({ ...ofRange, since: low.key, to: high.key });
    }
  }
  function onKeyDown(event: KeyboardEvent) {
    if (hasModifier(event)) return;
    const last = points.length - 1;
    const now = at ?? last;
    const steps: Record<string, number> = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: last };
    const next = steps[event.key];
    if (event.key === "Enter") open(from ?? now, now);
    else if (event.key === "Escape") setFrom(null);
    else if (next === undefined) return;
    else {
      setFrom(event.shiftKey && ofRange ? (from ?? now) : null);
      setAt(Math.min(Math.max(next, 0), last));
    }
    event.preventDefault();
  }
  function letGo() {
    setAt(null);
    setFrom(null);
    setHeld("no");
  }
  const isChosen = (here: number) => {
    if (at === null || from === null || !ofRange) return here === at;
    return here >= Math.min(at, from) && here <= Math.max(at, from);
  };
  const [low, high] = start && point && start.x > point.x ? [point, start] : [start, point];
  const title = low && high ? changeText(low, high, unit) : point?.text;
  const where = low && high ? `${low.where} to ${high.where}` : point?.where;
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(points.length - 1, 0)}
      aria-valuenow={at ?? points.length - 1}
      aria-valuetext={title ? `${title}, ${where}` : (points.at(-1)?.text ?? "")}
      className="absolute inset-0 cursor-crosshair touch-pan-y select-none rounded-md print:hidden"
      onPointerMove={(event) => {
        if (event.pointerType !== "touch" || (held === "no" && from !== null)) setAt(nearest(event));
      }}
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        // A range may end beyond the chart.
        event.currentTarget.setPointerCapture(event.pointerId);
        const here = nearest(event);
        pressedAt.current = event.clientX;
        if (held !== "no" && isChosen(here)) return setHeld("again");
        setHeld("no");
        setFrom(here);
        setAt(here);
      }}
      onPointerUp={(event) => {
        if (from === null) return;
        const isTouch = event.pointerType === "touch";
        if (isTouch && held === "no") return setHeld("once");
        const here = isTouch && at !== null ? at : nearest(event);
        const isClick = !isTouch && Math.abs(event.clientX - pressedAt.current) < CLICK_PX;
        open(ofRange && !isClick ? from : here, here);
        setFrom(null);
        setHeld("no");
      }}
      onPointerCancel={letGo}
      onPointerLeave={({ pointerType }) => pointerType !== "touch" && letGo()}
      onFocus={() => setAt((now) => now ?? points.length - 1)}
      onBlur={letGo}
      onKeyDown={onKeyDown}
    >
      {point && (
        <>
          {start && (
            <span
              className="absolute inset-y-0 bg-accent-bg opacity-60"
              style={{
                left: percent(Math.min(start.x, point.x)),
                width: percent(Math.abs(point.x - start.x)),
              }}
            />
          )}
          <span
            className="absolute inset-y-0 border-text-3 border-l border-dashed"
            style={{ left: percent(point.x) }}
          />
          <span
            className="absolute size-2.5 -translate-x-1/2 -translate-y-1/2 rounded-full border-2 bg-bg"
            style={{ left: percent(point.x), top: percent(point.y), borderColor: colour }}
          />
          <span
            // Below the plot: above it are controls, and the header. A finger would cover it there.
            className="pointer-events-none absolute top-full z-2 mt-1 w-max max-w-full rounded-md border bg-surface px-2 py-1 text-xs shadow-popover pointer-coarse:top-auto pointer-coarse:bottom-full pointer-coarse:mb-1"
            style={{ left: percent(point.x), transform: `translateX(${percent(-point.x)})` }}
          >
            <b className="block font-semibold text-text text-sm">{title}</b>
            <span className="text-text-2">{where}</span>
            {held !== "no" && (start ? ofRange : ofPoint) && (
              <span className="block text-text-2">Tap again to open</span>
            )}
          </span>
        </>
      )}
    </div>
  );
}

"use client";

import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Link } from "#components/Link.tsx";
import { hasModifier } from "#components/modifier.ts";
import { Time } from "#components/Time.tsx";
import { formatCount } from "#lib/client/format.ts";
import { Axis, type Level } from "./Axis.tsx";
import { highestDrawn, percent, share } from "./plot.ts";

export interface ChartColumn {
  key: string;
  amount: bigint;
  colour: string;
  /** Tooltip and accessible name of the column. */
  text: string;
  href: string;
  /** Stands at the top of the column if that is cut off. */
  short: string;
  /** The amount is unknown, such as that of a block without a priced asset. */
  unmeasured?: boolean;
}

/** A block at an end of the chart, or a time between them. */
type End = { height: number; timestamp?: number } | { height?: undefined; timestamp: number };

interface Props {
  label: string;
  columns: readonly ChartColumn[];
  /** Levels of the vertical axis, up to `highestDrawn`. */
  levels?: readonly Level[];
  ends: readonly End[];
  /** The columns' times, at which they stand. Without them all distances are the same. */
  times?: readonly number[];
}

const LEAST = "100% - 2px";
const HEIGHT_PX = 144;
/** Height of a line of texts above the columns. */
const LINE_PX = 16;

function onKeyDown(event: KeyboardEvent<HTMLUListElement>) {
  if (hasModifier(event)) return;
  const links = [...event.currentTarget.querySelectorAll("a")];
  const at = links.indexOf(event.target as HTMLAnchorElement);
  const steps: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: links.length - 1,
  };
  const next = steps[event.key];
  if (next === undefined) return;
  event.preventDefault();
  links[next]?.focus();
}

const SLIDE_MS = 300;

/**
 * Amounts of blocks as columns, each a link. The chart is one tab stop, and arrow keys move between its columns. Columns slide
 * when new blocks arrive, and fold when a reorganisation removes theirs.
 */
export function ColumnChart({ label, columns, levels = [], ends, times }: Props) {
  const [focused, setFocused] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const newest = columns.at(-1)?.key;
  const slidTo = useRef(newest);
  useEffect(() => {
    if (slidTo.current === newest) return;
    slidTo.current = newest;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const from = `translateX(${percent(1 / list.current!.childElementCount)})`;
    list.current!.animate([{ transform: from }, { transform: "none" }], {
      duration: SLIDE_MS,
      easing: "ease-out",
    });
  }, [newest]);
  const [drawn, setDrawn] = useState({ columns, gone: [] as readonly ChartColumn[], from: 0 });
  if (drawn.columns.at(-1)?.key !== newest) {
    const left = drawn.columns.findLastIndex(({ key }) => columns.some((one) => one.key === key));
    const from = columns.findIndex(({ key }) => key === drawn.columns[left]?.key) + 1;
    setDrawn({ columns, gone: left < 0 ? [] : drawn.columns.slice(left + 1), from });
  }
  const stop = columns.some(({ key }) => key === focused) ? focused : newest;
  const most = highestDrawn(columns.map(({ amount }) => amount));
  const places = placesOf(columns.length, times);
  const areas = times && areasOf(places);
  const lines = linesOf(columns, most, places);
  // The lines take their room from the columns. The boxes keep their sizes, so that nothing shifts when the lines change.
  const room = LINE_PX * (Math.max(-1, ...lines.values()) + 1);
  const drawnLevels = levels.map(({ at, text }) => ({ at: at * (1 - room / HEIGHT_PX), text }));
  return (
    <div className="grid grid-cols-[auto_minmax(0,1fr)]">
      <Axis levels={drawnLevels} className="overflow-x-clip border-b">
        <ul
          ref={list}
          aria-label={label}
          onKeyDown={onKeyDown}
          className="relative grid grid-rows-1 gap-px sm:gap-1"
          // The count fixes each column's place, even while a slow page is still loading.
          style={{
            gridTemplateColumns: `repeat(${columns.length}, minmax(0, 1fr))`,
            height: HEIGHT_PX,
          }}
        >
          {columns.map((column, at) => {
            const { key, text, href, short } = column;
            const line = lines.get(at);
            const gone = drawn.gone[at - drawn.from];
            const [place, area = 0, next = 1] = [places[at]!, areas?.[at], areas?.[at + 1]];
            const inner = {
              left: percent(areas ? (place - area) / (next - area) : 0.5),
              // The first and the last one stay within the chart.
              transform: `translateX(${percent(-place)})`,
            };
            return (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: a place keeps its element, so that nothing on the page shifts
                key={at}
                className={areas ? "absolute inset-y-0" : "relative h-full min-w-0"}
                style={areas && { left: percent(area), width: percent(next - area) }}
              >
                <Link
                  href={href}
                  title={text}
                  aria-label={text}
                  tabIndex={key === stop ? 0 : -1}
                  onFocus={() => setFocused(key)}
                  className="block h-full -outline-offset-2 hover:bg-sunken"
                >
                  <Bar
                    key={gone?.key}
                    column={column}
                    most={most}
                    room={room}
                    className={areas ? AT_TIME : gone && RISES}
                    style={areas && inner}
                  />
                </Link>
                {line !== undefined && (
                  <span
                    aria-hidden="true"
                    className="pointer-events-none absolute whitespace-nowrap px-1 text-text-2 text-xs"
                    style={{ ...inner, bottom: HEIGHT_PX - room + LINE_PX * line }}
                  >
                    {short}
                  </span>
                )}
                {gone && <Bar key={key} column={gone} most={most} room={room} className={FOLDS} />}
              </li>
            );
          })}
        </ul>
      </Axis>
      {/* A time between the ends is exactly in the middle. Phones have no room for it. */}
      <p className="col-start-2 mt-1.5 flex flex-wrap gap-x-4 whitespace-nowrap text-text-3 text-xs *:last:text-end [&>:is(:first-child,:last-child)]:flex-1 max-sm:[&>:not(:first-child,:last-child)]:hidden">
        {ends.map(({ height, timestamp }) => (
          <span key={height ?? "between"}>
            {height !== undefined && `Block ${formatCount(height)}`}
            {timestamp !== undefined && (
              <>
                {height !== undefined && " · "}
                <Time time={timestamp} short />
              </>
            )}
          </span>
        ))}
      </p>
    </div>
  );
}

/** Least distance of two texts in one line, as a part of the chart. */
const APART = 1 / 6;

/** Computes each column's place in the chart, from 0 to 1. */
function placesOf(count: number, times: Props["times"]): number[] {
  const even = Array.from({ length: count }, (_, at) => at / Math.max(count - 1, 1));
  if (!times) return even;
  const [first = 0] = times;
  const whole = (times.at(-1) ?? first) - first || 1;
  return times.map((time) => within(1, (time - first) / whole));
}

const within = (most: number, value: number) => Math.min(Math.max(value, 0), most);

/**
 * Divides the chart into the links of columns at these places: where each begins, and the end. The borders are halfway between
 * columns, but those of close ones are moved to both sides, so that each link is wide enough to be pressed.
 */
function areasOf(places: readonly number[]): number[] {
  const least = 1 / (2 * places.length);
  const borders = [0, ...places.slice(1).map((place, at) => (places[at]! + place) / 2), 1];
  const spare = borders.map((border, at) => within(1 / 2, border - at * least));
  return spare.map(
    (_, at) => at * least + (Math.max(...spare.slice(0, at + 1)) + Math.min(...spare.slice(at))) / 2,
  );
}

/** The lines of the texts above cut columns, from the lowest. Close ones are in different lines. */
function linesOf(
  columns: readonly ChartColumn[],
  most: bigint,
  places: readonly number[],
): ReadonlyMap<number, number> {
  const lines = new Map<number, number>();
  const ends: number[] = [];
  for (const [at, { amount }] of columns.entries()) {
    if (amount <= most) continue;
    const free = ends.findIndex((end) => places[at]! - end >= APART);
    const line = free < 0 ? ends.length : free;
    ends[line] = places[at]!;
    lines.set(at, line);
  }
  return lines;
}

/** Columns at their times may be over one another, and outside their links. That of the chosen link is in front. */
const AT_TIME =
  "absolute inset-y-0 z-1 w-1 sm:w-2 in-[a:is(:hover,:focus-visible)]:z-2 in-[a:is(:hover,:focus-visible)]:bg-text!";
const FOLDS =
  "pointer-events-none absolute inset-0 origin-bottom scale-y-0 transition-transform duration-200 motion-reduce:hidden starting:scale-y-100";
const RISES =
  "origin-bottom scale-y-100 transition-transform delay-200 duration-200 motion-reduce:transition-none starting:scale-y-0";

type BarProps = {
  column: ChartColumn;
  most: bigint;
  /** Pixels above the highest column. */
  room: number;
  className: string | undefined;
  style?: { left: string; transform: string } | undefined;
};

function Bar({ column: { amount, colour, unmeasured }, most, room, className = "", style }: BarProps) {
  return (
    <span
      className={`block h-full forced-color-adjust-none ${className}`}
      style={{
        ...style,
        clipPath: `inset(${unmeasured ? `calc(${LEAST})` : cutAbove(amount, most, room)} 0 0 0 round 3px 3px 0 0)`,
        backgroundColor: colour,
        opacity: unmeasured ? 0.5 : 1,
      }}
    />
  );
}

/** The inset above a column. Its height is exact, except that every amount above zero is visible. */
function cutAbove(amount: bigint, most: bigint, room: number): string {
  if (amount === 0n) return "100%";
  const part = Math.min(share(amount, most), 1);
  return `min(${percent(1 - part)} + ${room * part}px, ${LEAST})`;
}

import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";
import { Axis, levelsOf } from "./Axis.tsx";
import type { ChartUnit } from "./amount-text.ts";
import { type ChartMark, Dot, Mark } from "./Mark.tsx";
import { PointReader } from "./PointReader.tsx";
import { axisOf, percent, share } from "./plot.ts";

export interface ChartPoint {
  /** Milliseconds since the Unix epoch, ascending. */
  x: number;
  amount: bigint;
  /** The amount is not known. The line has a gap there. */
  unknown?: boolean;
  text: string;
  /** The point's place, such as `block 902 · 21 Nov 09:14`. */
  where: string;
  /** Identifies the point in links, such as its height. */
  key: string;
}

interface Props {
  caption: string;
  points: readonly ChartPoint[];
  colour?: string;
  /** Formats a round amount for the vertical axis. */
  level: (amount: number) => string;
  /** The point to name. */
  mark?: ChartMark | undefined;
  /** The height of the drawing. */
  className?: string;
  /** Parameters of the page of a point, which `at` names. */
  ofPoint?: Record<string, string>;
  /** Parameters of the page of a range, which `since` and `to` name. */
  ofRange?: Record<string, string>;
  /** The unit of a range's difference. */
  unit?: ChartUnit | undefined;
}

/** Units of the drawing, which is stretched to its box. */
const WIDTH = 1000;
const HEIGHT = 200;
/** Room above the highest point for its dot. */
const TOP = 12;
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** Chooses a format in which all times on an axis of this length differ. */
function timeFormat(length: number): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone: "UTC",
    day: "numeric",
    month: "short",
    ...(length < 3 * DAY && { hour: "2-digit", minute: "2-digit" }),
    ...(length < 3 * MINUTE && { second: "2-digit" }),
    ...(length > 300 * DAY && { year: "numeric" }),
  });
}

/** An amount over time. If its vertical axis does not begin at zero, the chart says so and has no filled area. */
export function AreaChart(props: Props) {
  const {
    caption,
    points,
    colour = "var(--color-accent)",
    level,
    mark,
    className = "h-44",
    ofPoint,
    ofRange,
    unit,
  } = props;
  const known = points.filter(({ unknown }) => !unknown);
  const { floor, top } = axisOf(known.map(({ amount }) => amount));
  const most = top - floor;
  const [start, end] = [points[0]?.x ?? 0, points.at(-1)?.x ?? 1];
  const x = scaleLinear().domain([start, end]).range([0, WIDTH]);
  const times = timeFormat(end - start);
  const y = scaleLinear().domain([0, 1]).range([HEIGHT, TOP]);
  const placed = points.map((point): [number, number] => [x(point.x), y(share(point.amount - floor, most))]);
  const levels = levelsOf(Number(floor), Number(top), level).map(({ at, text }) => ({
    at: 1 - y(at) / HEIGHT,
    text,
  }));
  const isKnown = (_: [number, number], at: number) => !points[at]!.unknown;
  const outline = line().defined(isKnown)(placed) ?? "";
  const ground = floor === 0n ? area().y0(HEIGHT).defined(isKnown)(placed) : null;
  // The note takes the place of the middle label.
  const labels = floor === 0n ? [0, 0.5, 1] : [0, 1];
  const marked = mark && points[mark.at];
  return (
    <figure className="m-0 grid grid-cols-[auto_minmax(0,1fr)]">
      {marked && (
        <Mark href={mark.href} text={`${times.format(marked.x)} UTC: ${mark.text}`} colour={colour} />
      )}
      <Axis levels={levels} className={className}>
        <svg
          aria-hidden="true"
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="absolute inset-0 size-full overflow-visible"
        >
          {ground && <path d={ground} fill={colour} opacity="0.12" />}
          <path
            d={outline}
            fill="none"
            stroke={colour}
            strokeWidth="2"
            strokeLinejoin="round"
            // A point between two gaps is a dot.
            strokeLinecap="round"
            vectorEffect="non-scaling-stroke"
          />
          <path d={`M0 ${HEIGHT}H${WIDTH}`} stroke="var(--color-border)" vectorEffect="non-scaling-stroke" />
        </svg>
        <PointReader
          label={caption}
          colour={colour}
          points={points.map(({ text, where, key, amount, unknown }, at) => {
            const [left, top] = placed[at]!;
            return { x: left / WIDTH, y: top / HEIGHT, text, where, key, ...(!unknown && { amount }) };
          })}
          ofPoint={ofPoint}
          ofRange={ofRange}
          unit={unit}
        />
        {marked && (
          <Dot
            colour={colour}
            className="absolute -translate-x-1/2 -translate-y-1/2"
            style={{ left: percent(placed[mark.at]![0] / WIDTH), top: percent(placed[mark.at]![1] / HEIGHT) }}
          />
        )}
      </Axis>
      <div className="@container col-start-2 mt-1 text-center text-text-3 text-xs">
        <div className="relative h-4 @max-lg:h-8">
          {floor > 0n && (
            <span className="@max-lg:absolute @max-lg:inset-x-0 @max-lg:bottom-0">
              The axis does not begin at zero.
            </span>
          )}
          {labels.map((at) => (
            <span
              key={at}
              aria-hidden="true"
              className="absolute top-0 whitespace-nowrap"
              // The first and the last label stay within the chart.
              style={{ left: percent(at), transform: `translateX(${percent(-at)})` }}
            >
              {times.format(start + at * (end - start))}
              {at === labels.at(-1) && " UTC"}
            </span>
          ))}
        </div>
      </div>
      <ol className="sr-only" aria-label={caption}>
        {points.map(({ key, where, text }) => (
          <li key={key}>{`${where}: ${text}`}</li>
        ))}
      </ol>
    </figure>
  );
}

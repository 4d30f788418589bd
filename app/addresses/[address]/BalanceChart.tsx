import { assetColour } from "#components/asset-colour.ts";
import { AreaChart, type ChartPoint } from "#components/charts/AreaChart.tsx";
import { amountText, type ChartUnit } from "#components/charts/amount-text.ts";
import { largest } from "#components/charts/plot.ts";
import { type AssetNames, displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, formatAmount, formatCount, formatDifference, formatLevel } from "#lib/client/format.ts";
import {
  type AddressSeries,
  MAX_SERIES_TRANSACTIONS,
  type SeriesPoint,
} from "#lib/queries/address-series.ts";
import { USD_DECIMALS } from "#lib/util/amounts.ts";
import { terms } from "#terms";
import { OTHER_TAB } from "./view.ts";

type DrawnAsset = AssetNames & { standard?: string };

interface Props {
  /** The asset to draw; null for the value of all. */
  token: DrawnAsset | null;
  series: Promise<AddressSeries | null>;
}

/** A message in place of the chart, with its height, so that nothing moves when the chart arrives. */
export const ChartRoom = ({ children }: { children?: string }) => (
  <div className={`flex h-59 items-center justify-center text-center text-text-3 sm:h-25 ${PINNED.room}`}>
    {children}
  </div>
);

/** The balance over time. Clicking a point opens the page as of its block; dragging opens the changes of a range. */
export async function BalanceChart({ token, series }: Props) {
  const read = await series;
  if (!read) return <ChartRoom>The chart could not be loaded. Reload the page to try again.</ChartRoom>;
  const { points } = read;
  if (!points) {
    const most = countOf(MAX_SERIES_TRANSACTIONS, "transaction");
    return <ChartRoom>{`More than ${most} in this span: choose a shorter one.`}</ChartRoom>;
  }
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return <ChartRoom>Nothing indexed yet</ChartRoom>;
  const unit = token ? unitOf(token) : undefined;
  const shown = points.map((point) => ({
    x: point.time,
    ...pointOf(point, unit),
    where: `block ${formatCount(point.height)} · ${timeText(point.timestamp)} UTC`,
    key: point.hash,
  }));
  if (token && shown.every(({ amount }) => amount === 0n)) {
    return <ChartRoom>{`No ${terms.output.one} of ${displaySymbol(token)} in this span.`}</ChartRoom>;
  }
  if (first.time === last.time) {
    const { text, where } = shown.at(-1)!;
    return <ChartRoom>{`One point in this span: ${text} at ${where}.`}</ChartRoom>;
  }
  const caption = token ? `Balance of ${displaySymbol(token)}` : "Value in US dollars";
  const mark = largestStep(shown, unit);
  return (
    // On wide windows the name of the step is beside the controls.
    <div className={mark ? "sm:-mt-1 xl:-mt-5" : "sm:-mt-1"}>
      <AreaChart
        caption={`${caption}, by block`}
        {...(token && { colour: assetColour(token.id) })}
        points={shown}
        className={`${mark ? "h-44 sm:h-15 xl:h-21" : "h-50 sm:h-21"} ${PINNED.plot}`}
        mark={mark}
        level={(amount) =>
          token ? formatLevel(amount, displayDecimals(token) ?? 0) : `$${formatLevel(amount, USD_DECIMALS)}`
        }
        ofPoint={{ ...OTHER_TAB, tab: "" }}
        ofRange={OF_RANGE}
        unit={unit}
      />
    </div>
  );
}

/** Classes of a chart below a notice, such as that of a past block or a partial index, which takes room from the first window. */
const PINNED = {
  room: "xl:in-[:is([role=status],details)~*]:h-22",
  plot: "xl:in-[:is([role=status],details)~*]:h-18",
};

function unitOf(token: DrawnAsset): ChartUnit {
  const decimals = displayDecimals(token);
  // An amount of unique tokens is a count: no decimals are missing.
  const isCount = terms.outputKind(token.standard ?? "")?.unique !== undefined;
  return {
    symbol: displaySymbol(token),
    decimals,
    raw: !isCount && !formatAmount(0n, decimals).scaled,
  };
}

function pointOf({ amount, valueUsd, unpriced }: SeriesPoint, unit: ChartUnit | undefined) {
  if (!unit && valueUsd === null) return { amount: 0n, text: "No price", unknown: true, unpriced };
  const exact = BigInt((unit ? amount : valueUsd) ?? "0");
  return { amount: exact, text: amountText(exact, unit), unpriced: unit ? 0 : unpriced };
}

/** A range ends by itself: on the page of a past state, that state would end it. */
const OF_RANGE = { tab: "changes", ...OTHER_TAB, at: "" };

/** `unpriced`: the number of assets that the value lacks. */
type ShownPoint = ChartPoint & { unpriced: number };

/** The chart names a step of at least the highest amount divided by this. */
const LEAST_STEP = 50n;

/** The largest step between two points, with a link to what moved; undefined if the line hardly moves. */
function largestStep(points: readonly ShownPoint[], unit: ChartUnit | undefined) {
  const sizeOf = (step: bigint) => (step < 0n ? -step : step);
  const steps = points.map((point, at) => {
    const before = points[at - 1];
    // An asset that gets its first price seems to come in.
    const isKnown = before && !before.unknown && !point.unknown && before.unpriced <= point.unpriced;
    return isKnown ? point.amount - before.amount : 0n;
  });
  const step = steps.reduce((most, one) => (sizeOf(one) > sizeOf(most) ? one : most), 0n);
  if (step === 0n || sizeOf(step) * LEAST_STEP < largest(points.map(({ amount }) => amount)))
    return undefined;
  const at = steps.indexOf(step);
  return {
    at,
    text: formatDifference(step, (size) => amountText(size, unit)),
    href: { ...OF_RANGE, since: points[at - 1]!.key, to: points[at]!.key },
  };
}

const timeText = (time: number) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", dateStyle: "medium", timeStyle: "short" }).format(time);

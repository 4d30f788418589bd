import { assetColour } from "#components/asset-colour.ts";
import { AreaChart } from "#components/charts/AreaChart.tsx";
import { type AssetNames, displayDecimals, displaySymbol } from "#lib/client/chain-text.ts";
import { countOf, formatAmount, formatCount, formatLevel, formatUsd } from "#lib/client/format.ts";
import { changeParameters } from "#lib/client/url-state.ts";
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
  path: string;
  /** The asset to draw; null for the value of all. */
  token: DrawnAsset | null;
  series: Promise<AddressSeries | null>;
}

/** A message in place of the chart, with its height, so that nothing moves when the chart arrives. */
export const ChartRoom = ({ children }: { children?: string }) => (
  <div className="flex h-54 items-center justify-center text-center text-text-3">{children}</div>
);

/** The balance over time. Clicking a point opens the page as of its block; dragging opens the changes of a range. */
export async function BalanceChart({ path, token, series }: Props) {
  const read = await series;
  if (!read) return <ChartRoom>The chart could not be loaded. Reload the page to try again.</ChartRoom>;
  const { points } = read;
  if (!points) {
    const most = countOf(MAX_SERIES_TRANSACTIONS, "transaction");
    return <ChartRoom>{`More than ${most} in this span: choose a shorter one.`}</ChartRoom>;
  }
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return <ChartRoom>Nothing indexed yet</ChartRoom>;
  const shown = points.map((point) => ({
    x: point.time,
    ...amountOf(point, token),
    where: `block ${formatCount(point.height)} · ${timeText(point.timestamp)}`,
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
  return (
    <AreaChart
      caption={`${caption}, by block`}
      {...(token && { colour: assetColour(token.id) })}
      points={shown}
      level={(amount) =>
        token ? formatLevel(amount, displayDecimals(token) ?? 0) : `$${formatLevel(amount, USD_DECIMALS)}`
      }
      openPath={changeParameters(path, { ...OTHER_TAB, tab: "" })}
      rangePath={changeParameters(path, { ...OTHER_TAB, tab: "changes" })}
    />
  );
}

function amountOf({ amount, valueUsd }: SeriesPoint, token: DrawnAsset | null) {
  if (token) {
    const { exact, scaled } = formatAmount(amount ?? "0", displayDecimals(token));
    return {
      amount: BigInt(amount ?? "0"),
      text: `${scaled || isUnique(token) ? "" : "raw "}${exact} ${displaySymbol(token)}`,
    };
  }
  if (valueUsd === null) return { amount: 0n, text: "No price" };
  return { amount: BigInt(valueUsd), text: formatUsd(BigInt(valueUsd)).text };
}

/** An amount of unique tokens is a count: no decimals are missing. */
const isUnique = ({ standard = "" }: DrawnAsset) => terms.outputKind(standard)?.unique !== undefined;

const timeText = (time: number) =>
  new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", dateStyle: "medium", timeStyle: "short" }).format(time);

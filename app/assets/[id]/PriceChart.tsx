import { AreaChart } from "#components/charts/AreaChart.tsx";
import { largest, smallest } from "#components/charts/plot.ts";
import { formatLevel, formatPrice, formatUtc } from "#lib/client/format.ts";
import type { PriceAt } from "#lib/queries/prices.ts";
import { PRICE_DECIMALS } from "#lib/util/amounts.ts";

/** Maximum number of points of the chart. */
const POINTS = 120;

interface Props {
  prices: readonly PriceAt[];
  /** The first indexed block with the asset; null if there is none. */
  firstBlock: { timestamp: number } | null;
  /** Blocks are missing, so an earlier one may have the asset. */
  isPartial: boolean;
  colour: string;
}

/** The price over time, from at least two prices. Of many, it shows the last of each interval. */
export function PriceChart({ prices, firstBlock, isPartial, colour }: Props) {
  const drawn = firstBlock && !isPartial ? pricesSince(prices, firstBlock.timestamp) : prices;
  if (drawn.length < 2) return null;
  const [first, last] = [drawn[0]!.time, drawn.at(-1)!.time];
  const interval = (time: number) => Math.floor(((time - first) * (POINTS - 1)) / Math.max(last - first, 1));
  const shown = drawn.filter(
    ({ time }, at) => at === 0 || interval(time) !== interval(drawn[at + 1]?.time ?? Number.NaN),
  );
  const amounts = drawn.map(({ usd }) => BigInt(usd));
  const [least, most] = [smallest(amounts), largest(amounts)].map((usd) => formatPrice(usd).text);
  return (
    <div>
      <p className="mb-2 text-text-2 text-xs">
        {least === most ? `Price, ${most}` : `Price, from ${least} to ${most}`}
      </p>
      <AreaChart
        caption="Price, US dollars"
        colour={colour}
        className="h-44 sm:h-24"
        points={shown.map(({ usd, time }) => ({
          x: time,
          amount: BigInt(usd),
          text: formatPrice(BigInt(usd)).text,
          where: formatUtc(time),
          key: String(time),
        }))}
        level={(amount) => `$${formatLevel(amount, PRICE_DECIMALS)}`}
      />
    </div>
  );
}

/** The price in force at a time, moved to that time, and the later ones. Prices from before the asset existed are left out. */
function pricesSince(prices: readonly PriceAt[], since: number): readonly PriceAt[] {
  const inForce = prices.findLastIndex(({ time }) => time <= since);
  return inForce < 0 ? prices : [{ ...prices[inForce]!, time: since }, ...prices.slice(inForce + 1)];
}

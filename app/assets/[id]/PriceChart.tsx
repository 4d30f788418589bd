import { AreaChart } from "#components/charts/AreaChart.tsx";
import { formatLevel, formatPrice, formatUtc } from "#lib/client/format.ts";
import { PRICE_DECIMALS } from "#lib/contract/amounts.ts";
import type { PriceAt } from "#lib/questions/prices.ts";

/** Points of the chart, at most. */
const POINTS = 120;

/** Prices from a time on, which begin with the one that was in force then: before an asset exists, its price says nothing. */
export function pricesSince(prices: PriceAt[], since: number): PriceAt[] {
  const inForce = prices.findLastIndex(({ time }) => time <= since);
  return inForce < 0 ? prices : [{ ...prices[inForce]!, time: since }, ...prices.slice(inForce + 1)];
}

/** Prices as they came into force; of many, the last of each stretch of time. */
export function PriceChart({ prices, colour }: { prices: PriceAt[]; colour: string }) {
  const [first, last] = [prices[0]!.time, prices.at(-1)!.time];
  const stretch = (time: number) => Math.floor(((time - first) * (POINTS - 1)) / Math.max(last - first, 1));
  const shown = prices.filter(
    ({ time }, at) => at === 0 || stretch(time) !== stretch(prices[at + 1]?.time ?? Number.NaN),
  );
  const amounts = shown.map(({ usd }) => BigInt(usd)).toSorted((one, other) => (one < other ? -1 : 1));
  return (
    <div>
      <p className="mb-2 text-text-2 text-xs">
        Price, from {formatPrice(amounts[0]!).text} to {formatPrice(amounts.at(-1)!).text}
      </p>
      <AreaChart
        caption="Price, US dollars"
        colour={colour}
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

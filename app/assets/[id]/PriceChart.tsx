import { AreaChart } from "#components/charts/AreaChart.tsx";
import { formatLevel, formatPrice, formatUtc } from "#lib/client/format.ts";
import { PRICE_DECIMALS } from "#lib/contract/amounts.ts";
import type { PriceAt } from "#lib/questions/prices.ts";

/** Points of the chart, at most. */
const POINTS = 120;

/** Prices as they came into force; of many, the last of each stretch of time. */
export function PriceChart({ prices, colour }: { prices: PriceAt[]; colour: string }) {
  const [first, last] = [prices[0]!.time, prices.at(-1)!.time];
  const stretch = (time: number) => Math.floor(((time - first) * (POINTS - 1)) / Math.max(last - first, 1));
  const shown = prices.filter(
    ({ time }, at) => at === 0 || stretch(time) !== stretch(prices[at + 1]?.time ?? Number.NaN),
  );
  const amounts = shown.map(({ usd }) => BigInt(usd)).toSorted((one, other) => (one < other ? -1 : 1));
  const [lowest, highest] = [amounts[0]!, amounts.at(-1)!];
  const below = lowest - (highest - lowest) / 4n;
  return (
    <div>
      <p className="mb-2 text-text-2 text-xs">
        Price, from {formatPrice(lowest).text} to {formatPrice(highest).text}
        {highest > lowest && below > 0n && "; the axis does not begin at zero"}
      </p>
      <AreaChart
        caption="Price, US dollars"
        colour={colour}
        floor={highest > lowest && below > 0n ? below : 0n}
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

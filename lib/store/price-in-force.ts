/** The last price at or before `time`, of prices in order of time; undefined before the first. */
export function priceInForce(prices: { time: number; usd: bigint }[], time: number): bigint | undefined {
  let low = 0;
  let high = prices.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (prices[middle]!.time <= time) low = middle + 1;
    else high = middle;
  }
  return prices[low - 1]?.usd;
}

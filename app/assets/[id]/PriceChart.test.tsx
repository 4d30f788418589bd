import { expect, test } from "vitest";
import { pricesSince } from "./PriceChart.tsx";

test("prices begin with the one in force when the asset came, at that time", () => {
  const prices = [1, 2, 3].map((day) => ({ time: day * 100, usd: String(day) }));
  expect(pricesSince(prices, 250)).toEqual([
    { time: 250, usd: "2" },
    { time: 300, usd: "3" },
  ]);
  expect(pricesSince(prices, 100)).toEqual(prices);
  expect(pricesSince(prices, 50)).toEqual(prices);
});

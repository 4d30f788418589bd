import { expect, test } from "vitest";
import { priceInForce } from "./values.ts";

test("the price in force is the last one at or before the time", () => {
  const prices = [10, 20, 30].map((time) => ({ time, usd: BigInt(time) }));
  const inForce = [9, 10, 19, 20, 31].map((time) => priceInForce(prices, time));
  expect(inForce).toEqual([null, 10n, 10n, 20n, 30n]);
  expect(priceInForce([], 10)).toBeNull();
});

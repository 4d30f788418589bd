import { expect, test } from "vitest";
import { PRICE_DECIMALS, parseDecimal, toUnits, USD_DECIMALS, valueInUsd } from "#lib/util/amounts.ts";
import { amountFormula, priceLines } from "./receipts.ts";

test("a formula has every digit, from the raw integer to the value", () => {
  const amount = 2n ** 128n - 1n;
  expect(amountFormula(amount, 38)).toBe(
    "340282366920938463463374607431768211455 / 10^38 = 3.40282366920938463463374607431768211455",
  );
  expect(amountFormula("5", 0)).toBe("5 / 10^0 = 5");
  const price = "0.000000000000000123";
  const value = valueInUsd(amount, 18, parseDecimal(price, PRICE_DECIMALS)!);
  const inForce = { usd: price, time: 0 };
  expect(priceLines("Value", amount, 18, inForce, toUnits(value, USD_DECIMALS))).toEqual([
    ["Price", `$${price}`, "for one whole token, in force from 1970-01-01 00:00:00 UTC"],
    [
      "Value",
      "340282366920938463463.374607431768211455 × $0.000000000000000123 = $41854.73113127 (cut at 8 decimals)",
    ],
  ]);
});

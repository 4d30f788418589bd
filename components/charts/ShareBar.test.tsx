import { expect, test } from "vitest";
import { type Shares, sharesIn } from "#lib/client/format.ts";
import { REST, shareInUsd, sharesOfParts } from "./ShareBar.tsx";

const asset = { asset: { id: "0x1", name: "", symbol: "A", decimals: 8 }, flags: [] };
const parts = [40_004n, 30_004n].map((amount, at) => shareInUsd(`${at}`, "A", amount));
const [first, second, last] = [
  ["0", 40_004n],
  ["1", 30_004n],
  ["holder", 29_992n],
] as const;

test("a part that sums up others has what the rest leaves of 100 %, and all others the shares of their lists", () => {
  const textsOf = (key: string, shares: Shares, more = {}) =>
    sharesOfParts([...parts.map((part) => ({ ...part, ...more })), shareInUsd(key, key, 29_992n)], shares);
  const [alone, known] = [sharesIn(100_000n, []), sharesIn(100_000n, [first, second, last])];
  expect(textsOf(REST, alone)).toEqual(["40.00 %", "30.00 %", "30.00 %"]);
  expect(textsOf("5 more", alone, { asset })).toEqual(["40.00 %", "30.00 %", "30.00 %"]);
  expect(textsOf("holder", alone)).toEqual(["40.00 %", "30.00 %", "29.99 %"]);
  expect(textsOf("holder", known)).toEqual(["40.01 %", "30.00 %", "29.99 %"]);
});

import { expect, test } from "vitest";
import { REST, shareInUsd, sharesOfParts } from "./ShareBar.tsx";

const asset = { asset: { id: "0x1", name: "", symbol: "A", decimals: 8 }, flags: [] };
const parts = [40_004n, 30_004n].map((amount, at) => shareInUsd(`${at}`, "A", amount));

test("a part that sums up others has what the rest leaves of 100 %, and all others their own shares", () => {
  const last = (key: string) => shareInUsd(key, key, 29_992n);
  const [others, single] = [
    ["40.00 %", "30.00 %", "30.00 %"],
    ["40.00 %", "30.00 %", "29.99 %"],
  ];
  expect(sharesOfParts([...parts, last(REST)])).toEqual(others);
  expect(sharesOfParts([...parts.map((part) => ({ ...part, asset })), last("5 more")])).toEqual(others);
  expect(sharesOfParts([...parts, last("a holder")])).toEqual(single);
});

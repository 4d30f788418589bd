import { expect, test } from "vitest";
import { coverageText, type HeightRange, MAX_COVERED_RANGES } from "./coverage.ts";

test("an index without gaps needs no list of what it covers", () => {
  expect(coverageText(14_334_249, [])).toBeUndefined();
});

test("single heights and ranges are listed between the gaps, up to the tip", () => {
  const gaps = [
    { from: 0, to: 12_043_750 },
    { from: 12_043_752, to: 14_110_308 },
  ];
  expect(coverageText(14_110_312, gaps)).toBe("12043751, 14110309-14110312");
  expect(coverageText(9, [{ from: 3, to: 8 }])).toBe("0-2, 9");
});

test("beyond ten ranges, the list ends with an ellipsis", () => {
  const gapsAtOdd = (count: number): HeightRange[] =>
    Array.from({ length: count }, (_, at) => ({ from: 2 * at + 1, to: 2 * at + 1 }));
  expect(coverageText(18, gapsAtOdd(9))).toBe("0, 2, 4, 6, 8, 10, 12, 14, 16, 18");
  expect(coverageText(20, gapsAtOdd(10))).toBe("0, 2, 4, 6, 8, 10, 12, 14, 16, 18, …");
  // Stores read as many gaps. The tip is far above the last of them.
  expect(coverageText(900, gapsAtOdd(MAX_COVERED_RANGES + 1))).toBe("0, 2, 4, 6, 8, 10, 12, 14, 16, 18, …");
});

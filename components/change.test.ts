import { expect, test } from "vitest";
import { changeColour, changeOf } from "./change.ts";

test("a change has its sign and two decimals, and one that nobody can picture is cut", () => {
  expect([changeOf(150n, 100n), changeOf(99n, 200n), changeOf(7n, 7n)].map(({ text }) => text)).toEqual([
    "+50.00 %",
    "−50.50 %",
    "0.00 %",
  ]);
  expect(
    [changeOf(100_000_001n, 100_000_000n), changeOf(99_999n, 100_000n), changeOf(200_003n, 100_000n)].map(
      ({ text }) => text,
    ),
  ).toEqual(["< +0.01 %", "> −0.01 %", "+100.00 %"]);
  expect([changeOf(1_099n, 100n), changeOf(1_100n, 100n), changeOf(5n, 0n)].map(({ text }) => text)).toEqual([
    "+999.00 %",
    "> +999 %",
    "new",
  ]);
});

test("only if nothing is left, all of it went", () => {
  expect([changeOf(1n, 100_000n), changeOf(0n, 100_000n)].map(({ text }) => text)).toEqual([
    "> −100.00 %",
    "−100.00 %",
  ]);
});

test("what grew is green, what shrank is red, and no change is grey", () => {
  expect([1n, -1n, 0n].map(changeColour)).toEqual(["text-good", "text-bad", "text-text-3"]);
});

// @vitest-environment happy-dom
import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { formatLevel } from "#lib/client/format.ts";
import { AreaChart } from "./AreaChart.tsx";

function levels(amounts: bigint[], floor = 0n) {
  const { container } = render(
    <AreaChart
      caption="Balance"
      points={amounts.map((amount, x) => ({ x, amount, text: String(amount), where: "", key: String(x) }))}
      floor={floor}
      level={(amount) => formatLevel(amount, 0)}
      ticks={[]}
    />,
  );
  return [...container.querySelectorAll<HTMLElement>("span[aria-hidden][style*=bottom]")].map(
    ({ textContent, style }) => [textContent, Number.parseFloat(style.bottom)],
  );
}

test("the vertical axis has round amounts, each as high as a point of this amount", () => {
  expect(levels([0n, 2_000_000n])).toEqual([
    ["500K", 23.5],
    ["1M", 47],
    ["1.5M", 70.5],
    ["2M", 94],
  ]);
  expect(levels([100n, 300n], 100n)).toEqual([
    ["150", 23.5],
    ["200", 47],
    ["250", 70.5],
    ["300", 94],
  ]);
});

test("a single amount is a dot at its height", () => {
  const { container } = render(
    <AreaChart
      caption="Balance"
      points={[{ x: 7, amount: 5n, text: "5", where: "block 7", key: "7" }]}
      level={String}
      ticks={[]}
    />,
  );
  const { left, bottom } = container.querySelector<HTMLElement>(".rounded-full[style*=bottom]")!.style;
  expect([left, bottom]).toEqual(["50%", "94%"]);
});

test("amounts that the axis could not tell apart have no lines", () => {
  expect(levels([1_000_001n, 1_000_009n], 1_000_000n)).toEqual([]);
  expect(levels([0n, 0n])).toEqual([]);
});

import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { setUpParts } from "#components/testing/parts.tsx";
import { formatLevel } from "#lib/client/format.ts";
import { AreaChart } from "./AreaChart.tsx";
import { axisOf, highestDrawn } from "./plot.ts";
import { Sparkline } from "./Sparkline.tsx";

setUpParts();

function chart(amounts: bigint[], step = 1) {
  const points = amounts.map((amount, at) => ({
    ...{ x: at * step, amount, text: String(amount), where: "", key: String(at) },
  }));
  const level = (amount: number) => formatLevel(amount, 0);
  return render(<AreaChart caption="Balance" points={points} level={level} />).container;
}

function levels(...shown: Parameters<typeof chart>) {
  const container = chart(...shown);
  return [...container.querySelectorAll<HTMLElement>("[aria-hidden] > [style*=bottom]")].map(
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
});

test("levels of one unit have equally many decimals", () => {
  expect(levels([900_000n, 1_200_000n]).map(([text]) => text)).toEqual(["900K", "1M", "1.1M", "1.2M"]);
  expect(levels([1_400_000n, 1_560_000n]).map(([text]) => text)).toEqual([
    "1.40M",
    "1.45M",
    "1.50M",
    "1.55M",
  ]);
});

test("the axis does not begin at zero if amounts would look alike, and says so", () => {
  const note = "The axis does not begin at zero.";
  expect(levels([300n, 400n])).toEqual([
    ["300", 18.8],
    ["350", 56.4],
    ["400", 94],
  ]);
  expect(chart([300n, 400n]).textContent).toContain(note);
  for (const amounts of [
    [200n, 400n],
    [400n, 400n],
    [0n, 1n],
  ]) {
    expect(chart(amounts).textContent).not.toContain(note);
  }
});

test("a small move looks small: the axis spans two percent, and the area is filled only above zero", () => {
  expect(axisOf([1_000_000n, 1_001_000n])).toEqual({ floor: 990_490n, top: 1_010_510n });
  expect(axisOf([100n, 101n])).toEqual({ floor: 99n, top: 101n });
  expect(axisOf([1_000_000n, 1_500_000n])).toEqual({ floor: 875_000n, top: 1_500_000n });
  const filled = (amounts: bigint[]) => chart(amounts).querySelector("path[opacity]") !== null;
  expect([filled([300n, 400n]), filled([0n, 400n]), filled([400n, 400n])]).toEqual([false, true, true]);
});

test("a small move of a sparkline looks small, too", () => {
  const { container } = render(<Sparkline amounts={[1_000_000n, 1_001_000n]} />);
  const [from, to] = [
    ...container
      .querySelector("path")!
      .getAttribute("d")!
      .matchAll(/,([\d.]+)/g),
  ];
  expect(Math.abs(Number(from![1]) - Number(to![1]))).toBeLessThan(2);
});

test("levels with equal texts are not drawn", () => {
  expect(levels([1_000_001n, 1_000_009n])).toEqual([]);
  expect(levels([0n, 0n])).toEqual([]);
});

test("the times below the chart differ, however short it is", () => {
  const times = (length: number) =>
    [...chart([1n, 2n], length).querySelectorAll("[aria-hidden][style*=left]")].map(
      ({ textContent }) => textContent,
    );
  expect(times(20_000)).toEqual(["1 Jan, 00:00:00", "1 Jan, 00:00:10", "1 Jan, 00:00:20 UTC"]);
  expect(times(2 * 3_600_000)).toEqual(["1 Jan, 00:00", "1 Jan, 01:00", "1 Jan, 02:00 UTC"]);
  expect(times(10 * 86_400_000)).toEqual(["1 Jan", "6 Jan", "11 Jan UTC"]);
});

test("an outlier does not flatten the other amounts", () => {
  expect(highestDrawn([1n, 2n, 3n, 4n, 1000n])).toBe(8n);
  expect(highestDrawn([1n, 2n, 3n, 4n, 5n])).toBe(5n);
  const outliers = (count: number) => highestDrawn([...Array(30 - count).fill(1n), ...Array(count).fill(9n)]);
  expect([outliers(3), outliers(4)]).toEqual([2n, 9n]);
  expect(highestDrawn([0n, 0n, 0n, 7n])).toBe(7n);
});

test("the line has a gap where the amount is not known, and its axis ignores these points", () => {
  const points = [300n, 400n, 0n, 350n, 360n].map((amount, at) => ({
    ...{ x: at, amount, text: String(amount), where: "", key: String(at), unknown: amount === 0n },
  }));
  const level = (amount: number) => formatLevel(amount, 0);
  const { container } = render(<AreaChart caption="Value" points={points} level={level} />);
  expect(container.textContent).toContain("The axis does not begin at zero.");
  expect(container.querySelector("path")!.getAttribute("d")).toMatch(/^M[^M]*M[^M]*$/);
});

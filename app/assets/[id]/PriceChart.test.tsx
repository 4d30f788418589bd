import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { setUpParts } from "#components/testing/parts.tsx";
import { PriceChart } from "./PriceChart.tsx";

setUpParts();

const HOUR = 3_600_000;
/** One, two and three o'clock. */
const pricesOf = (dollars: number[]) =>
  dollars.map((usd, at) => ({ time: (at + 1) * HOUR, usd: `${usd}${"0".repeat(18)}` }));

/** The text above the chart, and its points. */
function drawn(firstBlockAt: number | null, isPartial = false, dollars = [2, 1, 3]) {
  const { container } = render(
    <PriceChart
      prices={pricesOf(dollars)}
      firstBlock={firstBlockAt === null ? null : { timestamp: firstBlockAt * HOUR }}
      isPartial={isPartial}
      colour="red"
    />,
  );
  const points = [...container.querySelectorAll("li")].map(({ textContent }) => textContent?.slice(11));
  return [container.querySelector("p")?.textContent, ...points];
}

test("prices begin with the one in force when the asset first appeared", () => {
  const range = "Price, from $1.00 to $3.00";
  const all = [range, "01:00:00 UTC: $2.00", "02:00:00 UTC: $1.00", "03:00:00 UTC: $3.00"];
  expect(drawn(2.5)).toEqual([range, "02:30:00 UTC: $1.00", "03:00:00 UTC: $3.00"]);
  expect(drawn(1)).toEqual(all);
  expect(drawn(0.5)).toEqual(all);
  expect(drawn(null)).toEqual(all);
});

test("on a partial index the first indexed block does not begin the prices", () => {
  expect(drawn(2.5, true)).toEqual(drawn(null));
});

test("prices that read alike are shown as one", () => {
  expect(drawn(null, false, [2, 2])[0]).toBe("Price, $2.00");
});

test("one price is no chart", () => {
  expect(drawn(3)).toEqual([undefined]);
});

test("the axis of a very small price stays short, and its points stay exact", () => {
  const tiny = [1, 3].map((usd, at) => ({ time: (at + 1) * HOUR, usd: String(usd) }));
  const { container } = render(<PriceChart prices={tiny} firstBlock={null} isPartial={false} colour="red" />);
  const levels = [...container.querySelectorAll("[aria-hidden] > [style*=bottom]")];
  expect(levels.map(({ textContent }) => textContent)).toEqual(["$1e-18", "$2e-18", "$3e-18"]);
  const points = [...container.querySelectorAll("li")];
  expect(points.map(({ textContent }) => textContent?.split(": ")[1])).toEqual([
    "$0.000000000000000001",
    "$0.000000000000000003",
  ]);
});

import { cleanup, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { terms } from "#terms";
import { BalanceChart } from "./BalanceChart.tsx";

setUpParts();

const block = { height: 7, hash: "0x7", timestamp: 0 };
const point = { ...block, time: 0, amount: "5000", valueUsd: null, unpriced: 1 };

test.each([
  ["marks the raw integer of a token whose decimals are unknown", { decimals: 0 }, "raw 5,000 Unnamed"],
  ["counts NFTs, which need no decimals", { decimals: 0, standard: "Spore" }, "5,000 Unnamed"],
  ["has the units of a token whose decimals are known", { decimals: 2 }, "50 Unnamed"],
])("a chart of one point %s", async (_, token, text) => {
  const series = Promise.resolve({ points: [point], dayAgo: null, weekAgo: null });
  const asset = { id: "0x1", name: "", symbol: "", ...token };
  const { container } = render(await BalanceChart({ token: asset, series }));
  expect(container.textContent).toContain(`: ${text} at block 7`);
});

test("the largest step is named beside the plot, and leads to what moved", async () => {
  const DAY = 86_400_000;
  const drawn = async (...values: (number | null)[]) => {
    const points = values.map((dollars, at) => ({
      ...point,
      ...{ hash: `0x${at}`, time: at * DAY, valueUsd: dollars === null ? null : `${dollars}00000000` },
    }));
    const series = Promise.resolve({ points, dayAgo: null, weekAgo: null });
    cleanup();
    renderPart(await BalanceChart({ token: null, series }), {
      search: "from=c1&token=0x01&at=0x9",
    });
    return document.querySelector("a");
  };
  const step = await drawn(1000, 1100, 900, 950);
  expect(step?.textContent).toContain("3 Jan UTC: −$200.00");
  expect(screen.getByRole("slider").parentElement!.contains(step)).toBe(false);
  expect(step?.getAttribute("href")).toBe("/?token=0x01&tab=changes&since=0x1&to=0x2");
  expect((await drawn(null, 1000, 1100, 1090))?.textContent).toContain("+$100.00");
  expect(await drawn(1000, 1001, 1002)).toBeNull();
});

test("an asset that the address did not hold in a span has a sentence instead of a chart", async () => {
  const drawn = async (amounts: string[]) => {
    const points = amounts.map((amount, at) => ({ ...point, hash: `0x${at}`, time: at, amount }));
    const series = Promise.resolve({ points, dayAgo: null, weekAgo: null });
    return render(await BalanceChart({ token: terms.native, series })).container;
  };
  for (const none of [["0"], ["0", "0"]]) {
    expect((await drawn(none)).textContent).toBe("No cell of CKB in this span.");
  }
  expect((await drawn(["0", "1"])).querySelector("svg")).not.toBeNull();
});

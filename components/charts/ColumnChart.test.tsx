// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { ColumnChart } from "./ColumnChart.tsx";

setUpParts();

test("columns are as high as their amounts; the lowest are just visible, and zero is not drawn", () => {
  const columns = [0n, 1n, 500n, 1_000n].map((amount) => ({
    ...{ key: String(amount), amount, colour: "red", text: String(amount), href: `/blocks/${amount}` },
  }));
  const ends = [
    { height: 1_000, timestamp: 0 },
    { height: 1_003, timestamp: 0 },
  ] as const;
  renderPart(<ColumnChart label="Moved" columns={columns} ends={ends} />);
  const tops = [...document.querySelectorAll<HTMLElement>("a > span")].map(
    ({ style }) => /^inset\((.*) 0 0 0 round/.exec(style.clipPath)?.[1],
  );
  expect(tops).toEqual(["100%", "min(99.9%, 100% - 2px)", "min(50%, 100% - 2px)", "min(0%, 100% - 2px)"]);
  expect(document.querySelector("p")?.textContent).toMatch(/^1,000 · .*1,003 · /);
});

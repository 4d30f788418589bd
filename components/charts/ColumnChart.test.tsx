// @vitest-environment happy-dom
import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { ColumnChart } from "./ColumnChart.tsx";

test("columns are as high as their amounts; the lowest are just visible, and zero is not drawn", () => {
  const columns = [0n, 1n, 500n, 1_000n].map((amount) => ({
    ...{ key: String(amount), amount, colour: "red", text: String(amount), href: `/blocks/${amount}` },
  }));
  const { container } = render(<ColumnChart label="Moved" columns={columns} ends={["", ""]} />);
  const tops = [...container.querySelectorAll<HTMLElement>("a > span")].map(
    ({ style }) => /^inset\((.*) 0 0 0 round/.exec(style.clipPath)?.[1],
  );
  expect(tops).toEqual(["100%", "min(99.9%, 100% - 2px)", "min(50%, 100% - 2px)", "min(0%, 100% - 2px)"]);
});

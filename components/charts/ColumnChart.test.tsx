import { cleanup, fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { ColumnChart } from "./ColumnChart.tsx";

setUpParts();

const ends = [
  { height: 1_000, timestamp: 0 },
  { height: 1_003, timestamp: 0 },
] as const;
const columnsOf = (amounts: bigint[]) =>
  amounts.map((amount) => ({
    key: String(amount),
    amount,
    colour: `rgb(0 0 ${amount})`,
    text: String(amount),
    short: String(amount),
    href: `/blocks/${amount}`,
  }));

test("columns are as high as their amounts; the lowest are just visible, and zero is not drawn", () => {
  renderPart(<ColumnChart label="Moved" columns={columnsOf([0n, 1n, 500n, 1_000n])} ends={ends} />);
  const tops = [...document.querySelectorAll<HTMLElement>("a > span")].map(
    ({ style }) => /^inset\((.*) 0 0 0 round/.exec(style.clipPath)?.[1],
  );
  expect(tops).toEqual([
    "100%",
    "min(99.9% + 0px, 100% - 2px)",
    "min(50% + 0px, 100% - 2px)",
    "min(0% + 0px, 100% - 2px)",
  ]);
  expect(document.querySelector("p")?.textContent).toMatch(/^Block 1,000 · .*Block 1,003 · /);
});

test("each column has its place before later ones arrive", () => {
  renderPart(<ColumnChart label="Moved" columns={columnsOf([1n, 2n, 3n])} ends={ends} />);
  const list = screen.getByRole("list", { name: "Moved" });
  expect(list.style.gridTemplateColumns).toBe("repeat(3, minmax(0, 1fr))");
});

test("texts stand above the cut columns, which leave them room, and those of close times in different lines", () => {
  const columns = columnsOf([
    ...Array.from({ length: 20 }, (_, at) => BigInt(at + 1)),
    900n,
    5n,
    6n,
    7n,
    901n,
  ]);
  const linesAt = (times: number[]) => {
    renderPart(<ColumnChart label="Moved" columns={columns} ends={ends} times={times} />);
    const texts = [...document.querySelectorAll<HTMLElement>("li > [aria-hidden]")];
    const cut = document.querySelector<HTMLElement>('a[aria-label="900"] > span')!.style.clipPath;
    expect(screen.getByRole("list").style.height).toBe("144px");
    cleanup();
    const lines = texts.map(({ textContent, style }) => [textContent, style.bottom]);
    return { lines, room: /min\(0% \+ (\d+px)/.exec(cut)?.[1] };
  };
  const apart = columns.map((_, at) => (at < 24 ? at : 200));
  expect(linesAt(apart)).toEqual({
    lines: [
      ["900", "128px"],
      ["901", "128px"],
    ],
    room: "16px",
  });
  const close = columns.map((_, at) => (at === 0 ? 0 : 1_000 + at));
  expect(linesAt(close)).toEqual({
    lines: [
      ["900", "112px"],
      ["901", "128px"],
    ],
    room: "32px",
  });
});

test("columns of close times have links side by side, each wide enough to be pressed", () => {
  const times = [0, 500, 501, 501, 502, 1_000];
  const columns = columnsOf([1n, 2n, 3n, 4n, 5n, 6n]);
  renderPart(<ColumnChart label="Moved" columns={columns} ends={ends} times={times} />);
  const links = screen.getAllByRole("listitem").map(({ style: { left, width } }) => {
    const start = Number.parseFloat(left);
    return { start, width: Number.parseFloat(width) };
  });
  let end = 0;
  for (const { start, width } of links) {
    expect(start).toBeCloseTo(end, 2);
    expect(width).toBeGreaterThan(100 / 12 - 0.01);
    end = start + width;
  }
  expect(end).toBeCloseTo(100, 2);
  // The close ones are around their place.
  expect((links[1]!.start + links[5]!.start) / 2).toBeCloseTo(50, 0);
});

const views = [
  [10n, 20n, 30n, 40n],
  [20n, 30n, 40n, 50n],
  [30n, 8n, 6n, 9n],
  [8n, 6n, 9n, 5n],
];
function Chart() {
  const [at, setAt] = useState(0);
  return (
    <>
      <button type="button" onClick={() => setAt(at + 1)} />
      <ColumnChart label="Moved" columns={columnsOf(views[at]!)} ends={ends} />
    </>
  );
}

test("only columns of removed blocks fold, in the places of new ones", () => {
  renderPart(<Chart />);
  const folding = () =>
    [...document.querySelectorAll("li")].map((column) => {
      const bar = column.querySelector<HTMLElement>(":scope > span:not([aria-hidden])");
      return bar?.style.backgroundColor;
    });
  const next = () => {
    fireEvent.click(screen.getByRole("button"));
    return folding();
  };
  const none = [undefined, undefined, undefined, undefined];
  expect(next()).toEqual(none);
  expect(next()).toEqual([undefined, "rgb(0 0 40)", "rgb(0 0 50)", undefined]);
  expect(next()).toEqual(none);
});

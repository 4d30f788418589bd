import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { sharesIn } from "#lib/client/format.ts";
import { REST, shareInUsd } from "./ShareBar.tsx";
import { Treemap } from "./Treemap.tsx";

setUpParts();

/** Draws these amounts, of which the first twelve have a name. */
function draw(amounts: number[]) {
  const all = amounts.map((amount, at) => shareInUsd(`a${at}`, `A${at}`, BigInt(amount)));
  const restOf = (shown: number) =>
    shown < all.length
      ? shareInUsd(
          REST,
          `${all.length - shown} more`,
          all.slice(shown).reduce((sum, { amount }) => sum + amount, 0n),
        )
      : null;
  const known = all.slice(0, 12).map(({ key, amount }) => [key, amount] as const);
  const shares = sharesIn(
    all.reduce((sum, { amount }) => sum + amount, 0n),
    known,
  );
  renderPart(<Treemap title="Volume" parts={all.slice(0, 12)} restOf={restOf} shares={shares} />);
  const tiles = screen.getAllByRole("list", { name: "Volume" }).at(-2);
  return [...tiles!.children]
    .filter((tile) => tile.querySelector("[aria-hidden]"))
    .map((tile) => {
      const { width, height } = (tile as HTMLElement).style;
      return {
        text: tile.querySelector("[aria-hidden]")!.textContent,
        area: (Number.parseFloat(width) * Number.parseFloat(height)) / 10_000,
      };
    });
}

test.each([
  ["many", Array.from({ length: 170 }, (_, at) => 1_000_000 - at)],
  ["steeply falling", Array.from({ length: 30 }, (_, at) => Math.round(1e9 / 1.7 ** at))],
  ["equal", Array.from({ length: 12 }, () => 500)],
])("at most twelve tiles have their shares, and areas in proportion: %s", (_name, amounts) => {
  const tiles = draw(amounts);
  const whole = amounts.reduce((sum, amount) => sum + amount, 0);
  expect(tiles.length).toBeLessThanOrEqual(12);
  expect(tiles.reduce((sum, { area }) => sum + area, 0)).toBeCloseTo(1, 3);
  for (const { text, area } of tiles) {
    const said = Number(/([\d.]+) %$/.exec(text!)![1]) / 100;
    expect(area).toBeCloseTo(said, 2);
  }
  const named = tiles.filter(({ text }) => /^A\d/.test(text!)).length;
  if (named < amounts.length) expect(tiles.at(-1)!.text).toContain(`${amounts.length - named} more`);
  expect(whole).toBeGreaterThan(0);
});

test("a remainder without room for its share is the last item", () => {
  const tiles = draw([99_000, 500, 500]);
  expect(tiles.map(({ text }) => text)).toEqual(["A0$0.0009 · 99.00 %"]);
  const items = screen.getAllByRole("list", { name: "Volume" })[0]!.children;
  expect([...items].at(-1)!.textContent).toMatch(/^and 2 more, too small to draw: .* · 1.00 %$/);
  expect(draw([900_000, ...Array.from({ length: 60 }, () => 1_000)])[0]!.text).toMatch(/^A0.* 93.75 %$/);
});

test("the areas and the bar of phones have the shares of lists, which add up to 100 %", () => {
  const amounts = [5_268_000, 2_411_150, 1_509_600, 806_900, 5_000];
  draw(amounts);
  const sharesIn = (list: Element) =>
    [...list.children].map(({ textContent }) => /[\d.]+ %$/.exec(textContent!)![0]);
  const listed = ["52.68 %", "24.11 %", "15.09 %", "8.07 %", "0.05 %"];
  const [areas, bar] = screen.getAllByRole("list", { name: "Volume" }).map(sharesIn);
  expect(bar).toEqual(listed);
  expect(areas).toEqual(listed);
});

import { cleanup, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { LatestBlocks } from "#lib/client/home.ts";
import { Pulse } from "./Pulse.tsx";

setUpParts();

const assetOf = (id: string, at: number) => ({
  ...{ id, name: "", symbol: `S${at}`, icon: "", decimals: 8, public: true },
});

/** A block whose largest asset is the given one; null: nothing in it has a price. */
function blockOf(asset: string | null, height: number, volumeUsd = "100"): LatestBlocks["blocks"][number] {
  const largest = asset === null ? [] : [{ id: asset, volumeUsd }];
  return {
    ...{ height, hash: `0x${height}`, timestamp: 0, transactionCount: 1, assetCount: 1 },
    ...{ volumeUsd, largest },
  };
}

const legend = () => document.querySelector("#pulse > ul")!;
const coloursIn = (root: Element, of: string, read: (element: HTMLElement) => string | null | undefined) =>
  [...root.querySelectorAll<HTMLElement>(of)].map((element) => read(element) ?? "");

const assets = (ids: string[]) => Object.fromEntries(ids.map((id, at) => [id, assetOf(id, at)]));

test("eight assets have colours of their own, which the legend names, and the others are grey", () => {
  const ids = Array.from({ length: 30 }, (_, at) => `0x${at.toString(16).repeat(8)}`);
  const blocks = [...ids, null].map((id, at) => blockOf(id, 100 - at, id === ids[9] ? "900" : "100"));
  renderPart(<Pulse first={{ blocks, assets: assets(ids) }} />);
  const drawn = coloursIn(
    screen.getByRole("list", { name: /^What each/ }),
    "a > span",
    ({ style }) => style.backgroundColor,
  );
  const named = coloursIn(legend(), "circle", (circle) => circle.getAttribute("fill"));
  expect(named).toHaveLength(8);
  expect(new Set(named).size).toBe(8);
  for (const colour of named) expect(drawn.filter((one) => one === colour)).toHaveLength(1);
  expect(legend().textContent).toContain("S9");
  expect(legend().textContent).toMatch(/others$/);
});

test("a column that is cut off has its amount above it, and close ones have different lines", () => {
  const id = "0x01";
  const volumes = Array.from({ length: 30 }, (_, at) => String(at === 4 || at === 5 ? 900 : 1));
  const blocks = volumes.map((units, at) => blockOf(id, 100 - at, `${units}00000000`));
  renderPart(<Pulse first={{ blocks, assets: assets([id]) }} />);
  const labels = [...document.querySelectorAll<HTMLElement>("#pulse li > span")];
  expect(labels.map(({ textContent }) => textContent)).toEqual(["$900", "$900"]);
  expect(labels.map(({ style }) => style.bottom)).toEqual(["112px", "128px"]);
});

test("blocks beyond a gap are not drawn, nor is a single block beside one", () => {
  const id = "0x01";
  const show = (...heights: number[]) =>
    renderPart(
      <Pulse first={{ blocks: heights.map((height) => blockOf(id, height)), assets: assets([id]) }} />,
    );
  show(3_000_000, 2_999_999, 7, 6);
  expect(screen.getByRole("heading").textContent).toBe("The last 2 blocks");
  expect(screen.getAllByRole("link")).toHaveLength(2);
  cleanup();
  show(3_000_000, 7);
  expect(screen.queryByRole("heading")).toBeNull();
});

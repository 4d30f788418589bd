// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { LatestBlocks } from "#lib/client/home.ts";
import { Pulse } from "./Pulse.tsx";

setUpParts();

const assetOf = (id: string, at: number) => ({
  ...{ id, name: "", symbol: `S${at}`, icon: "", decimals: 8, public: true },
});

/** A block whose largest asset is the given one; null: nothing in it has a price. */
function blockOf(asset: string | null, height: number): LatestBlocks["blocks"][number] {
  const largest = asset === null ? [] : [{ id: asset, volumeUsd: "100" }];
  return {
    ...{ height, hash: `0x${height}`, timestamp: 0, transactionCount: 1, assetCount: 1, unpricedCount: 0 },
    ...{ volumeUsd: "100", largest },
  };
}

const legend = () => document.querySelector("#pulse > ul")!;
const coloursIn = (root: Element, of: string, read: (element: HTMLElement) => string | null | undefined) =>
  [...root.querySelectorAll<HTMLElement>(of)].map((element) => read(element) ?? "");

test("the legend names each colour by an asset's icon and the number of others that share it", () => {
  const ids = Array.from({ length: 30 }, (_, at) => `0x${at.toString(16).repeat(8)}`);
  const assets = Object.fromEntries(ids.map((id, at) => [id, assetOf(id, at)]));
  renderPart(<Pulse first={{ blocks: [...ids, null].map(blockOf), assets }} />);
  const drawn = coloursIn(
    screen.getByRole("list", { name: /^What each/ }),
    "a > span",
    ({ style }) => style.backgroundColor,
  );
  const named = [
    ...coloursIn(legend(), "circle", (circle) => circle.getAttribute("fill")),
    ...coloursIn(legend(), "span[style]", ({ style }) => style.backgroundColor),
  ];
  expect(named.toSorted()).toEqual([...new Set(drawn)].sort());
  const counts = [...legend().querySelectorAll("li")].map(({ title, textContent }) => {
    const names = title.split(", ");
    expect(textContent).toBe(names.length > 1 ? `${names[0]}+${names.length - 1}` : names[0]);
    return names.length;
  });
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(ids.length + 1);
});

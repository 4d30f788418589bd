import { act, fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { NewestAsset } from "#lib/client/home.ts";
import { MovedMost } from "./MovedMost.tsx";
import { NewestAssets } from "./NewestAssets.tsx";

setUpParts();

const assetOf = (at: number) => ({
  ...{ id: `0x${at}`, name: `Coin ${at}`, symbol: `C${at}`, icon: "", decimals: 8, public: true },
});

test("a change tells the amounts of both periods when it has the focus or the pointer, until Escape", async () => {
  const row = { asset: assetOf(1), volumeUsd: "1500000000", points: [], before: "1000000000" };
  renderPart(
    <MovedMost
      period="1h"
      first={{ after: 1, tip: { height: 9, hash: "0x9" }, isWhole: true, rows: [row] }}
    />,
  );
  const change = screen.getByRole("button", {
    description: "$15.00 in this period $10.00 in the one before",
  });
  const tooltip = () => screen.getByRole("tooltip", { hidden: true });
  expect(tooltip().hidden).toBe(true);
  await act(async () => change.focus());
  expect(tooltip().hidden).toBe(false);
  await act(async () => fireEvent.keyDown(change, { key: "Escape" }));
  expect(tooltip().hidden).toBe(true);
  await act(async () => fireEvent.pointerEnter(change.parentElement!));
  expect(tooltip().hidden).toBe(false);
});

test("newest assets leave out flagged ones, and list them on request", async () => {
  const newest = (at: number, name = `Coin ${at}`): NewestAsset => ({
    ...{ asset: { ...assetOf(at), name }, standard: "xudt", members: 1, holderCount: 1, firstMintAt: "" },
    resembles: at === 2 ? "0x99" : "",
  });
  renderPart(<NewestAssets isWhole assets={Array.from({ length: 9 }, (_, at) => newest(at))} />);
  const shown = () => screen.getAllByRole("listitem").map(({ textContent }) => /C\d/.exec(textContent!)?.[0]);
  expect(shown()).toEqual(["C0", "C1", "C3", "C4", "C5", "C6"]);
  expect(document.body.textContent).toContain("1 flagged, show");
  await press("button", "Show flagged assets");
  expect(shown()).toEqual(["C0", "C1", "C2", "C3", "C4", "C5", "C6"]);
});

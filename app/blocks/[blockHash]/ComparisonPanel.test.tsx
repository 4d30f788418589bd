import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { assetColour, coloursFor } from "#components/asset-colour.ts";
import { answerRequests, json, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { ComparisonPanel } from "./ComparisonPanel.tsx";
import type { Comparison } from "./read-comparison.ts";

setUpParts();

const assetNamed = (symbol: string) => ({
  ...{ id: `0x${symbol.toLowerCase()}`, name: symbol, symbol, icon: "", decimals: 0 },
});
const moved = { amount: "1", amountUsd: "0" };

test("a comparison marks the assets of the registry, and shows the ids of the others", () => {
  const block = { height: 8, hash: "0x8", timestamp: 0 };
  const [listed, other] = [assetNamed("ABBA"), assetNamed("DADA")];
  const rows = [listed, other].map((asset) => ({ asset, there: null, here: moved }));
  const none = { total: 0, rows: [] };
  const comparison = {
    other: { ...block, height: 7, hash: "0x7" },
    groups: { added: { total: 2, rows }, gone: none, changed: none },
    unchanged: 0,
    namesakes: { listed: [listed], bySymbol: [] },
  } as unknown as Comparison;
  renderPart(
    <ComparisonPanel
      block={block}
      native={null}
      largest={[]}
      volumeUsd="0"
      named="7"
      comparison={comparison}
    />,
  );
  const [first, second] = screen.getAllByRole("row").slice(1);
  expect(first?.querySelector("[aria-label=listed]")).toBeTruthy();
  expect(first?.textContent).not.toContain("0xabba");
  expect(second?.querySelector("[aria-label=listed]")).toBeNull();
  expect(second?.textContent).toContain("0xdada");
});

test("assets have the colours of the block's chart, and their cards its shares", async () => {
  HTMLElement.prototype.showPopover = () => {};
  answerRequests(() =>
    json({ tokenInfo: { totalSupply: "1" }, priceUsd: "", holderCount: 1, resembles: "" }),
  );
  const block = { height: 8, hash: "0x8", timestamp: 0 };
  // Their own colours are the same.
  const ids = Array.from({ length: 30 }, (_, at) => `0x${at}`);
  const same = ids.filter((id) => assetColour(id) === assetColour(ids[0]!)).slice(0, 2);
  const rows = same.map((id) => ({ asset: { ...assetNamed(id), id }, there: null, here: moved }));
  const none = { total: 0, rows: [] };
  const comparison = {
    other: { ...block, height: 7, hash: "0x7" },
    groups: { added: { total: 2, rows }, gone: none, changed: none },
    unchanged: 0,
    namesakes: { listed: [], bySymbol: [] },
  } as unknown as Comparison;
  const largest = same.map((id) => ({ id, volumeUsd: "1" }));
  renderPart(<ComparisonPanel {...{ block, largest, comparison }} native={null} volumeUsd="3" named="7" />);
  const fills = screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => row.querySelector("[fill]")?.getAttribute("fill"));
  expect(fills).toEqual(same.map(coloursFor(same)));
  expect(new Set(fills).size).toBe(2);
  fireEvent.pointerEnter(screen.getAllByText(same[0]!)[0]!, { pointerType: "mouse" });
  const name = await screen.findByText("Share here");
  expect(name.nextElementSibling!.textContent).toBe("33.34 %");
});

import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
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
  renderPart(<ComparisonPanel block={block} native={null} named="7" comparison={comparison} />);
  const [first, second] = screen.getAllByRole("row").slice(1);
  expect(first?.querySelector("[aria-label=listed]")).toBeTruthy();
  expect(first?.textContent).not.toContain("0xabba");
  expect(second?.querySelector("[aria-label=listed]")).toBeNull();
  expect(second?.textContent).toContain("0xdada");
});

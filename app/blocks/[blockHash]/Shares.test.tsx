import { fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { Shares } from "./Shares.tsx";

setUpParts();

function Newest() {
  const [pricedCount, setCount] = useState(1);
  return (
    <>
      <button type="button" onClick={() => setCount(0)}>
        Next block
      </button>
      <Shares
        block={{ volumeUsd: "0", assetCount: 2, pricedCount, tags: [], hash: `0x${pricedCount}` }}
        largest={[]}
        flagsOf={() => []}
        path="/blocks/tip"
        steady
      />
    </>
  );
}

test("the open chart of the newest block stays open, even if a block has no price", () => {
  renderPart(<Newest />);
  fireEvent.click(screen.getByRole("button", { name: "Chart" }));
  fireEvent.click(screen.getByRole("button", { name: "Next block" }));
  expect(screen.getByText("No asset here has a price.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Chart" }).getAttribute("aria-expanded")).toBe("true");
});

test("a single asset that is too small to draw is named, with its own share", () => {
  const volumes = [52_680n, 24_112n, 23_204n, 4n];
  const largest = volumes.map((amount, at) => ({
    asset: { id: `0x${at}`, name: "", symbol: `S${at}`, decimals: 8, tags: [], icon: "", standard: "xUDT" },
    amountUsd: String(amount),
    amount: "1",
  }));
  const block = { volumeUsd: "100000", assetCount: 4, pricedCount: 4, tags: [] };
  renderPart(<Shares block={block} largest={largest} flagsOf={() => []} path="/blocks/1" />);
  const [areas] = screen.getAllByRole("list", { name: "Volume by asset" });
  expect(areas!.lastChild!.textContent).toBe("and S3, too small to draw: < $0.0001 · < 0.01 %");
});

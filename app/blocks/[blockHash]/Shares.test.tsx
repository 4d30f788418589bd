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

import { screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { DismissibleNews } from "./NewsBar.tsx";

setUpParts();

function News() {
  const [blocks, setBlocks] = useState(1);
  return (
    <>
      <button type="button" onClick={() => setBlocks(blocks + 1)}>
        Next
      </button>
      <DismissibleNews text={`${blocks} new`} action={null} />
    </>
  );
}

test("dismissed news stay away until they are other news", async () => {
  renderPart(<News />);
  await press("button", "Dismiss");
  expect(screen.queryByRole("status")).toBeNull();
  await press("button", "Next");
  expect(screen.getByRole("status").textContent).toContain("2 new");
});

import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { SearchResult } from "#lib/client/search.ts";
import { SearchBox } from "./SearchBox.tsx";
import { answerRequests, json, renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();

const hash = `0x${"ab".repeat(32)}`;
const block: SearchResult = {
  ...{ kind: "block", hash, height: 153, timestamp: 0 },
  ...{ href: `/blocks/${hash}`, exact: true },
};
const transaction: SearchResult = {
  ...{ kind: "transaction", hash, block: null, outputCount: 2 },
  ...{ href: `/transactions/${hash}`, exact: false },
};

async function optionsFor(results: SearchResult[], notes: string[] = []): Promise<string[]> {
  answerRequests(() => json({ results, notes }));
  renderPart(<SearchBox variant="header" />);
  fireEvent.change(screen.getByRole("combobox"), { target: { value: "153" } });
  await screen.findByText(/^(?:\d+ results?\.|Nothing)/, { selector: "[role=status]" });
  return screen.queryAllByRole("option").map(({ textContent }) => textContent ?? "");
}

test("suggestions say what they are, and which one Enter opens", async () => {
  const [first, second] = await optionsFor([block, transaction]);
  expect(first).toMatch(/^Block 153.*↵$/);
  expect(second).toMatch(/^Transaction.*indexed$/);
  expect(screen.queryByText(/^Enter lists/)).toBeNull();
  for (const _ of [block, transaction]) {
    fireEvent.keyDown(screen.getByRole("combobox"), { key: "ArrowDown" });
  }
  expect(screen.getAllByRole("option")[1]!.textContent).toMatch(/↵$/);
});

test("if the text names nothing exactly, Enter lists what was found", async () => {
  const [only] = await optionsFor([transaction]);
  expect(only).not.toContain("↵");
  expect(screen.getByText("Enter lists 1 result.")).toBeTruthy();
});

test("what a search says is whole sentences", async () => {
  await optionsFor([], ["Nothing has 46.", "No asset has this name."]);
  expect(screen.getByRole("status").textContent).toBe("Nothing has 46. No asset has this name.");
});

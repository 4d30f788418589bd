import { act, fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { SearchResult } from "#lib/client/search.ts";
import { openPage, PageLoading } from "./navigation.tsx";
import { SearchBox } from "./SearchBox.tsx";
import { answerRequests, json, ownTime, pass, renderPart, setUpParts } from "./testing/parts.tsx";

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

/** A search whose answers come when the test lets them. */
function showSlow() {
  ownTime();
  const answers: (() => void)[] = [];
  answerRequests(
    () => new Promise((resolve) => answers.push(() => resolve(json({ results: [block], notes: [] })))),
  );
  const { opened } = renderPart(
    <>
      <PageLoading />
      <SearchBox variant="header" />
    </>,
  );
  const field = screen.getByRole("combobox");
  return {
    opened,
    type: (value: string) => act(async () => void fireEvent.change(field, { target: { value } })),
    submit: () => act(async () => void fireEvent.submit(field.closest("form")!)),
    async answer() {
      for (const answer of answers) answer();
      await pass(1_000);
    },
  };
}

test("an answer that comes late opens no page once the reader types on", async () => {
  const { opened, type, submit, answer } = showSlow();
  await type("153");
  await submit();
  await pass(1_000);
  await type("1534");
  await pass(1_000);
  await answer();
  expect(opened).toEqual([]);
  await submit();
  await pass(1_000);
  expect(opened).toEqual([block.href]);
});

test("an answer that comes late opens no page once the reader opened another", async () => {
  const { opened, type, submit, answer } = showSlow();
  await type("153");
  await submit();
  await pass(1_000);
  openPage("/docs");
  await answer();
  expect(opened).toEqual(["/docs"]);
});

import { screen, waitFor } from "@testing-library/react";
import { Fragment, useState } from "react";
import { expect, test } from "vitest";
import {
  answerRequests,
  choose,
  json,
  never,
  openExport,
  press,
  renderPart,
  savedFiles,
  setUpParts,
} from "#components/testing/parts.tsx";
import { readView } from "#lib/client/url-state.ts";
import { stringifyExactJson } from "#lib/util/json.ts";
import { terms } from "#terms";
import { statementList } from "./list.ts";
import { Statement, type StatementProps } from "./Statement.tsx";

setUpParts();

function lineOf(height: number, transaction: string, token: string, into: string, out: string) {
  const tokenInfo = { id: token, name: token, symbol: token, icon: "", decimals: 0, standard: "xUDT" };
  return {
    ...{ height, transaction, token, tokenInfo, blockHash: `0xb${height}`, time: "2026-01-02T03:04:05.000Z" },
    ...{ opening: "100", in: into, out, closing: "100", valueUsd: "", priceUsd: "" },
  };
}

const holdings = {
  ...{ address: "ckb1test", native: terms.native, tokenCount: 0, valueUsd: "0" },
  namesakes: { listed: [], bySymbol: [] },
  first: { data: { result: [], total: 0 }, tip: null, requestId: "" },
};
const statement = (first: StatementProps["first"] = null) => (
  <Statement
    holdings={holdings}
    flagsOf={() => []}
    shareOf={() => undefined}
    strip={(tools) => tools}
    presets={[]}
    lastVisit={undefined}
    first={first}
  />
);

test("a statement that is opened in its middle says so, goes on, and starts from the top on request", async () => {
  const { asked } = answerRequests((path) => {
    const fromTop = !path.includes("cursor=");
    const line = lineOf(fromTop ? 9 : 8, fromTop ? "0xa1" : "0xa2", "AAA", "5", "0");
    return json({ result: [line], hasNext: fromTop, lastCursor: "c1" });
  });
  renderPart(statement(), { search: "from=c1&row=101" });
  await screen.findByText("Block 8");
  expect(screen.getByText(/from the middle of the list/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Load earlier rows" })).toBeNull();
  expect(screen.getByText(/^End of list: 1 line from where you opened it/)).toBeTruthy();
  expect(document.querySelector("tr[data-row]")!.getAttribute("aria-rowindex")).toBe("102");
  const saved = savedFiles();
  await openExport();
  await press("button", /^JSON of Rows loaded/);
  expect(JSON.parse(await saved[0]!.text)).toMatchObject({ count: 1, complete: false });
  await press("button", "Start from the top");
  await screen.findByText("Block 9");
  expect(screen.queryByText(/from the middle/)).toBeNull();
  expect(asked.map((path) => path.includes("cursor="))).toEqual([true, false]);
});

type First = NonNullable<StatementProps["first"]>;

const path = statementList.pathOf(
  { address: "ckb1test" },
  readView(statementList.fields, new URLSearchParams()),
);
/** The first page as of the block at this height, with its line. */
function pageAt(height: number): First {
  const result = [lineOf(height, `0xa${height}`, "AAA", "5", "0")];
  const data = { result, hasNext: false, lastCursor: "" } as unknown as First["response"]["data"];
  return { path, response: { data, tip: { height, hash: `0x${height}` }, requestId: "" } };
}

/** A visit at block 7, a later one, and the way back to the first. */
function Visits() {
  const [height, setHeight] = useState(7);
  return (
    <>
      <button type="button" onClick={() => setHeight(height + 1)}>
        Visit later
      </button>
      <button type="button" onClick={() => setHeight(height - 1)}>
        Back
      </button>
      <Fragment key={height}>{statement(pageAt(height))}</Fragment>
    </>
  );
}

test("a statement that is opened again has the lines of the new page", async () => {
  answerRequests(never);
  renderPart(<Visits />);
  const heights = () => screen.getAllByText(/^Block \d+$/).map(({ textContent }) => textContent);
  expect(heights()).toEqual(["Block 7"]);
  await press("button", "Visit later");
  expect(heights()).toEqual(["Block 8"]);
  // The page of an earlier visit keeps the rows that were read since.
  await press("button", "Back");
  expect(heights()).toEqual(["Block 8"]);
  const saved = savedFiles();
  await openExport();
  await press("button", /^JSON of Rows loaded/);
  expect(JSON.parse(await saved[0]!.text)).toMatchObject({ count: 1, complete: true, asOfBlock: 8 });
});

test("another order that was shown at an earlier block is read again", async () => {
  const { asked } = answerRequests(() => {
    const result = [lineOf(1, "0xa1", "AAA", "5", "0")];
    const headers = { "X-Tip-Height": "7", "X-Tip-Hash": "0x7" };
    return new Response(stringifyExactJson({ result, hasNext: false, lastCursor: "" }), { headers });
  });
  renderPart(<Visits />);
  await choose("Order", "Oldest first");
  await screen.findByText("Block 1");
  await choose("Order", "Newest first");
  await press("button", "Visit later");
  expect(asked.length).toBe(1);
  await choose("Order", "Oldest first");
  await waitFor(() => expect(asked.length).toBe(2));
});

test("the header of the transaction turns the order round, as the menu does", async () => {
  const { asked } = answerRequests(() =>
    json({ result: [lineOf(1, "0xa1", "AAA", "5", "0")], hasNext: false, lastCursor: "" }),
  );
  renderPart(statement());
  await screen.findByText("Block 1");
  const header = screen.getByRole("columnheader", { name: "Transaction" });
  const state = () => [
    header.getAttribute("aria-sort"),
    screen.getByRole<HTMLSelectElement>("combobox", { name: "Order" }).value,
  ];
  expect(state()).toEqual(["descending", "desc"]);
  await press("button", "Transaction");
  await waitFor(() => expect(state()).toEqual(["ascending", "asc"]));
  await waitFor(() => expect(asked.map((path) => path.includes("order=desc"))).toEqual([true, false]));
  await press("button", "Transaction");
  await waitFor(() => expect(state()).toEqual(["descending", "desc"]));
});

test("a statement whose lines all came before its place offers the top", async () => {
  answerRequests((path) => {
    const fromTop = !path.includes("cursor=");
    const result = fromTop ? [lineOf(9, "0xa1", "AAA", "5", "0")] : [];
    return json({ result, hasNext: false, lastCursor: "c1" });
  });
  renderPart(statement(), { search: "from=c1&row=101" });
  await screen.findByText("There are no more rows after this place");
  await press("button", "Start from the top");
  await screen.findByText("Block 9");
});

test("a statement that ends before the tip says so, also where it cannot be read, and one to the tip has its top", async () => {
  const { asked } = answerRequests((path) =>
    path.includes("to=")
      ? new Response("{}", { status: 404 })
      : json({ result: [lineOf(9, "0xa1", "AAA", "5", "0")], hasNext: false, lastCursor: "" }),
  );
  renderPart(statement(), { search: "to=8&from=c1&row=101" });
  await press("button", "Remove the filter Up to block 8");
  await screen.findByText("Block 9");
  expect(screen.queryByRole("button", { name: /^Remove the filter/ })).toBeNull();
  expect(asked.at(-1)).not.toMatch(/to=|cursor=/);
});

test("a statement has the newest lines first, a heading for each block and transaction, and signs in green and red", async () => {
  const result = [
    lineOf(9, "0xa1", "AAA", "5", "0"),
    lineOf(9, "0xa1", "BBB", "0", "7"),
    lineOf(9, "0xa2", "AAA", "0", "0"),
    lineOf(8, "0xa3", "AAA", "3", "0"),
  ];
  const { asked } = answerRequests(() => json({ result, hasNext: false, lastCursor: "" }));
  renderPart(statement());
  await screen.findByText("Block 9");
  expect(Object.fromEntries(new URL(asked[0]!, "http://test").searchParams)).toMatchObject({
    ...{ order: "desc", per: "transaction" },
  });
  const rows = [...document.querySelectorAll<HTMLElement>("tr[data-row]")];
  const hrefsOf = (row: HTMLElement) =>
    [...row.querySelectorAll("[data-heading] a")].map((link) => link.getAttribute("href"));
  expect(rows.map(hrefsOf)).toEqual([
    ["/blocks/0xb9", "/transactions/0xa1"],
    [],
    ["/transactions/0xa2"],
    ["/blocks/0xb8", "/transactions/0xa3"],
  ]);
  expect(rows.map((row) => row.querySelectorAll("time").length)).toEqual([1, 0, 0, 1]);
  const shown = rows.map((row) => row.querySelector("[data-column=change]")!);
  expect(shown.map((cell) => cell.textContent)).toEqual(["+5", "−7", "0", "+3"]);
  expect(shown.map((cell) => /text-(good|bad|text-3)/.exec(cell.innerHTML)?.[1])).toEqual([
    ...["good", "bad", "text-3", "good"],
  ]);
});

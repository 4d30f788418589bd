import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { Selection } from "#components/list/Selection.tsx";
import { sumsOf } from "#components/list/SelectionBar.tsx";
import type { Worth } from "#components/list/worth.ts";
import { press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { ColumnChooser } from "./ColumnChooser.tsx";
import { columnsOf } from "./columns.ts";
import { DataTable } from "./DataTable.tsx";
import { useDataTable } from "./use-data-table.ts";

setUpParts();

interface Entry {
  id: string;
  amount: string;
}

const ASSET = { id: "0x01", name: "Gold", symbol: "GLD", decimals: 2 };
const rows: Entry[] = Array.from({ length: 5 }, (_, at) => ({ id: `row${at}`, amount: String(10 ** at) }));
const columns = columnsOf<Entry>({
  id: { required: true, header: "Name", cell: ({ id }) => id, tracks: { wide: "1fr" } },
  amount: { header: "Amount", cell: ({ amount }) => amount, tracks: { wide: "2fr", narrow: null } },
});

function List() {
  const table = useDataTable({ columns, rows, idOf: ({ id }) => id });
  return (
    <>
      <ColumnChooser table={table} />
      <DataTable table={table} caption="Things" rowCount={5} details={({ id }) => `All about ${id}`} />
      <Selection
        table={table}
        csv={{ id: [["name", ({ id }) => id]], amount: [["amount", ({ amount }) => amount]] }}
        worthOf={({ amount }) => ({ asset: ASSET, amount: BigInt(amount), usd: null })}
      />
    </>
  );
}

const heads = () => screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
const row = (id: string) => screen.getByRole("row", { name: new RegExp(id) });
const selected = () =>
  screen.getAllByRole("row").flatMap(({ dataset }) => (dataset.selected ? [dataset.id] : []));
const bar = () => screen.queryByText(/selected/)?.parentElement?.textContent;

test("a hidden column has neither head nor cells nor a track, and the address bar names it", async () => {
  const { searches } = renderPart(<List />);
  expect(heads()).toEqual(["Name", "Amount"]);
  await press("checkbox", "Amount");
  expect(heads()).toEqual(["Name"]);
  expect(row("row3").querySelectorAll("td")).toHaveLength(1);
  expect(screen.getByRole("table").style.getPropertyValue("--tracks-wide")).toBe("1fr");
  await waitFor(() => expect(searches.at(-1)).toBe("?hide=amount"));
  await press("checkbox", "Amount");
  expect(heads()).toEqual(["Name", "Amount"]);
  await waitFor(() => expect(searches.at(-1)).toBe(""));
});

test("a link hides no required column, and keeps the ids of other lists", async () => {
  const { searches } = renderPart(<List />, { search: "hide=id,elsewhere,amount,__proto__" });
  expect(heads()).toEqual(["Name"]);
  expect(within(screen.getByRole("dialog", { name: "Columns" })).getAllByRole("checkbox")).toHaveLength(1);
  await press("checkbox", "Amount");
  await waitFor(() => expect(searches.at(-1)).toContain("elsewhere"));
  expect(searches.at(-1)).not.toContain("amount");
});

test("Space selects the focused row, Shift-Space all from the last one, Escape none", async () => {
  renderPart(<List />);
  fireEvent.keyDown(row("row1"), { key: " " });
  expect(selected()).toEqual(["row1"]);
  fireEvent.keyDown(row("row3"), { key: " ", shiftKey: true });
  expect(selected()).toEqual(["row1", "row2", "row3"]);
  await waitFor(() => expect(bar()).toBe("3 rows selected · 11.1 GLD"));
  fireEvent.keyDown(row("row2"), { key: " " });
  expect(selected()).toEqual(["row1", "row3"]);
  fireEvent.keyDown(row("row2"), { key: "Escape" });
  expect(selected()).toEqual([]);
  expect(bar()).toBeUndefined();
});

test("a checkbox selects its row, and with Shift all rows from the last one", () => {
  renderPart(<List />);
  const boxes = screen.getAllByRole("checkbox", { name: "Select this row" });
  fireEvent.click(boxes[4]!);
  fireEvent.click(boxes[2]!, { shiftKey: true });
  expect(selected()).toEqual(["row2", "row3", "row4"]);
  fireEvent.click(boxes[3]!, { shiftKey: true });
  expect(selected()).toEqual(["row4"]);
});

test("after a click on a checkbox, arrows move the focus to a row, and Escape clears the selection", () => {
  renderPart(<List />);
  const box = screen.getAllByRole("checkbox", { name: "Select this row" })[2]!;
  fireEvent.click(box);
  fireEvent.keyDown(box, { key: "ArrowDown" });
  expect(document.activeElement).toBe(row("row3"));
  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(selected()).toEqual([]);
});

test("Enter opens one row at a time", () => {
  renderPart(<List />);
  fireEvent.keyDown(row("row1"), { key: "Enter" });
  fireEvent.keyDown(row("row2"), { key: "Enter" });
  expect(screen.queryByText("All about row1")).toBeNull();
  expect(screen.getByText("All about row2")).toBeTruthy();
  fireEvent.keyDown(row("row2"), { key: "Enter" });
  expect(screen.queryByText("All about row2")).toBeNull();
});

const worth = (more: Partial<Worth>): Worth => ({ asset: ASSET, amount: 1n, usd: null, ...more });
const OTHER = { ...ASSET, id: "0x02" };

test("amounts are summed up exactly, and only those of one asset", () => {
  const huge = 2n ** 128n - 1n;
  expect(sumsOf([worth({ amount: huge }), worth({ amount: huge })])).toEqual([
    "6,805,647,338,418,769,269,267,492,148,635,364,229.1 GLD",
  ]);
  expect(sumsOf([worth({}), worth({ asset: OTHER })])).toEqual([]);
  const nft = { kind: "Spore", asset: { id: "0x5", name: "Leaf", symbol: "", decimals: 0 } };
  expect(sumsOf([worth({ ...nft, amount: 1n }), worth({ ...nft, amount: 1n })])).toEqual(["2 × NFT Leaf"]);
  expect(sumsOf([worth({ amount: 5n, signed: true }), worth({ amount: -7n, signed: true })])).toEqual([
    "−0.02 GLD",
  ]);
});

test("values are summed up over assets, and the sum says how many rows have one", () => {
  expect(sumsOf([worth({ usd: 150_000_000n }), worth({ asset: OTHER, usd: 1n })])).toEqual(["$1.50000001"]);
  expect(sumsOf([worth({ usd: 150_000_000n }), worth({ asset: OTHER })])).toEqual(["$1.5 (1 with a price)"]);
});

const many = Array.from({ length: 120 }, (_, at) => ({ id: `many${at}`, amount: String(at) }));
const lists = [many, many.toReversed(), [...rows, ...many.toReversed()]];

function Growing() {
  const [at, setAt] = useState(0);
  const table = useDataTable({ columns, rows: lists[at]!, idOf: ({ id }) => id });
  return (
    <>
      <button type="button" onClick={() => setAt(at + 1)}>
        Next
      </button>
      <DataTable table={table} caption="Many" rowCount={-1} grows details={() => ""} />
    </>
  );
}

test("a long list draws what is read when its rows change places, and when more come in above", async () => {
  // The window begins at row 80. Rows are 44 pixels high.
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    return new DOMRect(0, this.matches("tbody") ? -80 * 44 : 0, 1_000, 44);
  });
  const drawn = () => screen.getAllByRole("row").flatMap(({ dataset }) => dataset.id ?? []);
  renderPart(<Growing />);
  expect(drawn()).toEqual(["many0", ...many.slice(60).map(({ id }) => id)]);
  await press("button", "Next");
  expect(drawn()).toEqual([
    "many119",
    ...many
      .toReversed()
      .slice(60)
      .map(({ id }) => id),
  ]);
  await press("button", "Next");
  // In the frame before the browser has scrolled, the row that was read is still drawn.
  expect(drawn()).toContain("many39");
  vi.restoreAllMocks();
});

test("a list whose rows have another height each time is drawn, and does not render for ever", () => {
  let looks = 0;
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    looks += 1;
    return new DOMRect(0, this.matches("tbody") ? -80 * 44 : 0, 1_000, 44 + (looks % 7));
  });
  renderPart(<Growing />);
  expect(row("many80")).toBeTruthy();
  vi.restoreAllMocks();
});

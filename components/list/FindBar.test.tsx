import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { columnsOf } from "#components/table/columns.ts";
import { DataTable } from "#components/table/DataTable.tsx";
import type { FoundRow } from "#components/table/row-place.ts";
import { useDataTable } from "#components/table/use-data-table.ts";
import { press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { storedLabels } from "#lib/client/labels.ts";
import { FindButton } from "./FindButton.tsx";

setUpParts();

interface Entry {
  id: string;
  amount: string;
}

const rowsOf = (count: number): Entry[] =>
  Array.from({ length: count }, (_, at) => ({ id: `Row${at}`, amount: String(at * 1_000) }));
const columns = columnsOf<Entry>({
  id: { required: true, header: "Name", cell: ({ id }) => id, tracks: { wide: "1fr" } },
});
const csv = {
  id: [["name", ({ id }: Entry) => id]],
  amount: [["amount", ({ amount }: Entry) => amount]],
} as const;

function List({ rows }: { rows: readonly Entry[] }) {
  const [found, setFound] = useState<FoundRow | null>(null);
  const table = useDataTable({ columns, rows, idOf: ({ id }) => id });
  return (
    <>
      <FindButton table={table} csv={csv} onFound={setFound} />
      <DataTable table={table} caption="Rows" rowCount={rows.length} details={() => ""} grows found={found} />
    </>
  );
}

const pressFind = () => fireEvent.keyDown(window, { key: "f", ctrlKey: true });
const field = () => screen.findByRole("searchbox", { name: /^Find in \d/ });
const said = () => screen.getByRole("status").textContent;
const marked = () => document.querySelector<HTMLElement>("tr[aria-current]")?.dataset.id;

test("Ctrl-F searches all loaded rows, also those that are not drawn; a second time it is the browser's", async () => {
  renderPart(<List rows={rowsOf(500)} />);
  expect(document.querySelector("tr[data-id=Row437]")).toBeNull();
  // False: the browser's own search does not open.
  expect(pressFind()).toBe(false);
  // The bar still loads. It takes over what was typed.
  const early = screen.getByRole("searchbox", { name: "Find in the list" });
  expect(document.activeElement).toBe(early);
  fireEvent.change(early, { target: { value: "row4" } });
  const input = await field();
  expect((input as HTMLInputElement).value).toBe("row4");
  expect(document.activeElement).toBe(input);
  expect(pressFind()).toBe(true);
  fireEvent.change(input, { target: { value: "row43" } });
  await waitFor(() => expect(said()).toBe("1 of 11 rows"));
  await waitFor(() => expect(marked()).toBe("Row43"));
  fireEvent.submit(input.closest("form")!);
  await waitFor(() => expect(said()).toBe("2 of 11 rows"));
  await waitFor(() => expect(marked()).toBe("Row430"));
  fireEvent.keyDown(input, { key: "Enter", shiftKey: true });
  await press("button", "Previous");
  await waitFor(() => expect(said()).toBe("11 of 11 rows"));
  await waitFor(() => expect(marked()).toBe("Row439"));
  fireEvent.keyDown(input, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("searchbox")).toBeNull());
  expect(document.activeElement).toBe(document.querySelector("tr[data-id=Row439]"));
});

test("an amount is found as the page writes it, and an address by its label", async () => {
  storedLabels.write([{ ref: "Row499", label: "Cold store" }]);
  renderPart(<List rows={rowsOf(500)} />);
  await press("button", "Find");
  const input = await field();
  fireEvent.change(input, { target: { value: "$123,000" } });
  await waitFor(() => expect(marked()).toBe("Row123"));
  fireEvent.change(input, { target: { value: "cold st" } });
  await waitFor(() => expect(marked()).toBe("Row499"));
  fireEvent.change(input, { target: { value: "nowhere" } });
  await waitFor(() => expect(said()).toBe("No matches"));
  await waitFor(() => expect(marked()).toBeUndefined());
  storedLabels.write([]);
});

test("a list that is drawn whole leaves the search to the browser", () => {
  renderPart(<List rows={rowsOf(40)} />);
  expect(screen.queryByRole("button", { name: "Find" })).toBeNull();
  expect(pressFind()).toBe(true);
});

test("what a page shows is found: signed and grouped amounts, their zeros, and names with digits", async () => {
  const rows = [
    { id: "Club 1,000", amount: "500" },
    { id: "Other", amount: "1234.5" },
    { id: "0xab:12", amount: "7" },
    ...rowsOf(60),
  ];
  renderPart(<List rows={rows} />);
  pressFind();
  const input = await field();
  for (const [typed, row] of [
    ["−$500.00", "Club 1,000"],
    ["+500", "Club 1,000"],
    ["1,234.50", "Other"],
    ["club 1,000", "Club 1,000"],
    ["0xAB#12", "0xab:12"],
  ] as const) {
    fireEvent.change(input, { target: { value: typed } });
    fireEvent.submit(input.closest("form")!);
    await waitFor(() => expect(marked(), typed).toBe(row));
  }
  fireEvent.change(input, { target: { value: "1234.05" } });
  await waitFor(() => expect(said()).toBe("No matches"));
});

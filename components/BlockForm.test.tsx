import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { BlockForm, shownBlock } from "./BlockForm.tsx";
import { PageLoading } from "./navigation.tsx";
import { press, renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();

const hash = `0x${"ab".repeat(32)}`;

function renderForm(search = "") {
  const { opened } = renderPart(
    <>
      <PageLoading />
      <BlockForm fields={[{ parameter: "at", value: "" }]} action="Show" />
    </>,
    { search },
  );
  const name = "Block number, hash or date";
  return { opened, field: screen.getByRole<HTMLInputElement>("textbox", { name }) };
}

test.each([
  ["Block 1,153", "1153"],
  [` ${hash.toUpperCase()} `, hash],
  ["2026-11-22", "2026-11-22"],
  ["2026-11-22 10:20:30 UTC", "2026-11-22T10:20:30.999Z"],
])("%j opens the page as of that block", async (text, at) => {
  const { opened, field } = renderForm();
  fireEvent.input(field, { target: { value: text } });
  await press("button", "Show");
  await waitFor(() => expect(opened).toEqual([`/?at=${at}`]));
});

test("another state has no place of the former one's list, and keeps its filter", async () => {
  const { opened, field } = renderForm("token=0xab&from=c1&row=101&skip=7&page=2");
  fireEvent.input(field, { target: { value: "9" } });
  await press("button", "Show");
  await waitFor(() => expect(opened).toEqual(["/?token=0xab&at=9"]));
});

test("the button opens the browser's calendar, at the date in the field and up to today", async () => {
  const { field } = renderForm();
  const shown = vi.fn();
  HTMLInputElement.prototype.showPicker = shown;
  fireEvent.input(field, { target: { value: "2026-11-20" } });
  await press("button", "Choose a date");
  expect(shown).toHaveBeenCalledOnce();
  const { value, max } = document.querySelector<HTMLInputElement>("input[type=date]")!;
  expect([value, max]).toEqual(["2026-11-20", new Date().toISOString().slice(0, 10)]);
});

test("a date of the calendar is written into the field, and replaces what was refused", async () => {
  const { opened, field } = renderForm();
  fireEvent.input(field, { target: { value: "never" } });
  await press("button", "Show");
  expect([opened, field.validationMessage]).toEqual([[], "Enter a block number, a block hash or a date."]);
  fireEvent.change(document.querySelector("input[type=date]")!, { target: { value: "2026-11-22" } });
  expect([field.value, field.validationMessage]).toEqual(["2026-11-22", ""]);
  await press("button", "Show");
  await waitFor(() => expect(opened).toEqual(["/?at=2026-11-22"]));
});

test("both ends of a range are read at once, and an end that may be missing is removed", async () => {
  const since = { parameter: "since", value: "900", label: "Start" };
  const to = { parameter: "to", value: "902", label: "End", isOptional: true };
  const { opened } = renderPart(
    <>
      <PageLoading />
      <BlockForm fields={[since, to]} action="Show" />
    </>,
    { search: "since=900&to=902" },
  );
  const write = (name: string, value: string) =>
    fireEvent.input(screen.getByRole("textbox", { name }), { target: { value } });
  write("Start", "2026-11-20");
  write("End", "2026-11-25");
  await press("button", "Show");
  await waitFor(() => expect(opened).toEqual(["/?since=2026-11-20&to=2026-11-25"]));
  write("End", "");
  await press("button", "Show");
  await waitFor(() => expect(opened.at(-1)).toBe("/?since=2026-11-20"));
});

test("a block that a link names by its hash is shown by its number, once that is known", () => {
  expect([shownBlock(hash, 1_153), shownBlock(hash), shownBlock("2026-11-22", 1_153)]).toEqual([
    "1,153",
    hash,
    "2026-11-22",
  ]);
});

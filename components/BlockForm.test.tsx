import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { BlockForm } from "./BlockForm.tsx";
import { PageLoading } from "./navigation.tsx";
import { press, renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();

const hash = `0x${"ab".repeat(32)}`;

function renderForm() {
  const { opened } = renderPart(
    <>
      <PageLoading />
      <BlockForm parameter="at" value="" action="Show" />
    </>,
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

test("the end of a range keeps its beginning, and can be removed", async () => {
  const { opened } = renderPart(
    <>
      <PageLoading />
      <BlockForm
        parameter="to"
        value="902"
        action="Show up to"
        label="End"
        along={{ since: "900" }}
        isOptional
      />
    </>,
    { search: "to=902" },
  );
  await press("button", "Show up to");
  await waitFor(() => expect(opened).toHaveLength(1));
  expect(new URL(opened[0]!, "http://test").search).toBe("?to=902&since=900");
  fireEvent.input(screen.getByRole("textbox", { name: "End" }), { target: { value: "" } });
  await press("button", "Show up to");
  await waitFor(() => expect(opened).toHaveLength(2));
  expect(new URL(opened[1]!, "http://test").search).toBe("?since=900");
});

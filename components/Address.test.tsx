import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { storedLabels } from "#lib/client/labels.ts";
import { Address } from "./Address.tsx";
import { LabelButton } from "./LabelButton.tsx";
import { press, renderPart, setUpParts } from "./testing/parts.tsx";

setUpParts();
beforeEach(() => localStorage.clear());
afterEach(() => localStorage.clear());

const ADDRESS = "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xws";

function show() {
  renderPart(
    <>
      <Address address={ADDRESS} />
      <Address address={`${ADDRESS}q`} />
      <LabelButton address={ADDRESS} />
    </>,
  );
}

async function save(label: string) {
  const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Label of this address" });
  await act(async () => fireEvent.input(field, { target: { value: label } }));
  await press("button", "Save");
}

test("a label is shown beside its address at once, and is edited and removed in place", async () => {
  show();
  await press("button", "+ Label");
  await save("  Alice ");
  expect(screen.getAllByText("Alice")).toHaveLength(1);
  expect(screen.getByTitle(`Alice: ${ADDRESS}`).textContent).toBe(`Alice${ADDRESS}`);
  await press("button", "Edit label");
  await save("");
  expect(screen.queryByText("Alice")).toBeNull();
  expect(storedLabels.read()).toBeNull();
});

test("a browser that stores nothing says so, and keeps the field", async () => {
  const setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  vi.stubGlobal("localStorage", { getItem: () => null, setItem });
  show();
  await press("button", "+ Label");
  await save("Alice");
  expect(screen.getByRole("alert").textContent).toContain("could not save this");
  vi.unstubAllGlobals();
});

test("a label does not turn the text around, and one that cannot be seen does not hide its address", () => {
  storedLabels.write([
    { ref: ADDRESS, label: "abc\u202Egnp.exe\u2066" },
    { ref: `${ADDRESS}q`, label: "\u200B" },
  ]);
  show();
  expect(screen.getByText("abcgnp.exe")).toBeTruthy();
  expect(screen.getByTitle(`${ADDRESS}q`)).toBeTruthy();
});

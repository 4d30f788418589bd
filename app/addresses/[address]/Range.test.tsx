import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { Range } from "./Range.tsx";

setUpParts();

test("a preset stays marked while the tip moves on, and not for another range", () => {
  const presets = [
    { name: "1 h", height: 900, length: 100 },
    { name: "24 h", height: 0, length: 1_000 },
  ];
  const markedSince = (since: string, to?: string) => {
    renderPart(<Range presets={presets} lastVisit={undefined} since={since} to={to} whole="All" />);
    const marked = screen.getAllByRole("link").filter((link) => link.getAttribute("aria-current"));
    document.body.replaceChildren();
    return marked.map(({ textContent }) => textContent);
  };
  expect(markedSince("")).toEqual(["All"]);
  expect(markedSince("900")).toEqual(["1 h"]);
  expect(markedSince("900", "")).toEqual(["1 h"]);
  expect(markedSince("900", "950")).toEqual([]);
  expect(markedSince("890")).toEqual(["1 h"]);
  expect(markedSince("889")).toEqual([]);
  expect(markedSince("12")).toEqual(["24 h"]);
  expect(markedSince(`0x${"0".repeat(64)}`)).toEqual([]);
});

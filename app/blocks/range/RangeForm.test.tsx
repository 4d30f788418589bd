import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { RangeForm } from "./RangeForm.tsx";

setUpParts();

test("each calendar writes the chosen date into the field beside it, and into no other", () => {
  renderPart(<RangeForm tip={null} range={{ from: "900", to: "1000" }} />);
  const read = () =>
    [/after$/, /up to and including$/].map(
      (name) => screen.getByRole<HTMLInputElement>("textbox", { name }).value,
    );
  const choose = (end: string, date: string) => {
    const button = screen.getByRole("button", { name: `Choose a date: ${end}` });
    fireEvent.change(button.parentElement!.querySelector("input[type=date]")!, { target: { value: date } });
  };
  choose("up to", "2026-11-22");
  expect(read()).toEqual(["900", "2026-11-22"]);
  choose("after", "2026-11-20");
  expect(read()).toEqual(["2026-11-20", "2026-11-22"]);
});

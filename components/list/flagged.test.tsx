import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { setUpParts } from "#components/testing/parts.tsx";
import { FlaggedToggle } from "./flagged.tsx";

setUpParts();

test("the button that hides flagged entries counts them, unless there are none", () => {
  const said = (count: number) =>
    render(<FlaggedToggle flagged="show" count={count} note=" here" onChange={() => {}} />).container
      .textContent;
  expect([3, 0].map(said)).toEqual(["Hide flagged (3 here)", "Hide flagged"]);
});

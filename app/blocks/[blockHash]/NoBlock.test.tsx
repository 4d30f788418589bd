import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { NoBlock } from "./NoBlock.tsx";

setUpParts();

test.each([
  ["2020-01-01", "All indexed blocks are later than 2020-01-01 23:59:59 UTC."],
  ["2020-01-01T12%3A00%3A00Z", "All indexed blocks are later than 2020-01-01 12:00:00 UTC."],
  ["2026-02-30", "This date does not exist."],
  ["hello", "This is not a block's number or hash, or a date."],
  ["0x1234", "4 hex digits; a hash has 64."],
  ["ab".repeat(32), "No block with this hash is indexed."],
])("says why %s names no block", (blockHash, why) => {
  renderPart(<NoBlock named={blockHash} tip={{ height: 9 }} />);
  expect(screen.getByText(why)).toBeDefined();
});

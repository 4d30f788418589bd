// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { Moves } from "./Moves.tsx";

setUpParts();

test("amounts of an asset without known decimals are the same integers in its columns and in its table", () => {
  const moves = Array.from({ length: 8 }, (_, at) => ({
    ...{
      height: 108 - at,
      hash: `0x${at}`,
      timestamp: 0,
      amount: "2000000",
      amountUsd: null,
      transactions: 1,
    },
  }));
  const asset = { id: "0x1", name: "", symbol: "", decimals: 0 };
  renderPart(<Moves asset={asset} moves={moves} colour="red" />);
  expect(screen.getAllByRole("listitem")).toHaveLength(8);
  expect(screen.getByText("2M")).toBeTruthy();
  expect(screen.getAllByText("2,000,000")).toHaveLength(8);
  expect(screen.queryByText("raw")).toBeNull();
});

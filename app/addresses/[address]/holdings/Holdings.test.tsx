// @vitest-environment happy-dom
import { flexRender } from "@tanstack/react-table";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { Holding } from "#lib/client/holdings.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { terms } from "#terms";
import { holdingColumns } from "./columns.tsx";
import { Holdings } from "./Holdings.tsx";

setUpParts();

function showNothing(tip: IndexTip | null) {
  const holdings = {
    ...{ address: "ckb1test", native: terms.native, tokenCount: 0 },
    namesakes: { listed: [], bySymbol: [] },
    first: { data: { result: [], total: 0 }, tip, requestId: "" },
  };
  renderPart(<Holdings holdings={holdings} valueUsd="0" flagsOf={() => []} strip={(tools) => tools} />);
}

test("an address without outputs has a notice instead of holdings, as of its block", () => {
  showNothing({ height: 1_234, hash: "0xab" });
  expect(screen.getByText("No live cells")).toBeTruthy();
  expect(screen.getByText(/no unspent outputs as of block 1,234\.$/)).toBeTruthy();
  expect(screen.queryByRole("table")).toBeNull();
});

test("while nothing is indexed, the holdings say so", () => {
  showNothing(null);
  expect(screen.getByText("Nothing indexed yet")).toBeTruthy();
  expect(screen.queryByText("No live cells")).toBeNull();
});

test("a price has the digits that fit into its column, and all of them in its title", () => {
  const priceOf = (price: string) => {
    const { container } = render(
      flexRender(holdingColumns.find(({ id }) => id === "price")!.cell, {
        row: { original: { price, priceTime: 0 } as Holding },
      } as never),
    );
    return [container.textContent, container.querySelector("span")?.title.split(",")[0]];
  };
  expect(priceOf("0.0000002903")).toEqual(["$0.0000002903", "$0.0000002903"]);
  expect(priceOf("0.000000000000000003")).toEqual(["$0.00000000…3", "$0.000000000000000003"]);
});

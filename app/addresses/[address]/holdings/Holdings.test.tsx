import { flexRender } from "@tanstack/react-table";
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { sharesIn } from "#lib/client/format.ts";
import type { Holding } from "#lib/client/holdings.ts";
import { pasteText } from "#lib/client/paste.ts";
import type { IndexTip } from "#lib/contract/ledger.ts";
import { terms } from "#terms";
import { holdingColumns } from "./columns.tsx";
import { Holdings } from "./Holdings.tsx";
import { holdingList } from "./list.ts";

setUpParts();

function showNothing(tip: IndexTip | null) {
  const holdings = {
    ...{ address: "ckb1test", native: terms.native, tokenCount: 0, valueUsd: "0" },
    namesakes: { listed: [], bySymbol: [] },
    first: { data: { result: [], total: 0 }, tip, requestId: "" },
  };
  renderPart(
    <Holdings holdings={holdings} shares={sharesIn(0n, [])} flagsOf={() => []} strip={(tools) => tools} />,
  );
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

test("NFTs without a name are one row, and only other outputs are counted beside their amount", async () => {
  const row = (id: string, standard: string, members: number, outputCount: number) => ({
    ...{ id, name: "", symbol: "", icon: "", decimals: 0, public: false, standard, members, outputCount },
    ...{
      amount: String(members),
      capacity: "1",
      price: null,
      priceTime: null,
      valueUsd: null,
      collection: "",
    },
  });
  const result = [row("0x1", "Spore", 38, 38), row("0x2", "Spore", 1, 1), row("0x3", "xUDT", 1, 1)];
  const holdings = {
    ...{ address: "ckb1test", native: terms.native, tokenCount: 40, valueUsd: "0" },
    namesakes: { listed: [], bySymbol: [] },
    first: { data: { result, total: 3 }, tip: null, requestId: "" },
  };
  renderPart(
    <Holdings holdings={holdings} shares={sharesIn(0n, [])} flagsOf={() => []} strip={(tools) => tools} />,
  );
  const textsOf = (column: string) =>
    [...document.querySelectorAll(`td[data-column=${column}]`)].map(({ textContent }) => textContent);
  expect(screen.getByText("38 unnamed NFTs")).toBeTruthy();
  const [head, ...lines] = pasteText(result, holdingList.csv).trimEnd().split("\n");
  const [token, members] = ["token", "members"].map((name) => head!.split("\t").indexOf(name));
  const named = lines.map((line) => [line.split("\t")[token!], line.split("\t")[members!]]);
  expect(named, "a sum is not one of its NFTs").toEqual([
    ["", "38"],
    ["0x2", "1"],
    ["0x3", "1"],
  ]);
  expect(textsOf("amount")).toEqual(["38 × NFT", "1 NFT", "raw 1"]);
  expect(textsOf("outputCount")).toEqual(["", "", "1 cell"]);
  await press("button", "Show them");
  expect(screen.getByRole<HTMLInputElement>("textbox").value).toBe("unnamed NFTs");
});

import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerRequests, json, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { terms } from "#terms";
import { Statement } from "./Statement.tsx";

setUpParts();

function lineOf(height: number, transaction: string, token: string, into: string, out: string) {
  const tokenInfo = { id: token, name: token, symbol: token, icon: "", decimals: 0, standard: "xUDT" };
  return {
    ...{ height, transaction, token, tokenInfo, blockHash: `0xb${height}`, time: "2026-01-02T03:04:05.000Z" },
    ...{ opening: "100", in: into, out, closing: "100", valueUsd: "", priceUsd: "" },
  };
}

test("a statement has the newest lines first, a heading for each block and transaction, and signs", async () => {
  const result = [
    lineOf(9, "0xa1", "AAA", "5", "0"),
    lineOf(9, "0xa1", "BBB", "0", "7"),
    lineOf(9, "0xa2", "AAA", "0", "0"),
    lineOf(8, "0xa3", "AAA", "3", "0"),
  ];
  const { asked } = answerRequests(() => json({ result, hasNext: false, lastCursor: "" }));
  const holdings = {
    ...{ address: "ckb1test", native: terms.native, tokenCount: 0, valueUsd: "0" },
    namesakes: { listed: [], bySymbol: [] },
    first: { data: { result: [], total: 0 }, tip: null, requestId: "" },
  };
  renderPart(
    <Statement
      holdings={holdings}
      flagsOf={() => []}
      strip={(tools) => tools}
      presets={[]}
      lastVisit={undefined}
      first={null}
    />,
  );
  await screen.findByText("Block 9");
  expect(Object.fromEntries(new URL(asked[0]!, "http://test").searchParams)).toMatchObject({
    ...{ order: "desc", per: "transaction" },
  });
  const rows = [...document.querySelectorAll<HTMLElement>("tr[data-row]")];
  const hrefsOf = (row: HTMLElement) =>
    [...row.querySelectorAll("[data-heading] a")].map((link) => link.getAttribute("href"));
  expect(rows.map(hrefsOf)).toEqual([
    ["/blocks/0xb9", "/transactions/0xa1"],
    [],
    ["/transactions/0xa2"],
    ["/blocks/0xb8", "/transactions/0xa3"],
  ]);
  expect(rows.map((row) => row.querySelectorAll("time").length)).toEqual([1, 0, 0, 1]);
  expect(rows.map((row) => row.querySelector("[data-column=change]")!.textContent)).toEqual([
    ...["+5", "−7", "0", "+3"],
  ]);
});

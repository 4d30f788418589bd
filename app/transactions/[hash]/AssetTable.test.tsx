import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import type { TransactionAsset } from "#lib/queries/transaction/contract.ts";
import { terms } from "#terms";
import { AssetTable } from "./AssetTable.tsx";

setUpParts();

const assets = Array.from({ length: 250 }, (_, at) => {
  const id = `0x${String(at).padStart(64, "0")}`;
  const tokenInfo = { id, name: "", symbol: "", icon: "", decimals: 0, public: false };
  return { token: id, tokenInfo, in: "1", out: "1", minted: "0", burnt: "0" } as TransactionAsset;
});

function show(page: number, hasDrawLinks = false) {
  const of = { assets, more: 7, page, kinds: new Map(), flagsOf: () => [], fee: "", hasDrawLinks };
  renderPart(<AssetTable {...of} />);
  const hrefOf = (name: string) => screen.queryByRole("link", { name })?.getAttribute("href");
  return [screen.getAllByRole("row").length - 1, hrefOf("‹ Prev page"), hrefOf("Next page ›")];
}

test("assets of a transaction come in pages, the last of which names those that are not listed", () => {
  expect(show(1)).toEqual([100, null, "/?page=2"]);
  expect(screen.getByText("1–100 of 257 assets")).toBeTruthy();
  expect(screen.queryByText(/and 7 more assets/)).toBeNull();
  expect(screen.queryByRole("link", { name: /^Draw / })).toBeNull();
});

test("a page beyond the last is the last", () => {
  expect(show(9)).toEqual([50, "/?page=2", null]);
  expect(screen.getByText(/and 7 more assets/)).toBeTruthy();
});

test("rows link to the drawing of their assets if it offers only some", () => {
  show(3, true);
  const hrefs = screen
    .getAllByRole("link", { name: /^Draw / })
    .map((link) => new URL(link.getAttribute("href")!, "http://aqs.example").searchParams.get("asset"));
  expect(hrefs).toEqual(assets.slice(200).map(({ token }) => token));
});

test("what the native asset lost is called the fee, unless interest makes them differ", () => {
  const { native } = terms;
  const tokenInfo = { ...assets[0]!.tokenInfo, id: native.id, symbol: native.symbol, decimals: 0 };
  const moved = [{ ...assets[0]!, token: native.id, tokenInfo, in: "9", out: "4", burnt: "5" }];
  const lost = (fee: string) => {
    renderPart(
      <AssetTable
        assets={moved}
        more={0}
        page={1}
        kinds={new Map()}
        flagsOf={() => []}
        fee={fee}
        hasDrawLinks={false}
      />,
    );
    const { textContent } = screen.getAllByRole("row").at(-1)!;
    document.body.replaceChildren();
    return textContent;
  };
  expect(lost("5")).toMatch(/5 fee$/);
  expect(lost("6")).toMatch(/5$/);
});

import { fireEvent, screen } from "@testing-library/react";
import { useState } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { assetColour, REST_COLOUR } from "#components/asset-colour.ts";
import { answerRequests, json, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { BlockChanges } from "./BlockChanges.tsx";
import { Largest } from "./Headline.tsx";
import { assetChangeList } from "./list.ts";
import { Shares, volumesOf } from "./Shares.tsx";

setUpParts();

function Newest() {
  const [pricedCount, setCount] = useState(1);
  return (
    <>
      <button type="button" onClick={() => setCount(0)}>
        Next block
      </button>
      <Shares
        block={{ volumeUsd: "0", assetCount: 2, pricedCount, tags: [], hash: `0x${pricedCount}` }}
        largest={[]}
        flagsOf={() => []}
        path="/blocks/tip"
        steady
      />
    </>
  );
}

test("the open chart of the newest block stays open, even if a block has no price", () => {
  renderPart(<Newest />);
  fireEvent.click(screen.getByRole("button", { name: "Chart" }));
  fireEvent.click(screen.getByRole("button", { name: "Next block" }));
  expect(screen.getByText("No asset here has a price.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Chart" }).getAttribute("aria-expanded")).toBe("true");
});

test("a single asset that is too small to draw is named, with its own share", () => {
  const volumes = [52_680n, 24_112n, 23_204n, 4n];
  const largest = volumes.map((amount, at) => ({
    asset: { id: `0x${at}`, name: "", symbol: `S${at}`, decimals: 8, tags: [], icon: "", standard: "xUDT" },
    amountUsd: String(amount),
    amount: "1",
  }));
  const block = { volumeUsd: "100000", assetCount: 4, pricedCount: 4, tags: [] };
  renderPart(<Shares block={block} largest={largest} flagsOf={() => []} path="/blocks/1" />);
  const [areas] = screen.getAllByRole("list", { name: "Volume by asset" });
  expect(areas!.lastChild!.textContent).toBe("and S3, too small to draw: < $0.0001 · < 0.01 %");
});

/** A block that moved one unit of each asset, worth so many US dollars. */
function blockOf(symbols: string[], usd: 0 | 1) {
  const assets = symbols.map((symbol, at) => ({ id: `0x${at}`, name: "", symbol, icon: "", decimals: 8 }));
  const largest = assets.map((asset) => ({
    asset: { ...asset, tags: [], standard: "xUDT" },
    ...{ amountUsd: String(usd * 100_000_000), amount: "1" },
  }));
  const result = assets.map((asset) => ({
    ...{ asset, tags: [], amount: 1n, amountExact: "1" },
    ...{ amountUsd: String(usd), amountUsdExact: String(usd) },
  }));
  const count = symbols.length;
  const sums = { volumeUsd: String(usd * count * 100_000_000), assetCount: count, tags: [] };
  return { largest, result, sums };
}

/** The list of the block, with all rows. */
function List({ largest, result, sums }: ReturnType<typeof blockOf>) {
  const { assetCount } = sums;
  const blockHash = "0xab";
  const view = { asset: "", name: "", tags: [], order: "desc", page: 1, size: 25, flagged: "hide" } as const;
  return (
    <BlockChanges
      block={{ height: 7, hash: blockHash, timestamp: 0, assetCount, transactionCount: 3 }}
      moved={{
        ...sums,
        ...{ native: null, namesakes: { listed: [], bySymbol: [] }, largest: volumesOf(largest) },
      }}
      first={{
        path: assetChangeList.pathOf({ blockHash }, { ...view, tags: [] }),
        response: { data: { result, total: assetCount }, tip: null, requestId: "" },
      }}
    />
  );
}

const TEN = Array.from({ length: 10 }, (_, at) => `S0x${at}`);

test("the tiles, the rows and the sentence of a block have the same shares, which add up to 100 %", async () => {
  const block = blockOf(["A", "B", "C"], 1);
  const { largest, result, sums } = block;
  renderPart(
    <>
      <p>
        <Largest changes={largest} volumeUsd={sums.volumeUsd} flagsOf={() => []} />
      </p>
      <Shares block={{ ...sums, pricedCount: 3 }} largest={largest} flagsOf={() => []} path="/blocks/1" />
      <List {...block} />
    </>,
  );
  const shares = ["33.34 %", "33.33 %", "33.33 %"];
  const textsOf = (parts: Iterable<Element>) =>
    Array.from(parts, ({ textContent }) => /[\d.]+ %/.exec(textContent!)?.[0]);
  for (const list of screen.getAllByRole("list", { name: "Volume by asset" }))
    expect(textsOf(list.children)).toEqual(shares);
  expect(textsOf(document.querySelectorAll("tr[data-row] [data-column=share]"))).toEqual(shares);
  expect(document.querySelector("p")!.textContent).toBe(", led by A (33.34 %) and B (33.33 %)");
  // The line above a list of one asset has its row's share.
  answerRequests((path) =>
    path.startsWith("/v0/")
      ? json({ result: result.slice(0, 1), total: 1 })
      : json({ volumeUsd: "100000000" }),
  );
  fireEvent.change(screen.getByRole("textbox", { name: "Name, symbol or id" }), { target: { value: "0x0" } });
  expect(await screen.findByText(/33\.34 % of the block$/)).toBeTruthy();
});

test("without prices, the first eight assets of a block differ in colour, too, and the others are grey", () => {
  renderPart(<List {...blockOf(TEN, 0)} />);
  const fills = [...document.querySelectorAll("tr[data-row]")].map((row) =>
    row.querySelector("[data-column=asset] circle")?.getAttribute("fill"),
  );
  expect(new Set(fills.slice(0, 8)).size).toBe(8);
  expect(fills).not.toContain(undefined);
  expect(fills.slice(8)).toEqual([REST_COLOUR, REST_COLOUR]);
});

test("tiles of a block differ in colour, also if assets share their own, and each row's bar has its tile's", () => {
  const block = blockOf(TEN, 1);
  const { largest, sums } = block;
  const ids = largest.map(({ asset }) => asset.id);
  expect(new Set(ids.slice(0, 8).map(assetColour)).size).toBeLessThan(8);
  // The simulated document drops mixed colours, which text keeps.
  const chart = document.createElement("div");
  chart.innerHTML = renderToStaticMarkup(
    <Shares block={{ ...sums, pricedCount: 10 }} largest={largest} flagsOf={() => []} path="/blocks/1" />,
  );
  renderPart(<List {...block} />);
  const coloursIn = (parts: Iterable<Element>) =>
    Array.from(parts, (part) => /var\(--color-asset-\w+\)/.exec(part.innerHTML)?.[0]);
  const tiles = coloursIn(chart.querySelector("[aria-label='Volume by asset']")!.children);
  expect(new Set(tiles.slice(0, 8)).size).toBe(8);
  expect(tiles.slice(8)).toEqual([REST_COLOUR, REST_COLOUR]);
  expect(coloursIn(document.querySelectorAll("tr[data-row] [data-column=share]"))).toEqual(tiles);
});

import { cleanup, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPart, setUpParts } from "#components/testing/parts.tsx";
import { Moves } from "./Moves.tsx";

setUpParts();

const asset = { id: "0x1", name: "", symbol: "", decimals: 0, standard: "xUDT" };

/** The first page. */
const page = { hasOlder: false, before: undefined, mayReadTransactions: true };

const movesOf = (...values: (string | null)[]) =>
  values.map((amountUsd, at) => ({
    ...{ height: 108 - at, hash: `0x${at}`, timestamp: 0, amount: "2000000", amountUsd, transactions: 1 },
    transaction: at === 0 ? "0xa" : null,
  }));

test("there is a column of values if any move has one", () => {
  renderPart(<Moves asset={asset} moves={movesOf(null, "100000000")} {...page} />);
  expect(
    screen.getAllByRole("row").map(({ lastElementChild }) => lastElementChild?.previousSibling?.textContent),
  ).toEqual(["Value", "—", "$1.00"]);
});

test("a single transaction is a link away, others are in the block's list", () => {
  renderPart(<Moves asset={asset} moves={movesOf(null, null)} {...page} />);
  const links = screen.getAllByRole("link", { name: /^1 transaction in block/ });
  expect(links.map((link) => link.getAttribute("href"))).toEqual([
    "/transactions/0xa",
    "/blocks/0x1?tab=transactions&asset=0x1",
  ]);
});

test("a reader who may not see transactions finds the single one in the block's list", () => {
  renderPart(<Moves asset={asset} moves={movesOf(null)} {...page} mayReadTransactions={false} />);
  const link = screen.getByRole("link", { name: /^1 transaction in block/ });
  expect(link.getAttribute("href")).toBe("/blocks/0x0?tab=transactions&asset=0x1");
});

test("a token that no indexed block moved says so", () => {
  renderPart(<Moves asset={asset} moves={[]} {...page} />);
  expect(screen.getByText("No indexed block moved this token")).toBeTruthy();
});

test("older moves are a link away, and the latest ones from there", () => {
  const hrefs = () =>
    screen.getAllByRole("link", { name: /transfers/ }).map((link) => link.getAttribute("href"));
  renderPart(<Moves asset={asset} moves={movesOf(null, null)} {...page} hasOlder />);
  expect(screen.getAllByRole("row")).toHaveLength(3);
  expect(screen.getByText(/that moved it/).textContent).toBe("the last 2 blocks that moved it");
  expect(hrefs()).toEqual([expect.stringContaining("before=107")]);
  cleanup();
  renderPart(<Moves asset={asset} moves={movesOf(null)} {...page} before={109} />);
  expect(screen.getByRole("heading").textContent).toBe("Transfers before block 109");
  expect(hrefs()).toEqual([expect.not.stringContaining("before")]);
});

test("a single move is that of the last block, without a count", () => {
  renderPart(<Moves asset={asset} moves={movesOf(null)} {...page} />);
  expect(screen.getByText(/that moved it/).textContent).toBe("the last block that moved it");
});

test("amounts of an asset without known decimals are the same integers in its columns and in its table", () => {
  const moves = movesOf(...Array(8).fill(null));
  renderPart(<Moves asset={asset} moves={moves} {...page} />);
  expect(screen.getAllByRole("listitem")).toHaveLength(8);
  expect(screen.getByText("2M")).toBeTruthy();
  expect(screen.getAllByText("2,000,000")).toHaveLength(8);
  expect(screen.queryByText("raw")).toBeNull();
  expect(screen.queryByText("Value")).toBeNull();
});

test("columns stand at the times of their blocks, below an axis of times", () => {
  const times = [900, 600, 590, 580, 570, 560];
  const moves = movesOf(...Array(6).fill(null)).map((move, at) => ({ ...move, timestamp: times[at]! }));
  renderPart(<Moves asset={asset} moves={moves} {...page} />);
  const chart = screen.getByRole("list", { name: "Amount moved, by block" });
  const part = (text: string) => Number.parseFloat(text) / 100;
  for (const [at, link] of [...chart.querySelectorAll("a")].entries()) {
    const area = link.closest("li")!.style;
    const { left, transform } = link.querySelector("span")!.style;
    const place = (times.toReversed()[at]! - 560) / 340;
    expect(part(area.left) + part(left) * part(area.width)).toBeCloseTo(place, 4);
    // Within the chart by a part of its own width.
    expect(part(transform.slice("translateX(".length))).toBeCloseTo(-place, 4);
  }
  const axis = document.querySelectorAll("ul + p time, div + p time");
  expect([...axis].map((time) => Date.parse(time.getAttribute("datetime")!))).toEqual([560, 730, 900]);
});

test("an amount of NFTs has its unit, as in lists", () => {
  renderPart(
    <Moves
      asset={{ ...asset, standard: "Spore" }}
      moves={[{ ...movesOf(null)[0]!, amount: "1" }]}
      {...page}
    />,
  );
  expect(screen.getByText("1 NFT")).toBeTruthy();
});

import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { answerRequests, json, press, renderPart, setUpParts } from "#components/testing/parts.tsx";
import { readView } from "#lib/client/url-state.ts";
import { Holders } from "./Holders.tsx";
import { holderList } from "./list.ts";

setUpParts();

test("holders are those of a past block if one is named, without shares of the present supply", async () => {
  const result = [{ address: "ckb1a", amount: "5", capacity: "1", outputCount: 1 }];
  const { asked } = answerRequests(() => json({ result, hasNext: false, lastCursor: "" }));
  const asset = { id: "0x01", name: "Coin", symbol: "C", decimals: 0, standard: "xUDT" };
  renderPart(<Holders asset={asset} supply="9" price="1" total={70} first={null} tabs={[]} />, {
    search: "at=12",
  });
  const heads = () => screen.getAllByRole("columnheader").map(({ textContent }) => textContent);
  await screen.findByText(/End of list: 1 holder/);
  expect(asked).toEqual([expect.stringContaining("at=12")]);
  expect(heads()).toEqual(["#", "Address", "Amount", "Cells"]);
  await press("button", "Back to now");
  await screen.findByRole("columnheader", { name: "Share" });
  expect(asked.at(-1)).not.toContain("at=");
});

test("the bar of a holder is relative to the largest one, and its share to the supply", () => {
  const holder = (address: string, amount: string) => ({ address, amount, capacity: "1", outputCount: 1 });
  const result = [holder("ckb1a", "40"), holder("ckb1b", "10")];
  const data = { result, hasNext: false, lastCursor: "" };
  const path = holderList.pathOf({ id: "0x01" }, readView(holderList.fields, new URLSearchParams()));
  const first = { path, response: { data, tip: null, requestId: "" } };
  const asset = { id: "0x01", name: "Coin", symbol: "C", decimals: 0, standard: "xUDT" };
  renderPart(<Holders asset={asset} supply="100" price={null} total={2} first={first} tabs={[]} />);
  const shares = [...document.querySelectorAll("td[data-column=share]")];
  expect(shares.map(({ textContent }) => textContent)).toEqual(["40.00 %", "10.00 %"]);
  const bars = shares.map((cell) => cell.querySelector<HTMLElement>("span[style]")?.style.width);
  expect(bars).toEqual(["100%", "25%"]);
});

test("the shares of all holders add up to 100 %, in the line above the list as well", () => {
  const result = ["ckb1a", "ckb1b", "ckb1c"].map((address) => ({
    ...{ address, amount: "1", capacity: "1", outputCount: 1 },
  }));
  const data = { result, hasNext: false, lastCursor: "" };
  const path = holderList.pathOf({ id: "0x01" }, readView(holderList.fields, new URLSearchParams()));
  const first = { path, response: { data, tip: null, requestId: "" } };
  const asset = { id: "0x01", name: "Coin", symbol: "C", decimals: 0, standard: "xUDT" };
  renderPart(<Holders asset={asset} supply="3" price={null} total={3} first={first} tabs={[]} />);
  const textsOf = (parts: Iterable<Element>) =>
    Array.from(parts, ({ textContent }) => /[\d.]+ %/.exec(textContent!)?.[0]);
  const shares = ["33.34 %", "33.33 %", "33.33 %"];
  expect(textsOf(document.querySelectorAll("td[data-column=share]"))).toEqual(shares);
  expect(textsOf(screen.getByRole("list", { name: "Shares of the supply" }).children)).toEqual(shares);
});

test("a list that is opened in its middle rounds each share alone", () => {
  const result = ["ckb1b", "ckb1c"].map((address) => ({
    ...{ address, amount: "1", capacity: "1", outputCount: 1 },
  }));
  const data = { result, hasNext: false, lastCursor: "" };
  const search = "from=1&row=2";
  const path = holderList.pathOf({ id: "0x01" }, readView(holderList.fields, new URLSearchParams(search)));
  const first = { path, response: { data, tip: null, requestId: "" } };
  const asset = { id: "0x01", name: "Coin", symbol: "C", decimals: 0, standard: "xUDT" };
  renderPart(<Holders asset={asset} supply="3" price={null} total={3} first={first} tabs={[]} />, { search });
  const texts = Array.from(document.querySelectorAll("td[data-column=share]"), (cell) => cell.textContent);
  expect(texts).toEqual(["33.33 %", "33.33 %"]);
});

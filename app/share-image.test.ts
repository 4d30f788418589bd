import { readFileSync } from "node:fs";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { Picture, plainlyNamed } from "./share-image.tsx";

const drawn = renderToStaticMarkup(
  createElement(Picture, {
    title: "Block  1,000",
    subject: "0x71a3… · 木 9d0e",
    figures: [
      ["Cells", "3"],
      ["Capacity, CKB", "61,500,000.25"],
    ],
    lines: ["Holds ", "As of 木 block 7"],
  }),
);

test("the figures of a share image have one size, whatever their lengths", () => {
  const sizes = ["3", "61,500,000.25"].map(
    (value) => new RegExp(`text-\\[(\\d+)px\\]"[^>]*>${value}<`).exec(drawn)?.[1],
  );
  expect(sizes).toEqual(["27", "27"]);
});

test("the texts of a share image have no double or trailing spaces", () => {
  const texts = [...drawn.matchAll(/>([^<]+)</g)].map(([, text]) => text);
  expect(texts).toEqual([
    ...["Asset Query Service", "Block 1,000", "0x71a3... - 9d0e", "Cells", "3"],
    ...["Capacity, CKB", "61,500,000.25", "Holds", "As of block 7"],
  ]);
});

test("a share image names no asset with a flag, without a symbol, or with one that it cannot draw", () => {
  const native = { id: "0x00", symbol: "CKB", name: "CKB", decimals: 8, icon: "", standard: "native" };
  const named = (id: string, symbol: string) => ({ id, symbol, name: symbol, decimals: 0 });
  const assets = ["GOLD", "СКВ", "", "木木", "USDI"].map((symbol, i) => named(`0x0${i + 1}`, symbol));
  const listed = [{ ...named("0x09", "USDI"), public: true }];
  expect(plainlyNamed(assets, { native, listed, bySymbol: [] })).toEqual([assets[0]]);
});

test("a share image has no colours but those of the pages in the light theme", () => {
  const css = readFileSync(new URL("./globals.css", import.meta.url), "utf8");
  const light = Array.from(css.matchAll(/: light-dark\((#[0-9a-f]{6}),/g), ([, colour]) => colour);
  const drawnColours = Array.from(drawn.matchAll(/\[(#[0-9a-f]{6})\]/g), ([, colour]) => colour);
  expect(drawnColours).toContain("#0b7a5f");
  expect(drawnColours.filter((colour) => !light.includes(colour))).toEqual([]);
});

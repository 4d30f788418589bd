import { expect, test } from "vitest";
import { exportPieces } from "#lib/client/export.ts";
import { holderFile } from "./list.ts";

test("a file of holders has amounts in the smallest unit and in whole ones", () => {
  const holder = { address: "ckb1", amount: "150", capacity: "9", outputCount: 1 };
  const { csv } = holderFile({ name: "Coin", symbol: "C", decimals: 2 });
  const subject = { symbol: "C", name: "Coin", decimals: 2, asset_id: "0x01" };
  const facts = { subject, query: "/v0", time: 0, tip: null, complete: true };
  const [heads, row] = exportPieces([holder], "csv", csv, facts).join("").split("\r\n");
  expect(heads).toMatch(/^\ufeff"symbol","name","decimals","asset_id","address","amount","amount_in_units",/);
  expect(row).toMatch(/^"C","Coin","2","0x01","ckb1","150","1\.5",/);
});

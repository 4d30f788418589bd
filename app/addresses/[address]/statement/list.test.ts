import { expect, test } from "vitest";
import { exportPieces } from "#lib/client/export.ts";
import type { StatementLine } from "#lib/queries/address-statement/contract.ts";
import { statementList } from "./list.ts";

test("a file of a statement has all amounts in the smallest unit and in whole ones", () => {
  const tokenInfo = { name: "Coin", symbol: "C", decimals: 2 } as NonNullable<StatementLine["tokenInfo"]>;
  const amounts = { opening: "150", in: "50", out: "0", closing: "200" };
  const line: StatementLine = {
    height: 7,
    blockHash: "0xcd",
    transaction: "0xef",
    time: "",
    token: "0x01",
    tokenInfo,
    ...amounts,
  };
  const facts = { subject: { address: "ckb1" }, query: "/v0", time: 0, tip: null, complete: true };
  const [heads, row] = exportPieces([line], "csv", statementList.csv, facts).join("").split("\r\n");
  expect(heads).toContain(
    '"opening","opening_in_units","in","in_in_units","out","out_in_units","closing","closing_in_units"',
  );
  expect(row).toMatch(/^"ckb1","7","0xcd","0xef","","0x01","C","Coin","2",/);
  expect(row).toContain('"150","1.5","50","0.5","0","0","200","2"');
});

import { describe, expect, test } from "vitest";
import { exportPieces } from "#lib/client/export.ts";
import { readView } from "#lib/client/url-state.ts";
import type { UtxoEntry } from "#lib/queries/address-utxos/contract.ts";
import { utxoList } from "./list.ts";

const viewOf = (search: string) => readView(utxoList.fields, new URLSearchParams(search));

function utxo(outPoint: string, overrides: Partial<UtxoEntry["tokenInfo"]> = {}): UtxoEntry {
  const tokenInfo = {
    id: "0x01",
    name: "Coin",
    symbol: "C",
    decimals: 8,
    ...overrides,
  } as UtxoEntry["tokenInfo"];
  return {
    token: "0x01",
    tokenInfo,
    blockHeight: 5,
    blockHash: "0x05",
    blockTime: "2026-01-02T03:04:05.000Z",
    outPoint,
    amount: "150000000",
    capacity: "6100000000",
    kind: "dao-deposit",
    until: "block 7",
    compensation: "12",
  };
}

describe("the request of a view", () => {
  test("is newest first, although the operation is not", () => {
    expect(utxoList.pathOf({ address: "ckb1" }, viewOf(""))).toBe(
      "/v0/addresses/ckb1/utxos?order=desc&include=kind%2Ctime%2Cblock&value=usd&pageSize=100",
    );
  });

  test("has the token and the cursor, but nothing that only the page uses", () => {
    expect(
      utxoList.pathOf({ address: "ckb1" }, viewOf("token=0xab&order=asc&from=c1&flagged=show&lock=1")),
    ).toBe(
      "/v0/addresses/ckb1/utxos?token=0xab&cursor=c1&include=kind%2Ctime%2Cblock&value=usd&pageSize=100",
    );
  });
});

test("earlier entries are those after one in the opposite order", () => {
  const before = (search: string) => utxoList.before!(viewOf(search), "0xaa:3");
  expect(before("from=c1")).toEqual({ cursor: "", after: "0xaa:3", order: "asc" });
  expect(before("order=asc")).toEqual({ cursor: "", after: "0xaa:3", order: "desc" });
});

describe("the list as CSV", () => {
  const factsOf = { subject: {}, query: "/v0", time: 0, tip: null, complete: true };
  const csv = (entry: UtxoEntry) =>
    exportPieces([entry], "csv", utxoList.csv, factsOf).join("").split("\r\n");

  test("has separate columns for transaction hash and index", () => {
    const [heads, row] = csv(utxo("0xaa:3"));
    expect(heads).toBe(
      '\ufeff"out_point","transaction_hash","output_index","block_height","block_hash","block_time","token","symbol","name","decimals","amount","amount_in_units","capacity","price_usd","value_usd","kind","until","compensation","as_of_block","as_of_block_hash","complete"',
    );
    expect(row).toBe(
      '"0xaa:3","0xaa","3","5","0x05","2026-01-02T03:04:05.000Z","0x01","C","Coin","8","150000000","1.5","6100000000","","","dao-deposit","block 7","12","","","yes"',
    );
  });

  test("leaves the scaled amount empty if the scale is implausible", () => {
    expect(csv(utxo("0xaa:3", { decimals: 200 }))[1]).toContain('"200","150000000","",');
  });

  test("leaves the scaled amount empty if the page calls the scale unknown", () => {
    const silent = { name: "", symbol: "", decimals: 0 };
    expect(csv(utxo("0xaa:3", silent))[1]).toContain('"","","0","150000000","",');
  });
});

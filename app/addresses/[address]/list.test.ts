import { afterEach, describe, expect, test, vi } from "vitest";
import { exportText } from "#lib/client/export.ts";
import { readUrlState } from "#lib/client/url-state.ts";
import type { UtxoEntry } from "#lib/contract/endpoints.ts";
import { utxoList, utxosPath, walkUtxos } from "./list.ts";

const viewOf = (search: string) => readUrlState(utxoList.fields, new URLSearchParams(search));

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
    outPoint,
    amount: "150000000",
    capacity: "6100000000",
    kind: "dao-deposit",
    until: "block 7",
    compensation: "12",
  };
}

afterEach(() => vi.unstubAllGlobals());

describe("the request of a view", () => {
  test("leaves out what the operation does by default", () => {
    expect(utxosPath("ckb1", viewOf(""))).toBe("/v0/addresses/ckb1/utxos?include=kind&pageSize=100");
  });

  test("has the token, the order and the cursor; not what only the page shows", () => {
    expect(utxosPath("ckb1", viewOf("token=0xab&order=desc&from=c1&flagged=show&lock=1"))).toBe(
      "/v0/addresses/ckb1/utxos?token=0xab&order=desc&cursor=c1&include=kind&pageSize=100",
    );
  });
});

describe("the list as CSV", () => {
  const factsOf = { query: "/v0", time: 0, tip: null, complete: true };
  const csv = (entry: UtxoEntry) => exportText([entry], "csv", utxoList.csv, factsOf).split("\r\n");

  test("has transaction hash and index apart", () => {
    const [, heads, row] = csv(utxo("0xaa:3"));
    expect(heads).toBe(
      '"out_point","transaction_hash","output_index","block_height","token","symbol","name","decimals","amount","amount_in_units","capacity","kind","until","compensation"',
    );
    expect(row).toBe(
      '"0xaa:3","0xaa","3","5","0x01","C","Coin","8","150000000","1.5","6100000000","dao-deposit","block 7","12"',
    );
  });

  test("leaves the scaled amount empty if the scale cannot be meant", () => {
    expect(csv(utxo("0xaa:3", { decimals: 200 }))[2]).toContain('"200","150000000","",');
  });

  test("leaves the scaled amount empty if the page calls the scale unknown", () => {
    const silent = { name: "", symbol: "", decimals: 0 };
    expect(csv(utxo("0xaa:3", silent))[2]).toContain('"","","0","150000000","",');
  });
});

test("an export reads the view's list by cursor from its start, a thousand entries a request", async () => {
  const urls: string[] = [];
  const bodies = [
    { result: [utxo("a:0"), utxo("a:1")], hasNext: true, lastCursor: "c1" },
    { result: [utxo("a:1"), utxo("b:0")], hasNext: false, lastCursor: "c2" },
  ];
  vi.stubGlobal("fetch", async (url: string) => {
    urls.push(url);
    return new Response(JSON.stringify(bodies[urls.length - 1]));
  });
  const rows: string[] = [];
  await walkUtxos("ckb1", viewOf("order=desc&from=c9"), {
    signal: new AbortController().signal,
    onProgress: () => {},
    onRows: (some) => rows.push(...some.map(({ outPoint }) => outPoint)),
  });
  expect(rows).toEqual(["a:0", "a:1", "b:0"]);
  expect(urls).toEqual([
    "/v0/addresses/ckb1/utxos?order=desc&include=kind&pageSize=1000",
    "/v0/addresses/ckb1/utxos?order=desc&cursor=c1&include=kind&pageSize=1000",
  ]);
});

import { afterEach, describe, expect, test, vi } from "vitest";
import type { AssetChange, UtxoEntry } from "#lib/contract/endpoints.ts";
import {
  csvField,
  type ExportFacts,
  exportName,
  exportText,
  walkAssetChanges,
  walkUtxos,
  wholeList,
} from "./export.ts";

const facts: ExportFacts = {
  list: "asset-changes",
  query: "/v0/blocks/0xab/asset-changes?tags=a",
  time: Date.UTC(2026, 2, 6, 8, 12, 45),
  tip: { height: 7, hash: "0xcd" },
  complete: true,
};
const u128Max = 340282366920938463463374607431768211455n;

function change(overrides: Partial<AssetChange["asset"]> = {}): AssetChange {
  const asset = { id: "0x01", name: "Coin", symbol: "C", icon: "", decimals: 8, ...overrides };
  return { amount: u128Max, amountUsd: "0.10000001", asset, tags: ["a", "b"] };
}

function utxo(outPoint: string, overrides: Partial<UtxoEntry["tokenInfo"]> = {}): UtxoEntry {
  const tokenInfo = {
    id: "0x01",
    name: "Coin",
    symbol: "C",
    decimals: 8,
    ...overrides,
  } as UtxoEntry["tokenInfo"];
  return { token: "0x01", tokenInfo, blockHeight: 5, outPoint, amount: "150000000", capacity: "6100000000" };
}

const noOptions = () => ({ signal: new AbortController().signal, onProgress: () => {}, onRows: () => {} });

afterEach(() => vi.unstubAllGlobals());

describe("a CSV field", () => {
  test.each(["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx"])("of text %j is no formula", (text) => {
    expect(csvField(text)).toBe(`"'${text}"`);
  });

  test("keeps its quotes, commas and line breaks inside", () => {
    expect(csvField('a"b,c\nd')).toBe('"a""b,c\nd"');
  });
});

describe("an exported file", () => {
  test("as CSV has facts, headings, and every digit", () => {
    const lines = exportText([change({ name: '=HYPERLINK("x")' })], "csv", facts).split("\r\n");
    expect(lines[0]).toContain("# asOfBlock: 7");
    expect(lines[0]).toContain("# complete: true");
    expect(lines[1]).toBe(
      '"asset_id","symbol","name","decimals","amount","amount_in_units","amount_usd","tags"',
    );
    expect(lines[2]).toBe(
      `"0x01","C","'=HYPERLINK(""x"")","8","${u128Max}","3402823669209384634633746074317.68211455","0.10000001","a; b"`,
    );
  });

  test("as CSV of outputs has transaction hash and index apart", () => {
    const lines = exportText([utxo("0xaa:3")], "csv", { ...facts, list: "utxos" }).split("\r\n");
    expect(lines[2]).toBe('"0xaa:3","0xaa","3","5","0x01","C","Coin","8","150000000","1.5","6100000000"');
  });

  test("leaves the scaled amount empty where the scale cannot be meant", () => {
    expect(exportText([utxo("0xaa:3", { decimals: 200 })], "csv", { ...facts, list: "utxos" })).toContain(
      '"200","150000000","",',
    );
  });

  test("leaves the scaled amount empty where the page calls the scale unknown", () => {
    const silent = { name: "", symbol: "", decimals: 0 };
    expect(exportText([utxo("0xaa:3", silent)], "csv", { ...facts, list: "utxos" })).toContain(
      '"","","0","150000000","",',
    );
    expect(exportText([change(silent)], "csv", facts)).toContain(`"","","0","${u128Max}","",`);
    const whole = { name: "Moor", symbol: "", decimals: 0 };
    expect(exportText([change(whole)], "csv", facts)).toContain(`"0","${u128Max}","${u128Max}",`);
  });

  test("as JSON and NDJSON writes amounts and dollars as numbers with all digits", () => {
    expect(exportText([change()], "json", facts)).toContain(
      `"amount": ${u128Max},\n      "amountUsd": 0.10000001,`,
    );
    const [about, row] = exportText([change()], "ndjson", { ...facts, complete: false }).split("\n");
    expect(about).toContain('"complete":false');
    expect(row).toContain(`"amount":${u128Max},"amountUsd":0.10000001,`);
  });

  test("of all rows names the list's request, not that of one page", () => {
    expect(wholeList("/v0/blocks/0xab/asset-changes?tags=a&tags=b&page=3&pageSize=10")).toBe(
      "/v0/blocks/0xab/asset-changes?tags=a&tags=b",
    );
    expect(wholeList("/v0/addresses/ckb1/utxos?cursor=c1&pageSize=100")).toBe("/v0/addresses/ckb1/utxos");
  });

  test("has a name of our own characters only", () => {
    expect(exportName("utxos", "ckb1q/../x?", "csv", facts.time)).toBe("utxos-ckb1qx-20260306081245.csv");
  });
});

describe("walking a list for export", () => {
  function answers(...bodies: (object | number)[]) {
    const urls: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => {
      urls.push(url);
      const body = bodies[urls.length - 1];
      if (typeof body !== "number") return new Response(JSON.stringify(body));
      const error = { code: "TOO_MANY_REQUESTS", message: "Too many requests", issues: [] };
      return new Response(JSON.stringify(error), { status: body, headers: { "Retry-After": "0" } });
    });
    return urls;
  }

  test("follows the cursor to the end, each out point once", async () => {
    const urls = answers(
      { result: [utxo("a:0"), utxo("a:1")], hasNext: true, lastCursor: "c1" },
      { result: [utxo("a:1"), utxo("b:0")], hasNext: false, lastCursor: "c2" },
    );
    const rows: string[] = [];
    await walkUtxos(
      { address: "ckb1", order: "asc" },
      { ...noOptions(), onRows: (some) => rows.push(...some.map((one) => one.outPoint)) },
    );
    expect(rows).toEqual(["a:0", "a:1", "b:0"]);
    expect(urls[1]).toBe("/v0/addresses/ckb1/utxos?order=asc&cursor=c1&pageSize=1000");
  });

  test("stops with an error where the cursor repeats", async () => {
    answers(
      { result: [utxo("a:0")], hasNext: true, lastCursor: "c1" },
      { result: [utxo("a:1")], hasNext: true, lastCursor: "c1" },
    );
    await expect(walkUtxos({ address: "ckb1", order: "asc" }, noOptions())).rejects.toThrow(
      "does not advance",
    );
  });

  test("waits as asked where the limit is reached, then goes on", async () => {
    answers(429, { result: [utxo("a:0")], hasNext: false, lastCursor: "c1" });
    const pauses: unknown[] = [];
    await walkUtxos(
      { address: "ckb1", order: "asc" },
      { ...noOptions(), onProgress: (_rows, pause) => pauses.push(pause && [pause.error, pause.failures]) },
    );
    expect(pauses).toEqual([[expect.objectContaining({ code: "TOO_MANY_REQUESTS" }), 1], null]);
  });

  test("reads pages until the total is reached", async () => {
    const hundred = Array.from({ length: 100 }, (_, at) => ({ ...change(), amount: at, amountUsd: 0 }));
    const urls = answers({ result: hundred, total: 101 }, { result: hundred.slice(0, 1), total: 101 });
    let count = 0;
    await walkAssetChanges(
      { blockHash: "0xab", assetName: "x", tags: ["a", "b"], volumeOrder: "asc" },
      {
        ...noOptions(),
        onRows: (some) => {
          count += some.length;
        },
      },
    );
    expect(count).toBe(101);
    expect(urls).toHaveLength(2);
    expect(urls[1]).toContain("tags=a&tags=b&orderKey=volume&orderDirection=asc&page=2&pageSize=100");
  });

  test("ends at once where it was cancelled", async () => {
    const controller = new AbortController();
    controller.abort(new Error("cancelled"));
    vi.stubGlobal("fetch", async () => {
      throw new Error("aborted");
    });
    await expect(
      walkUtxos({ address: "ckb1", order: "asc" }, { ...noOptions(), signal: controller.signal }),
    ).rejects.toThrow("cancelled");
  });
});

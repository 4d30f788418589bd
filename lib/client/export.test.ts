import { describe, expect, test } from "vitest";
import { stringifyExactJson } from "#lib/util/json.ts";
import { type ExportFacts, exportName, exportPieces, type Subject, wholeList } from "./export.ts";
import type { CsvColumns } from "./list.ts";

const facts: ExportFacts = {
  subject: { block_height: 7, block_hash: "0xcd" },
  query: "/v0/blocks/0xab/asset-changes?tags=a",
  time: Date.UTC(2026, 2, 6, 8, 12, 45),
  tip: { height: 7, hash: "0xcd" },
  complete: true,
};
const u128Max = 340282366920938463463374607431768211455n;

interface Entry {
  id: string;
  amount: bigint;
  amountUsd: string;
}
const csv: CsvColumns<Entry> = {
  id: [
    ["id", ({ id }) => id],
    ["first", ({ id }) => id[0] ?? ""],
  ],
  amount: [["amount", ({ amount }) => amount]],
  amountUsd: [],
};
const entry = (id: string): Entry => ({ id, amount: u128Max, amountUsd: "0.10000001" });

describe("an exported file", () => {
  test("as CSV has headings, every digit, the subject in its first columns and the block in its last", () => {
    const lines = exportPieces([entry('=HYPERLINK("x")')], "csv", csv, facts)
      .join("")
      .split("\r\n");
    expect(lines[0]).toBe(
      '\ufeff"block_height","block_hash","id","first","amount","as_of_block","as_of_block_hash","complete"',
    );
    expect(lines[1]).toBe(`"7","0xcd","'=HYPERLINK(""x"")","'=","${u128Max}","7","${facts.tip!.hash}","yes"`);
  });

  test("says which blocks are indexed if not all are", () => {
    const partial = { ...facts, tip: { height: 7, hash: "0xcd", coverage: "3, 5-7" } };
    expect(exportPieces([entry("a")], "csv", csv, facts).join("")).not.toContain("indexed_blocks");
    expect(exportPieces([entry("a")], "csv", csv, partial).join("")).toContain('"3, 5-7"');
    for (const format of ["json", "ndjson"] as const) {
      expect(JSON.parse(exportPieces([], format, csv, partial).join(""))).toMatchObject({
        indexedBlocks: "3, 5-7",
      });
    }
  });

  test("as JSON and NDJSON writes amounts and dollars as numbers with all digits", () => {
    expect(exportPieces([entry("a")], "json", csv, facts).join("")).toContain(
      `"amount": ${u128Max},\n      "amountUsd": 0.10000001`,
    );
    const [about, row] = exportPieces([entry("a")], "ndjson", csv, { ...facts, complete: false })
      .join("")
      .split("\n");
    expect(about).toContain('"complete":false');
    expect(row).toContain(`"amount":${u128Max},"amountUsd":0.10000001`);
  });

  test.each([0, 1, 2_500])("of %i rows as JSON is one text, however many pieces it has", (count) => {
    const rows = Array.from({ length: count }, (_, at) => entry(`a\nb${at}`));
    const whole = exportPieces(rows, "json", csv, facts).join("");
    const about = exportPieces(rows, "ndjson", csv, facts)[0]!;
    const written = JSON.parse(about) as object;
    expect(whole).toBe(`${stringifyExactJson({ ...written, rows }, 2)}\n`);
  });

  test("of all rows names the list's request, not that of one page", () => {
    expect(wholeList("/v0/blocks/0xab/asset-changes?tags=a&tags=b&page=3&pageSize=10")).toBe(
      "/v0/blocks/0xab/asset-changes?tags=a&tags=b",
    );
    expect(wholeList("/v0/addresses/ckb1/utxos?cursor=c1&pageSize=100")).toBe("/v0/addresses/ckb1/utxos");
  });

  test("has a name of our own characters only", () => {
    const nameOf = (subject: Subject) => exportName("utxos", subject, "csv", facts.time);
    expect(nameOf({ address: "ckb1q/../x?" })).toBe("utxos-20260306081245-ckb1qx.csv");
    expect(nameOf({ from_height: "", to_height: "9" })).toBe("utxos-20260306081245-9.csv");
    expect(nameOf({ from_height: "3", to_height: "9" })).toBe("utxos-20260306081245-3-9.csv");
  });

  test("has the end of an address or a hash in its name: addresses of one lock code begin alike", () => {
    const address = `ckb1${"q".repeat(60)}`;
    const [one, other] = ["a", "z"].map((last) => exportName("utxos", { address: address + last }, "csv", 0));
    expect(one).toMatch(/qa\.csv$/);
    expect(other).toMatch(/qz\.csv$/);
  });
});

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readParquet } from "#lib/testing/parquet.ts";
import { amountColumns, csvHead, csvRow, plainColumns } from "./csv.ts";

interface Entry {
  name: string;
  amount: string;
  decimals: number;
}
const columns = [
  ["name", ({ name }: Entry) => name] as const,
  ...amountColumns("amount", ({ decimals, name }: Entry) => ({ name, symbol: "", decimals })),
];
const fileOf = (entries: Entry[]) =>
  csvHead(columns) + entries.map((entry) => csvRow(columns, entry)).join("");
const entry = (name: string, amount = "5", decimals = 2): Entry => ({ name, amount, decimals });

describe("a CSV file", () => {
  test.each(["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "＝1+1", "＋1", "－1", "＠x"])(
    "has no formula where a text is %j",
    (text) => {
      expect(csvRow(columns, entry(text))).toBe(`"'${text}","5","0.05"\r\n`);
    },
  );

  test("keeps quotes, commas and line breaks inside their field", () => {
    expect(csvRow(columns, entry('a"b,c\nd'))).toBe('"a""b,c\nd","5","0.05"\r\n');
  });

  test("begins with the mark of UTF-8", () => {
    expect(csvHead(columns)).toBe('\ufeff"name","amount","amount_in_units"\r\n');
  });

  test("names a plain column after its field, and leaves a missing value empty", () => {
    const plain = Object.values(plainColumns("blockHeight", "valueUsd")).flat();
    expect(csvHead(plain)).toBe('\ufeff"block_height","value_usd"\r\n');
    expect(plain.map(([, value]) => value({ blockHeight: 0, valueUsd: null }))).toEqual([0, ""]);
  });

  test("leaves the scaled amount empty if the scale is unknown", () => {
    expect(csvRow(columns, entry("", "5", 0))).toBe('"","5",""\r\n');
    expect(csvRow(columns, entry("a", "5", 200))).toBe('"a","5",""\r\n');
  });
});

describe("DuckDB", () => {
  const folder = mkdtempSync(join(tmpdir(), "aqs-csv-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "export.csv");
  const documented = readFileSync(new URL("../../docs/data-files.md", import.meta.url), "utf8");
  const line = /```sql\n(.*)\n```/.exec(documented)?.[1] ?? "";

  test("reads every digit and every text with the documented line", async () => {
    const entries = [
      entry('a"b,c\nd', `${2n ** 128n - 1n}`, 8),
      entry("☃", `${2n ** 63n}`, 18),
      entry("b", "1"),
    ];
    writeFileSync(file, fileOf(entries));
    const rows = await readParquet(line.replace("export.csv", file));
    expect(rows).toEqual([
      ['a"b,c\nd', `${2n ** 128n - 1n}`, "3402823669209384634633746074317.68211455"],
      ["☃", `${2n ** 63n}`, "9.223372036854775808"],
      ["b", "1", "0.01"],
    ]);
  });
});

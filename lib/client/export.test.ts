import { describe, expect, test } from "vitest";
import {
  type ExportFacts,
  exportName,
  exportText,
  type Subject,
  walkCursors,
  walkPages,
  wholeList,
} from "./export.ts";
import type { CsvColumns } from "./list.ts";
import type { CursorPage, NumberedPage } from "./queries.ts";
import { type Fetched, RequestError } from "./request.ts";

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
    const lines = exportText([entry('=HYPERLINK("x")')], "csv", csv, facts).split("\r\n");
    expect(lines[0]).toBe(
      '\ufeff"block_height","block_hash","id","first","amount","as_of_block","as_of_block_hash","complete"',
    );
    expect(lines[1]).toBe(`"7","0xcd","'=HYPERLINK(""x"")","'=","${u128Max}","7","${facts.tip!.hash}","yes"`);
  });

  test("says which blocks are indexed if not all are", () => {
    const partial = { ...facts, tip: { height: 7, hash: "0xcd", coverage: "3, 5-7" } };
    expect(exportText([entry("a")], "csv", csv, facts)).not.toContain("indexed_blocks");
    expect(exportText([entry("a")], "csv", csv, partial)).toContain('"3, 5-7"');
    for (const format of ["json", "ndjson"] as const) {
      expect(JSON.parse(exportText([], format, csv, partial))).toMatchObject({ indexedBlocks: "3, 5-7" });
    }
  });

  test("as JSON and NDJSON writes amounts and dollars as numbers with all digits", () => {
    expect(exportText([entry("a")], "json", csv, facts)).toContain(
      `"amount": ${u128Max},\n      "amountUsd": 0.10000001`,
    );
    const [about, row] = exportText([entry("a")], "ndjson", csv, { ...facts, complete: false }).split("\n");
    expect(about).toContain('"complete":false');
    expect(row).toContain(`"amount":${u128Max},"amountUsd":0.10000001`);
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

const noOptions = () => ({ signal: new AbortController().signal, onProgress: () => {}, onRows: () => {} });

function reader<Page>(...answers: (Page | Error)[]) {
  const asked: unknown[] = [];
  const read = async (place: unknown): Promise<Fetched<Page>> => {
    asked.push(place);
    const data = answers[asked.length - 1]!;
    if (data instanceof Error) throw data;
    return { data, tip: null, requestId: "r" };
  };
  return { asked, read };
}

const page = (ids: string[], hasNext: boolean, lastCursor: string): CursorPage<Entry> => ({
  result: ids.map(entry),
  hasNext,
  lastCursor,
});
const idOf = ({ id }: Entry) => id;

describe("walking a list by cursor", () => {
  test("follows the cursor to the end, each entry once", async () => {
    const { asked, read } = reader(page(["a:0", "a:1"], true, "c1"), page(["a:1", "b:0"], false, "c2"));
    const rows: string[] = [];
    await walkCursors({ ...noOptions(), idOf, read, onRows: (some) => rows.push(...some.map(idOf)) });
    expect(rows).toEqual(["a:0", "a:1", "b:0"]);
    expect(asked).toEqual(["", "c1"]);
  });

  test("stops with an error if the cursor repeats", async () => {
    const { read } = reader(page(["a:0"], true, "c1"), page(["a:1"], true, "c1"));
    await expect(walkCursors({ ...noOptions(), idOf, read })).rejects.toThrow("does not advance");
  });

  test("waits for the server's time if the limit is reached, then continues", async () => {
    const limited = new RequestError("TOO_MANY_REQUESTS", "Too many requests", {
      status: 429,
      retryAfter: 0,
    });
    const { read } = reader<CursorPage<Entry>>(limited, page(["a:0"], false, "c1"));
    const pauses: unknown[] = [];
    await walkCursors({
      ...noOptions(),
      idOf,
      read,
      onProgress: (_rows, pause) => pauses.push(pause && [pause.error, pause.failures]),
    });
    expect(pauses).toEqual([[limited, 1], null]);
  });

  test("ends at once if it was cancelled", async () => {
    const controller = new AbortController();
    controller.abort();
    const { asked, read } = reader<CursorPage<Entry>>(
      new RequestError("UNREACHABLE", "cancelled"),
      page(["a:0"], false, "c1"),
    );
    const walk = walkCursors({ ...noOptions(), signal: controller.signal, idOf, read });
    await expect(walk).rejects.toThrow("cancelled");
    expect(asked).toHaveLength(1);
  });
});

describe("walking a list by page", () => {
  const rows = (count: number): NumberedPage<Entry> => ({
    result: Array.from({ length: count }, (_, at) => entry(String(at))),
    total: 101,
  });

  test("reads pages until the total is reached", async () => {
    const { asked, read } = reader(rows(100), rows(1));
    let count = 0;
    await walkPages({
      ...noOptions(),
      read,
      onRows: (some) => {
        count += some.length;
      },
    });
    expect(count).toBe(101);
    expect(asked).toEqual([1, 2]);
  });

  test("ends with an empty page, whatever the total says", async () => {
    const { asked, read } = reader(rows(100), rows(0));
    await walkPages({ ...noOptions(), read });
    expect(asked).toEqual([1, 2]);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readParquet } from "#lib/testing/parquet.ts";
import type { CsvColumn } from "#lib/util/csv.ts";
import { writeParquet } from "./parquet.ts";

const folder = mkdtempSync(join(tmpdir(), "aqs-parquet-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Entry {
  name: string;
  height: number;
  amount: string;
}
const columns: CsvColumn<Entry>[] = [
  ["name", ({ name }) => name],
  ["height", ({ height }) => height],
  ["amount", ({ amount }) => amount],
];

test("a time is one to a database that reads the file, exact to the millisecond, and null if it is empty", async () => {
  const times = ["2026-03-29T01:59:59.999Z", "", "1970-01-01T00:00:00.000Z", "2009-01-03T18:15:05.000Z"];
  const parts: Uint8Array[] = [];
  async function* rows() {
    yield* times;
  }
  await writeParquet(rows(), [["time", (text) => text]], async (part) => parts.push(part) > 0);
  const file = join(folder, "times.parquet");
  writeFileSync(file, Buffer.concat(parts));
  const millis = times.map((text) => (text === "" ? null : String(Date.parse(text))));
  expect(await readParquet(`SELECT epoch_ms("time") FROM '${file}'`)).toEqual(millis.map((one) => [one]));
  const described = `SELECT column_type FROM (DESCRIBE SELECT * FROM '${file}')`;
  expect(await readParquet(described)).toEqual([["TIMESTAMP WITH TIME ZONE"]]);
  const later = `SELECT count(*) FROM '${file}' WHERE "time" > TIMESTAMPTZ '2026-03-29 01:59:59.998+00'`;
  expect(await readParquet(later)).toEqual([["1"]]);
});

/** The name of a file with these entries, and how many parts it came in. */
async function written(entries: Iterable<Entry>, wanted = Number.POSITIVE_INFINITY) {
  const parts: Uint8Array[] = [];
  async function* rows() {
    yield* entries;
  }
  await writeParquet(rows(), columns, async (part) => parts.push(part) < wanted);
  const file = join(folder, "entries.parquet");
  writeFileSync(file, Buffer.concat(parts));
  return { file, parts: parts.length };
}

test("an amount is a decimal as far as it fits, and always exact text; names are kept as they are", async () => {
  const amounts = ["0", "18446744073709551616", `${10n ** 38n - 1n}`, `${10n ** 38n}`, `${2n ** 128n - 1n}`];
  const names = ["", "=1+1", 'a "b"\r\n', "☃\u0000\u202e", "😀"];
  const entries = amounts.map((amount, at) => ({ name: names[at]!, height: 2 ** 53 - 1 - at, amount }));
  const { file } = await written(entries);
  expect(await readParquet(`SELECT * FROM '${file}'`)).toEqual(
    entries.map(({ name, height, amount }) => [
      name,
      String(height),
      amount.length > 38 ? null : amount,
      amount,
    ]),
  );
  expect(
    await readParquet(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM '${file}')`),
  ).toEqual([
    ["name", "VARCHAR"],
    ["height", "BIGINT"],
    ["amount", "DECIMAL(38,0)"],
    ["amount_text", "VARCHAR"],
  ]);
});

test("a file of no entries has its columns", async () => {
  const { file } = await written([]);
  expect(await readParquet(`SELECT count(*), sum(amount) FROM '${file}'`)).toEqual([["0", null]]);
});

const amountAt = (at: number): bigint => BigInt(at) * 10n ** 25n + 7n;

function* many(count: number, made = (_: number) => {}): Generator<Entry> {
  for (let at = 0; at < count; at++) {
    made(at);
    yield { name: `token ${at % 3}`, height: at, amount: `${amountAt(at)}` };
  }
}

test("many entries are written in parts, with exact sums", async () => {
  const count = 120_000;
  const { file, parts } = await written(many(count));
  expect(parts).toBeGreaterThan(2);
  const sum = (BigInt(count) * BigInt(count - 1) * 10n ** 25n) / 2n + 7n * BigInt(count);
  expect(await readParquet(`SELECT count(*), sum(amount), max(height) FROM '${file}'`)).toEqual([
    [`${count}`, `${sum}`, `${count - 1}`],
  ]);
});

test("no further entries are read once no more is wanted", async () => {
  let last = 0;
  await written(
    many(1_000_000, (at) => {
      last = at;
    }),
    1,
  );
  expect(last).toBeLessThan(60_000);
});

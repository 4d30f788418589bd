import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { priceAt } from "#lib/queries/prices.ts";
import { describeEngines, store } from "#lib/testing/stores.ts";
import { listPrices, loadPriceFile } from "./prices.ts";

const id = `0x${"ab".repeat(32)}`;
const LINES = 25_000;
const lines = Array.from({ length: LINES }, (_, i) => `${id},${1_700_000_000 + i},${i}`);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "aqs-prices-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(text: string[]): string {
  const file = join(folder, "prices.csv");
  writeFileSync(file, `\uFEFFasset_id,time,usd\r\n${text.join("\r\n")}`);
  return file;
}

async function stored(): Promise<number> {
  let count = -1;
  for await (const piece of listPrices(store)) count += piece.split("\n").length - 1;
  return count;
}

describeEngines(() => {
  test("a long price file is stored in parts, but whole or not at all", async () => {
    await expect(loadPriceFile(store, fileOf([...lines, `${id},now,1`]))).rejects.toThrow(
      `:${LINES + 2}: time: expected RFC 3339`,
    );
    expect(await stored()).toBe(0);
    const write = vi.spyOn(store, "write");
    // If a price is there twice, the last one counts, in whichever part it is.
    expect(await loadPriceFile(store, fileOf([...lines, `${id},1700000000,7`]))).toBe(LINES + 1);
    const parts = write.mock.calls.flatMap(([, prices]) => (Array.isArray(prices) ? [prices.length] : []));
    expect(parts).toEqual([10_000, 10_000, 5_001]);
    expect(await stored()).toBe(LINES);
    const first = await store.query(priceAt, { assetId: id, time: 1_700_000_000_000 });
    expect(first?.usd).toBe(String(7n * 10n ** 18n));
  });

  test("a price file without line ends is refused before it fills the memory", async () => {
    const file = fileOf(["1".repeat(3_000_000)]);
    await expect(loadPriceFile(store, file)).rejects.toThrow("a line has more than 1000000 characters");
  });
});

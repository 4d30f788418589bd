import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { importFiles } from "#lib/ingest/import.ts";
import { storedBlock, storedTokens } from "#lib/questions/stored.ts";
import type { Store } from "#lib/store/engine.ts";
import { openStore } from "#lib/store/open.ts";
import { bitcoin, litecoin } from "./chain.ts";

const recorded = (name: string) => fileURLToPath(new URL(`testing/${name}`, import.meta.url));
const BLOCK = recorded("bitcoin-testnet-1087400.hex");
const OUTPUTS = recorded("bitcoin-testnet-1087400-outputs.json");
const FIRST_BLOCKS = recorded("litecoin-mainnet-1-20.hex");

describe("a file of blocks", () => {
  let store: Store;
  let folder: string;
  beforeEach(async () => {
    store = await openStore("sqlite::memory:");
    folder = mkdtempSync(join(tmpdir(), "aqs-blocks-"));
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const fileOf = (text: string): string => {
    const file = join(folder, "blocks");
    writeFileSync(file, text);
    return file;
  };

  test("says its height itself, and its fees with those of previous outputs are what its reward claims", async () => {
    const options = { files: [BLOCK], previousOutputs: OUTPUTS, network: "testnet" };
    expect(await importFiles(store, bitcoin, options)).toMatchObject({ stored: 1, refused: [] });
    const { hash, transactions } = await store.ask(storedBlock, 1_087_400);
    expect(hash).toBe("0x0000000003db83e6ab01a6ebb26ad2b1481688009141c9afc204c54284e1ba66");
    const sumOf = (list: readonly { output: { capacity: bigint } }[]) =>
      list.reduce((sum, { output }) => sum + output.capacity, 0n);
    const [reward, ...others] = transactions;
    expect(others.length).toBe(96);
    const fees = others.reduce((sum, { inputs, outputs }) => sum + sumOf(inputs) - sumOf(outputs), 0n);
    const subsidy = 5_000_000_000n >> 5n;
    expect(fees).toBe(1_218_469n);
    expect(sumOf(reward!.outputs)).toBe(subsidy + fees);
  });

  test("may have a block a line, with its height before it", async () => {
    const options = { files: [FIRST_BLOCKS], network: "mainnet" };
    expect(await importFiles(store, litecoin, options)).toMatchObject({ stored: 20, refused: [] });
    const [native] = await store.ask(storedTokens, {});
    expect(native).toMatchObject({ id: "0x80000002", totalSupply: String(20 * 50 * 100_000_000) });
  });

  test("may hold a node's whole answer", async () => {
    const [, hex] = readFileSync(FIRST_BLOCKS, "utf8").split("\n")[4]!.split(" ");
    const read = litecoin.blockFiles.readBlock({ result: `5 ${hex}`, error: null, id: 1 }, "the file");
    expect(read.verify("mainnet")).toMatchObject({ height: 5 });
  });

  test("is refused without a height, with other text, and with a byte changed", async () => {
    const [, hex] = readFileSync(FIRST_BLOCKS, "utf8").split("\n")[0]!.split(" ");
    for (const [text, message] of [
      [hex!, /does not say its height/],
      [`1 ${hex!.slice(0, -2)}`, /ends after 214 bytes/],
      [`1 ${hex!.slice(0, -1)}1`, /Merkle root/],
      [`1 ${hex!.slice(0, -1)}`, /not JSON/],
      ["{}", /Expected a block in hex/],
    ] as const) {
      const files = [fileOf(text)];
      const { refused, stored } = await importFiles(store, litecoin, { files, network: "mainnet" });
      expect(stored).toBe(0);
      expect(refused).toEqual([expect.objectContaining({ reason: expect.stringMatching(message) })]);
    }
  });

  test("of previous outputs is refused if it is not one", () => {
    const { read } = bitcoin.blockFiles.previousOutputs;
    const outPoint = `${"11".repeat(32)}:0`;
    expect([...read({ [outPoint]: { amount: "7", script: "51" } }, "testnet", "the file")]).toEqual([
      [`0x${outPoint}`, expect.objectContaining({ capacity: 7n, kind: "script" })],
    ]);
    for (const odd of [
      [],
      { "11:0": { amount: "7", script: "51" } },
      { [outPoint]: { amount: 7, script: "51" } },
      { [outPoint]: { amount: "7", script: "5" } },
      { [outPoint]: { amount: "7", script: "51", height: 1 } },
    ]) {
      expect(() => read(odd, "testnet", "the file")).toThrow(/^the file: /);
    }
  });
});

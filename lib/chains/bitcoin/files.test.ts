import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { importFiles } from "#lib/indexer/import.ts";
import { storedBlock, storedTokens } from "#lib/queries/stored.ts";
import type { Store } from "#lib/store/store.ts";
import { engines } from "#lib/testing/engines.ts";
import { parseBlock } from "./block.ts";
import { bitcoin, litecoin } from "./chain.ts";
import { bitcoin as bitcoinCurrency, networkNamed } from "./networks.ts";
import { fullBlocks } from "./testing/full-blocks.ts";
import { hasRecordedBlocks, recordedFile } from "./testing/recorded-blocks.ts";

const BLOCK = recordedFile("bitcoin-testnet-1087400.hex");
const OUTPUTS = recordedFile("bitcoin-testnet-1087400-outputs.json");
const FIRST_BLOCKS = recordedFile("litecoin-mainnet-1-20.hex");

describe.skipIf(!hasRecordedBlocks).each(engines)("a file of blocks into $name", ({ open }) => {
  let store: Store;
  let folder: string;
  beforeEach(async () => {
    store = await open();
    folder = mkdtempSync(join(tmpdir(), "aqs-blocks-"));
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const fileOf = (text: string | Buffer): string => {
    const file = join(folder, "blocks");
    writeFileSync(file, text);
    return file;
  };

  test("states its height, and its fees with those of previous outputs add up to its reward", async () => {
    const options = { files: [BLOCK], previousOutputs: OUTPUTS, network: "testnet" };
    expect(await importFiles(store, bitcoin, options)).toMatchObject({ stored: 1, refused: [] });
    const { hash, transactions } = await store.query(storedBlock, 1_087_400);
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

  test("is refused with any byte of a block changed that has witnesses", async () => {
    const whole = Buffer.from(readFileSync(BLOCK, "utf8").trim(), "hex");
    const place = { currency: bitcoinCurrency, network: networkNamed(bitcoinCurrency, "testnet"), height: 1 };
    for (let at = 0; at < whole.length; at += 401) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      expect(() => parseBlock(changed, { ...place, where: `byte ${at}` })).toThrow(InvalidChainDataError);
    }
  });

  test("may have a block a line, with its height before it", async () => {
    const options = { files: [FIRST_BLOCKS], network: "mainnet" };
    expect(await importFiles(store, litecoin, options)).toMatchObject({ stored: 20, refused: [] });
    const [native] = await store.query(storedTokens, {});
    expect(native).toMatchObject({ id: "0x80000002", totalSupply: String(20 * 50 * 100_000_000) });
  });

  test("needs no height above the first block, or one whose height is known, and may begin with a byte order mark", async () => {
    const bare = readFileSync(FIRST_BLOCKS, "utf8").replace(/^\d+ /gm, "");
    const result = await importFiles(store, litecoin, {
      files: [fileOf(`\ufeff${bare}`)],
      network: "mainnet",
    });
    expect(result).toMatchObject({ stored: 20, refused: [] });
    expect(await store.query(storedBlock, 20)).toMatchObject({ height: 20 });
  });

  test("may hold a node's whole response", async () => {
    const [, hex] = readFileSync(FIRST_BLOCKS, "utf8").split("\n")[4]!.split(" ");
    const files = [fileOf(JSON.stringify({ result: `5 ${hex}`, error: null, id: 1 }))];
    expect(await importFiles(store, litecoin, { files, network: "mainnet" })).toMatchObject({ stored: 1 });
    expect(await store.query(storedBlock, 5)).toMatchObject({ height: 5 });
  });

  describe("in bytes", () => {
    const blocks = Array.from(fullBlocks(bitcoinCurrency, 5).take(3), ({ bytes }) => bytes);
    const start = (length: number, magic = "fabfb5da") => {
      const bytes = Buffer.from(`${magic}00000000`, "hex");
      bytes.writeUInt32LE(length, 4);
      return bytes;
    };
    const records = Buffer.concat(blocks.flatMap((bytes) => [start(bytes.length), bytes]));
    async function imported(bytes: Buffer, network?: string) {
      const fresh = await open();
      const result = await importFiles(fresh, bitcoin, { files: [fileOf(bytes)], network });
      await fresh.close();
      return result;
    }

    test("is a node's, which names the network, and may have room after its blocks", async () => {
      const read = await imported(Buffer.concat([records, Buffer.alloc(1_000)]));
      expect(read).toEqual({ stored: 3, known: 0, refused: [], warnings: [], lacking: 0 });
    });

    test("may be masked by xor.dat in its folder", async () => {
      const mask = Buffer.from("0011223344556677", "hex");
      writeFileSync(join(folder, "xor.dat"), mask);
      const masked = Buffer.from(records.map((byte, i) => byte ^ mask[i % 8]!));
      expect(await imported(Buffer.concat([masked, Buffer.alloc(9)]))).toMatchObject({
        stored: 3,
        refused: [],
      });
      writeFileSync(join(folder, "xor.dat"), mask.subarray(1));
      const { refused } = await imported(masked, "regtest");
      expect(refused[0]!.reason).toMatch(/xor\.dat: is not 8 bytes long$/);
    });

    test("is refused without the file that it was masked with, which is named", async () => {
      const file = join(folder, "blk00000.dat");
      writeFileSync(file, Buffer.from(records.map((byte) => byte ^ 0x55)));
      const { refused } = await importFiles(store, bitcoin, { files: [file], network: "regtest" });
      expect(refused).toEqual([
        {
          file,
          reason: `${file}, byte 0: no block of Bitcoin begins with afeae08f: if its node has a file xor.dat, that must be in the same folder`,
        },
      ]);
    });

    test("is one block alone, too, with the outputs that it spends", async () => {
      const bytes = Buffer.from(readFileSync(BLOCK, "utf8").trim(), "hex");
      const options = { files: [fileOf(bytes)], previousOutputs: OUTPUTS, network: "testnet" };
      expect(await importFiles(store, bitcoin, options)).toMatchObject({ stored: 1, refused: [] });
    });

    test("is refused where it is damaged, and the place is named", async () => {
      const second = 8 + blocks[0]!.length;
      const third = second + 8 + blocks[1]!.length;
      const changed = (at: number, to?: number) => {
        const bytes = Buffer.from(records);
        bytes[at] = to ?? bytes[at]! ^ 1;
        return bytes;
      };
      for (const [bytes, message] of [
        [changed(second), `byte ${second}: no block of Bitcoin begins with fbbfb5da`],
        [changed(second + 6, 0xff), `byte ${second}: a block of 167`],
        [changed(third + 7, 3), `byte ${third}: a block of 503`],
        [changed(records.length - 1), `byte ${third}: its transactions do not have the Merkle root`],
        [records.subarray(0, -1), `byte ${third}: a block of ${blocks[2]!.length} bytes, where the file has`],
        [records.subarray(0, third + 5), `byte ${third}: `],
        [
          Buffer.concat([records.subarray(0, second), Buffer.alloc(20), records.subarray(second)]),
          `byte ${second}: no`,
        ],
        [Buffer.concat([start(60_000_000), Buffer.alloc(8)]), "byte 0: a block of 60000000 bytes"],
        [
          Buffer.concat([start(100, "f9beb4d9"), Buffer.alloc(100)]),
          "byte 0: this is a block of mainnet, not of regtest",
        ],
        [Buffer.alloc(33 * 1024 * 1024, 1), "byte 0: no block of Bitcoin begins with 01010101"],
        [blocks[0]!.subarray(0, 70), "blocks: ends after 70 bytes"],
        [Buffer.concat([blocks[0]!, blocks[1]!]), "bytes too many"],
      ] as const) {
        const { refused, stored } = await imported(bytes, "regtest");
        expect(stored).toBe(0);
        expect(refused).toEqual([expect.objectContaining({ reason: expect.stringContaining(message) })]);
      }
    });
  });

  test("is refused without a height, with other text, and with a byte changed", async () => {
    const [, hex] = readFileSync(FIRST_BLOCKS, "utf8").split("\n")[1]!.split(" ");
    for (const [text, message] of [
      [hex!, /does not say its height/],
      [`2 ${hex!.slice(0, -2)}`, /ends after 214 bytes/],
      [`2 ${hex!.slice(0, -1)}1`, /Merkle root/],
      [`2 ${hex!.slice(0, -1)}`, /not JSON/],
      ["{}", /Expected a block in hex/],
      [`12345678901 ${hex!}`, /:1: the height 12345678901 is not a number of at most 9 digits$/],
      [`-1 ${hex!}`, /:1: the height -1 is not a number of at most 9 digits$/],
      [`0 ${hex!}\n1234567890 ${hex!}`, /:2: the height 1234567890 is not a number/],
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

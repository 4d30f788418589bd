import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { importFiles } from "#lib/indexer/import.ts";
import { blockHashAt, chainTip } from "#lib/queries/chain.ts";
import type { Store } from "#lib/store/store.ts";
import { engines } from "#lib/testing/engines.ts";
import { merkleRoot } from "./block.ts";
import { bitcoin, litecoin } from "./chain.ts";
import { sha256d, toName } from "./hashes.ts";
import { litecoin as currency } from "./networks.ts";
import { hasRecordedBlocks, readRecorded } from "./testing/recorded-blocks.ts";

// The chain is chosen when the first module is imported.
vi.hoisted(() => vi.stubEnv("CHAIN", "litecoin"));

/** Blocks 1 to 20 of Litecoin, which say no height. */
const OLD = (hasRecordedBlocks ? readRecorded("litecoin-mainnet-1-20.hex") : "")
  .trim()
  .split("\n")
  .map((line) => line.split(" ")[1] ?? "");
const old = (...heights: number[]) => heights.map((height) => OLD[height - 1]!);
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const TESTNET = hasRecordedBlocks ? readRecorded("bitcoin-testnet-1087400.hex").trim() : "";
const BLOCKS = (hasRecordedBlocks ? JSON.parse(readRecorded("blocks.json")) : []) as {
  height: number;
  hex: string;
}[];
const LITECOIN_900000 = BLOCKS.find(({ height }) => height === 900_000)?.hex ?? "";

/** Writes blocks like a node's files. */
const records = (blocks: string[]): Buffer =>
  Buffer.concat(
    blocks.flatMap((hex) => {
      const length = Buffer.alloc(4);
      length.writeUInt32LE(hex.length / 2);
      return [Buffer.from(currency.networks[0]!.magic, "hex"), length, Buffer.from(hex, "hex")];
    }),
  );

/** A block of regtest whose reward's script begins with these bytes, in hex. */
function blockOf(version: number, script: string, parent = Buffer.alloc(32, 7)): string {
  const reward = Buffer.concat([
    Buffer.from(`0100000001${"00".repeat(32)}ffffffff`, "hex"),
    Buffer.of(script.length / 2),
    Buffer.from(script, "hex"),
    Buffer.from("ffffffff01" + "00f2052a01000000" + "0151" + "00000000", "hex"),
  ]);
  const header = Buffer.alloc(80);
  header.writeInt32LE(version);
  parent.copy(header, 4);
  merkleRoot([sha256d(reward)]).root.copy(header, 36);
  header.writeUInt32LE(1_700_000_000, 68);
  header.writeUInt32LE(0x207f_ffff, 72);
  for (let nonce = 0; sha256d(header)[31]! > 0x7e; nonce++) header.writeUInt32LE(nonce, 76);
  return Buffer.concat([header, Buffer.of(1), reward]).toString("hex");
}

describe.skipIf(!hasRecordedBlocks).each(engines)("blocks of files into $name", ({ open }) => {
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
  const fileOf = (content: string | Buffer, name = "blocks"): string => {
    const file = join(folder, name);
    writeFileSync(file, content);
    return file;
  };
  const files = (...contents: (string | Buffer)[]) => contents.map((each, i) => fileOf(each, `${i}`));
  const stored = async () => {
    const hashes = await Promise.all(upTo(1, 20).map((height) => store.query(blockHashAt, height)));
    expect(hashes).toEqual(OLD.map((hex) => toName(sha256d(Buffer.from(hex, "hex").subarray(0, 80)))));
  };

  describe("that do not say their heights", () => {
    test("may have their parents in a file that comes later, or is stored", async () => {
      const [second, first, third] = files(
        records(old(...upTo(8, 14))),
        records(old(...upTo(1, 7))),
        records(old(...upTo(15, 20))),
      );
      expect(await importFiles(store, litecoin, { files: [second!, first!] })).toMatchObject({
        stored: 14,
        refused: [],
      });
      expect(await importFiles(store, litecoin, { files: [third!] })).toMatchObject({
        stored: 6,
        refused: [],
      });
      await stored();
    });

    test("may be in any order, also across files that need each other", async () => {
      const given = files(
        records(old(3, 1, 2, ...upTo(4, 9), 12, 11)),
        records(old(20, 10, ...upTo(13, 19))),
      );
      expect(await importFiles(store, litecoin, { files: given })).toMatchObject({ stored: 20, refused: [] });
      await stored();
    });

    test("are refused without their parents, each file with its own reason", async () => {
      const given = files(records(old(2, 3)), records(old(5, 6)));
      const { refused } = await importFiles(store, litecoin, { files: given });
      expect(refused.map(({ file }) => file)).toEqual(given);
      for (const { file, reason } of refused) {
        expect(reason).toMatch(
          new RegExp(`^${file}, byte 0: the block does not say its height, and its parent 0x`),
        );
      }
    });
  });

  test.each([
    [
      "another height than the block says",
      bitcoin,
      "testnet",
      `7 ${TESTNET}`,
      /says that it is block 1087400, not 7$/,
    ],
    [
      "a height at which it would say it",
      bitcoin,
      "testnet",
      `1087401 ${TESTNET}`,
      /it is block 1087400, not 1087401$/,
    ],
    [
      "a height too low for its time",
      litecoin,
      "mainnet",
      `7 ${LITECOIN_900000}`,
      /says that it is block 900000, not 7$/,
    ],
    [
      "a height too high for its time",
      litecoin,
      "mainnet",
      `300000 ${OLD[4]}`,
      /cannot be block 300000: by the time that it says, mainnet had 0 to \d+ blocks/,
    ],
    [
      "a height from which on blocks say it",
      litecoin,
      "mainnet",
      `710000 ${OLD[4]}`,
      /cannot be block 710000/,
    ],
    [
      "another height than that above its parent",
      litecoin,
      "mainnet",
      `4 ${OLD[3]}\n6 ${OLD[4]}`,
      /it is block 5, not 6$/,
    ],
    [
      "a height that is not 0 for the first block of all",
      bitcoin,
      "mainnet",
      `3 ${BLOCKS[0]?.hex}`,
      /it is block 0, not 3$/,
    ],
  ])("are refused with %s", async (_what, chain, network, text, message) => {
    const { refused, stored } = await importFiles(store, chain, { files: [fileOf(text)], network });
    expect(stored).toBe(0);
    expect(refused).toEqual([expect.objectContaining({ reason: expect.stringMatching(message) })]);
  });

  test("are refused with another height than that above their stored parent", async () => {
    await importFiles(store, litecoin, { files: [fileOf(records(old(1, 2, 3)))] });
    const { refused } = await importFiles(store, litecoin, { files: [fileOf(`5 ${OLD[3]}`)] });
    expect(refused[0]!.reason).toMatch(/it is block 4, not 5$/);
  });

  test.each([
    ["its target", 2, "04ffff001d0101"],
    ["a number that is not in its shortest form", 2, "03e803000101"],
    ["its height, before blocks must", 2, "0190"],
    ["its height in the first version of blocks", 1, "02e8030101"],
    ["nothing", 2, "00"],
  ])("say no height if the reward's script begins with %s", async (_what, version, script) => {
    const options = { files: [fileOf(blockOf(version, script))], network: "regtest" };
    const { refused } = await importFiles(store, bitcoin, options);
    expect(refused[0]!.reason).toMatch(/does not say its height/);
    expect(await store.query(chainTip)).toBeNull();
  });

  test("say the height with which the reward's script begins", async () => {
    const options = { files: [fileOf(blockOf(2, "02e8030101"))], network: "regtest" };
    expect(await importFiles(store, bitcoin, options)).toMatchObject({ stored: 1, refused: [] });
    expect(await store.query(chainTip)).toMatchObject({ height: 1_000 });
  });

  test("may have any height near their time where they say none", async () => {
    const options = { files: [fileOf(`499 ${blockOf(2, "04ffff001d0101")}`)], network: "regtest" };
    expect(await importFiles(store, bitcoin, options)).toMatchObject({ stored: 1, refused: [] });
    expect(await store.query(chainTip)).toMatchObject({ height: 499 });
  });
});

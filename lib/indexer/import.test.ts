import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { chain as ckb } from "#lib/chains/ckb/chain.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { account, CKB, udt } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { blockHeights, chainIdentity, chainTip } from "#lib/queries/chain.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { engines } from "#lib/testing/engines.ts";
import { type ImportOptions, importFiles } from "./import.ts";
import { InvalidInputError } from "./input.ts";
import { verifyStore } from "./verify/verify.ts";

const ann = account("ann");
const chain = new ChainBuilder();
for (let i = 0; i < 8; i++) {
  chain.transfer({ to: ann, amount: 300n * CKB });
  chain.mint({ token: udt(ann), issuer: ann, to: account(`owner ${i}`), amount: BigInt(i) });
  chain.block();
}
const { blocks } = chain;

/** A deep copy in which one thing is otherwise. */
// biome-ignore lint/suspicious/noExplicitAny: a test breaks blocks in every way
function broken(block: NodeBlock, change: (copy: any) => void): unknown {
  const copy = structuredClone(block);
  change(copy);
  return copy;
}

describe.each(engines)("importing files into $name", ({ open }) => {
  let folder: string;
  let store: Store;
  let extra: Store[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "aqs-import-"));
    store = await open();
    extra = [];
  });

  afterEach(async () => {
    for (const each of [store, ...extra]) await each.close();
    rmSync(folder, { recursive: true });
  });

  /** Writes each value as a file, lists of them as NDJSON, and text as it is. */
  function files(contents: Record<string, unknown>): string[] {
    return Object.entries(contents).map(([name, content]) => {
      const path = join(folder, name);
      const lines = Array.isArray(content) ? content : [content];
      const text = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n");
      writeFileSync(path, text);
      return path;
    });
  }

  const imported = (contents: Record<string, unknown>, options: Partial<ImportOptions> = {}) =>
    importFiles(store, ckb, { network: "testnet", files: files(contents), ...options });

  async function dumpOfFresh(contents: Record<string, unknown>): Promise<string> {
    const fresh = await open();
    extra.push(fresh);
    await importFiles(fresh, ckb, { network: "testnet", files: files(contents) });
    return canonicalDump(fresh);
  }

  test("warns once of a hash type to come, with the first place", async () => {
    const grown = new ChainBuilder();
    for (let i = 0; i < 3; i++) {
      grown.transfer({ to: { ...ann, hash_type: "data3" }, amount: 300n * CKB });
      grown.block();
    }
    const { stored, warnings } = await imported({
      "first.json": grown.blocks[0],
      "rest.ndjson": grown.blocks.slice(1),
    });
    expect([stored, warnings]).toEqual([
      4,
      [expect.stringMatching(/rest\.ndjson:1: Scripts have hash type 6/)],
    ]);
  });

  test("takes a block a file, one a line, and JSON over many lines", async () => {
    const result = await imported({
      "a.json": blocks[0],
      "b.ndjson": [blocks[1], "", blocks[2], blocks[3], ""],
      "c.json": JSON.stringify(blocks[4], null, 2),
      "d.json": `\ufeff\r\n\r\n${JSON.stringify(blocks[5], null, "\t").replaceAll("\n", "\r\n")}\r\n`,
    });
    expect(result).toEqual({ stored: 6, known: 0, refused: [], warnings: [], lacking: 0 });
    expect(await store.query(blockHeights, {})).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await canonicalDump(store)).toBe(await dumpOfFresh({ "all.ndjson": blocks.slice(0, 6) }));
  });

  test("changes nothing the second time, nor where a file holds a block twice", async () => {
    const first = await imported({ "all.ndjson": [...blocks, blocks[3]] });
    expect(first).toEqual({ stored: 9, known: 1, refused: [], warnings: [], lacking: 0 });
    const before = await canonicalDump(store);
    expect(await imported({ "all.ndjson": blocks, "one.json": blocks[2] })).toEqual({
      stored: 0,
      known: 10,
      refused: [],
      warnings: [],
      lacking: 0,
    });
    expect(await canonicalDump(store)).toBe(before);
  });

  test("gives the same whatever the order of the files, and of the lines in them", async () => {
    const names = blocks.map((block, i) => [`${i}.json`, block] as const);
    await imported(Object.fromEntries(names.toReversed().map(([name, block], i) => [`${i}${name}`, block])));
    const expected = await dumpOfFresh({ "all.ndjson": blocks });
    expect(await canonicalDump(store)).toBe(expected);
    expect(await dumpOfFresh({ "reversed.ndjson": blocks.toReversed() })).toBe(expected);
    expect(await verifyStore(store)).toEqual([]);
  });

  test("reads each file at most twice, though the newest blocks come first", async () => {
    const read = vi.fn(ckb.blockFiles.read);
    const newestFirst = files(
      Object.fromEntries(blocks.map((block, i) => [`${9 - i}.json`, block])),
    ).reverse();
    const counting = { ...ckb, blockFiles: { ...ckb.blockFiles, read } };
    const result = await importFiles(store, counting, { network: "testnet", files: newestFirst });
    expect(result).toMatchObject({ stored: blocks.length, refused: [] });
    expect(read.mock.calls.length).toBeLessThan(2 * blocks.length);
  });

  test("also takes a block as the whole response of a node's JSON-RPC, and refuses anything that is not a block", async () => {
    const answer = (block: unknown) => ({ jsonrpc: "2.0", id: 1, result: block });
    const expected = await dumpOfFresh({ "all.ndjson": blocks });
    expect(await dumpOfFresh({ "answers.ndjson": blocks.map(answer) })).toBe(expected);
    for (const none of [answer(null), [blocks[0]], null, 5]) {
      const text = JSON.stringify(none);
      await expect(imported({ "none.json": text }, { network: undefined })).rejects.toThrow(
        /none\.json:1: .*expected object/,
      );
    }
  });

  test("names the file and the place of every fault, stores nothing of such a file, and all of the others", async () => {
    const truncated = JSON.stringify(blocks[2]).slice(0, 300);
    const cases: Record<string, [unknown, RegExp]> = {
      "truncated.json": [truncated, /truncated\.json: not JSON: /],
      "words.json": ["hello", /words\.json: not JSON: /],
      "empty.json": ["", /empty\.json: the file is empty$/],
      "blank.json": ["\n \n", /blank\.json: the file is empty$/],
      "null.json": ["null", /null\.json:1: /],
      "list.json": [JSON.stringify([blocks[2]]), /list\.json:1: /],
      "field.json": [
        broken(blocks[2]!, (block) => delete block.transactions[1].outputs[0].capacity),
        /field\.json:1: transactions\[1\]\.outputs\[0\]\.capacity: /,
      ],
      "number.json": [
        broken(blocks[2]!, (block) => {
          block.header.number = 2;
        }),
        /number\.json:1: header\.number: /,
      ],
      "hash.json": [
        broken(blocks[2]!, (block) => {
          block.header.hash = block.header.parent_hash;
        }),
        /hash\.json:1: header\.hash is 0x.*, but the contents hash to 0x/,
      ],
      "amount.json": [
        broken(blocks[2]!, (block) => {
          block.transactions[1].outputs[0].capacity = "0x1";
        }),
        /amount\.json:1: transactions\[1\]\.hash is 0x.*, but the contents hash to 0x/,
      ],
      "pretty.json": [
        JSON.stringify(
          broken(blocks[2]!, (block) => {
            block.header.nonce = "0x7";
          }),
          null,
          2,
        ),
        /pretty\.json: header\.hash is/,
      ],
      "lines.ndjson": [[blocks[2], blocks[3], "{oops", blocks[4]], /lines\.ndjson:3: not JSON: /],
      "later.ndjson": [
        [blocks[2], "", broken(blocks[3]!, (block) => delete block.header)],
        /later\.ndjson:3: header: /,
      ],
    };
    const missing = join(folder, "missing.json");
    const directory = join(folder, "directory");
    mkdirSync(directory);
    const bad = files(Object.fromEntries(Object.entries(cases).map(([name, [content]]) => [name, content])));
    const good = files({ "first.json": blocks[0], "second.json": blocks[1] });
    const result = await importFiles(store, ckb, {
      network: "testnet",
      files: [missing, good[0]!, ...bad, directory, good[1]!],
    });
    expect(result).toMatchObject({ stored: 2, known: 0 });
    const reasons = new Map(result.refused.map(({ file, reason }) => [file, reason]));
    expect([...reasons.keys()].sort()).toEqual([...bad, missing, directory].sort());
    expect(reasons.get(missing)).toMatch(/missing\.json: ENOENT/);
    expect(reasons.get(directory)).toMatch(/directory: not a file$/);
    for (const [name, [, reason]] of Object.entries(cases)) {
      expect(reasons.get(join(folder, name))).toMatch(reason);
    }
    expect(await store.query(blockHeights, {})).toEqual([0, 1]);
    expect(await canonicalDump(store)).toBe(await dumpOfFresh({ "both.ndjson": blocks.slice(0, 2) }));
    expect(await verifyStore(store)).toEqual([]);
  });

  test("refuses a line that no block is as long as, before it is read to its end", async () => {
    const [file] = files({ "long.json": "" });
    truncateSync(file!, 10 ** 10);
    const { refused } = await importFiles(store, ckb, { network: "testnet", files: [file!] });
    expect(refused).toEqual([{ file, reason: `${file}: a value is longer than 64 MB` }]);
  });

  test("finds out the network though the first files cannot be read", async () => {
    const options = { network: undefined };
    const result = await imported(
      { "bad.json": "{", "empty.json": "", "good.ndjson": blocks.slice(0, 2) },
      options,
    );
    expect(result.stored).toBe(2);
    expect(result.refused).toHaveLength(2);
    expect((await store.query(chainIdentity))!.network).toBe("testnet");
  });

  test("asks for the network where nothing shows it", async () => {
    const plain = new ChainBuilder({ genesis: [{ lock: ann, capacity: CKB * 100n }] });
    const failing = imported({ "plain.json": plain.tip }, { network: undefined });
    await expect(failing).rejects.toThrow(/do not show which network they belong to: give --network/);
    await expect(imported({ "bad.json": "{" }, { network: undefined })).rejects.toThrow(InvalidInputError);
    expect(await store.query(chainIdentity)).toBeNull();
    expect(await imported({ "plain.json": plain.tip })).toMatchObject({ stored: 1 });
  });

  test("refuses blocks of another network than was asked for, or than the database holds", async () => {
    const [file] = files({ "testnet.json": blocks[1] });
    const asMainnet = await importFiles(store, ckb, { network: "mainnet", files: [file!] });
    expect(asMainnet.refused).toEqual([
      { file, reason: `${file}:1: this is a block of testnet, not of mainnet` },
    ]);
    expect((await store.query(dataStatus)).counts.blocks).toBe(0);
    await store.write(identify, { network: "mainnet", native: NATIVE_ASSET, demo: false });
    expect((await importFiles(store, ckb, { files: [file!] })).refused).toHaveLength(1);
    await expect(importFiles(store, ckb, { network: "testnet", files: [file!] })).rejects.toThrow(
      "This database holds mainnet; testnet cannot be mixed into it",
    );
  });

  test("refuses to mix real blocks into the demo chain, and says which file", async () => {
    await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: true });
    const { refused } = await imported({ "real.json": blocks[0] }, { network: undefined });
    expect(refused).toEqual([
      { file: join(folder, "real.json"), reason: expect.stringMatching(/real\.json.*demo chain/) },
    ]);
    expect(await store.query(chainTip)).toBeNull();
  });

  test("refuses a block that spends unknown outputs, unless they are given", async () => {
    const { refused } = await imported({ "third.json": blocks[3] });
    expect(refused).toEqual([
      {
        file: join(folder, "third.json"),
        reason: expect.stringMatching(/third\.json:1: block 3 \(0x.*\) spends an unknown output: 0x.*:\d+/),
      },
    ]);
    expect((await store.query(dataStatus)).counts.blocks).toBe(0);

    const cells = Object.fromEntries(
      blocks.flatMap((block) =>
        block.transactions.flatMap(({ hash, outputs, outputs_data: data }) =>
          outputs.map((output, i) => [`${hash}:0x${i.toString(16)}`, { output, data: data[i] }]),
        ),
      ),
    );
    const [cellsFile] = files({ "cells.json": cells });
    expect(await imported({ "third.json": blocks[3] }, { previousOutputs: cellsFile })).toMatchObject({
      stored: 1,
    });
    expect(await verifyStore(store)).toEqual([]);
    expect(await imported({ "rest.ndjson": blocks })).toMatchObject({ stored: 8, known: 1 });
    expect(await canonicalDump(store)).toBe(await dumpOfFresh({ "all.ndjson": blocks }));
  });

  test("refuses cells that are no cells, and names the file and the cell", async () => {
    const key = `${blocks[0]!.transactions[0]!.hash}:0x0`;
    for (const [cells, reason] of [
      ["{", /cells\.json: not JSON/],
      ["[]", /cells\.json/],
      [JSON.stringify({ here: {} }), /cells\.json: "here" is not a transaction hash/],
      [JSON.stringify({ [key]: { output: {} } }), new RegExp(`cells\\.json: "${key}": `)],
    ] as const) {
      const [file] = files({ "cells.json": cells });
      await expect(imported({ "a.json": blocks[0] }, { previousOutputs: file })).rejects.toThrow(reason);
    }
    expect(await store.query(chainTip)).toBeNull();
  });

  test("refuses a second block at a height, and one that does not fit its neighbours", async () => {
    await imported({ "all.ndjson": blocks });
    const before = await canonicalDump(store);
    const other = chain.fork(4);
    other.emptyBlocks(6);
    const { refused } = await imported({
      "occupied.json": other.blocks[5],
      "parent.json": other.blocks[9],
      "mixed.ndjson": [blocks[2], other.blocks[6]],
    });
    expect(refused.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/occupied\.json:1: .*height 5 already holds 0x/),
      expect.stringMatching(/parent\.json:1: .*names 0x.* as its parent, but height 8 holds 0x/),
      expect.stringMatching(/mixed\.ndjson: .*height 6 already holds 0x/),
    ]);
    expect(await canonicalDump(store)).toBe(before);
  });
});

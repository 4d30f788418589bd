import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseBlock, parseNodeBlock } from "#lib/chain/block.ts";
import { transactionHash, ZERO_HASH } from "#lib/chain/hashes.ts";
import { bytesToHex, hexToBytes } from "#lib/chain/hex.ts";
import type { NodeBlock, NodeTransaction } from "#lib/chain/schema.ts";
import {
  decodeSerializedBlock,
  decodeSerializedTransaction,
  parseSerializedBlock,
} from "#lib/chain/serialized.ts";
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { packBlock, packTransaction } from "#lib/testing/packed-block.ts";

const script = { code_hash: `0x${"9b".repeat(32)}`, hash_type: "data2" as const, args: "0xabcdef" };
const unhashed: NodeTransaction = {
  hash: ZERO_HASH,
  version: "0x0",
  cell_deps: [
    { out_point: { tx_hash: `0x${"ab".repeat(32)}`, index: "0x10" }, dep_type: "code" },
    { out_point: { tx_hash: `0x${"ac".repeat(32)}`, index: "0x0" }, dep_type: "dep_group" },
  ],
  header_deps: [`0x${"ad".repeat(32)}`],
  inputs: [{ previous_output: { tx_hash: ZERO_HASH, index: "0xffffffff" }, since: "0x1000000000000001" }],
  outputs: [
    { capacity: "0xffffffffffffffff", lock: script, type: script },
    { capacity: "0x100", lock: script, type: null },
  ],
  outputs_data: ["0x", "0x0102"],
  witnesses: ["0x", "0xff"],
};
const transaction = { ...unhashed, hash: transactionHash(unhashed) };

const header = {
  version: "0x0",
  compact_target: "0x1e083126",
  timestamp: "0x5cd2b117",
  number: "0x400",
  epoch: "0x7080018000001",
  parent_hash: `0x${"01".repeat(32)}`,
  transactions_root: `0x${"02".repeat(32)}`,
  proposals_hash: `0x${"03".repeat(32)}`,
  extra_hash: `0x${"04".repeat(32)}`,
  dao: `0x${"05".repeat(32)}`,
  nonce: "0x5ff1389af870654311a2bee61237",
  hash: "",
};
const block: NodeBlock = {
  header,
  uncles: [{ header, proposals: ["0x0102030405060708090a"] }],
  proposals: [],
  transactions: [transaction],
  extension: "0xabcd",
};

describe("the serialised form", () => {
  test("of a transaction gives the same as its JSON", () => {
    expect(decodeSerializedTransaction(packTransaction(transaction), "rpc")).toEqual(transaction);
  });

  test("of a block gives the same as its JSON, with and without uncles and extension", () => {
    const anyHash = { ...header, hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) };
    expect(decodeSerializedBlock(packBlock(block), "rpc")).toEqual({
      ...block,
      header: anyHash,
      uncles: [{ header: anyHash, proposals: block.uncles[0]!.proposals }],
    });
    const { extension, ...plain } = { ...block, uncles: [] };
    expect(extension).toBeDefined();
    expect(decodeSerializedBlock(packBlock(plain), "rpc")).toEqual({ ...plain, header: anyHash });
  });

  test("is refused with the fault where it is cut, extended, or not hex", () => {
    const hex = packBlock(block);
    expect(() => decodeSerializedBlock(hex.slice(0, -2), "rpc")).toThrow(/^rpc: The total size/);
    expect(() => decodeSerializedBlock(`${hex}00`, "rpc")).toThrow(InvalidChainDataError);
    expect(() => decodeSerializedBlock("0xzz", "rpc")).toThrow(/^rpc: Expected 0x/);
    expect(() => decodeSerializedBlock("0x04000000", "rpc")).toThrow(
      "rpc: A block has 0 fields, expected 4 or 5",
    );
    expect(() => parseSerializedBlock(hex, "mainnet", "rpc")).toThrow(
      /^rpc: uncles\[0\]\.header\.proposals_hash is /,
    );
  });

  test("is refused where a part is of no known kind", () => {
    const hex = packTransaction(transaction);
    const decode = (text: string) => () => decodeSerializedTransaction(text, "rpc");
    expect(decode(packBlock(block))).toThrow("rpc: A transaction has 5 fields, expected 2");
    expect(decode(hex.replace(`${"9b".repeat(32)}04`, `${"9b".repeat(32)}03`))).toThrow(
      "rpc: Unknown hash type 3",
    );
    expect(decode(hex.replace(`${"ab".repeat(32)}1000000000`, `${"ab".repeat(32)}1000000002`))).toThrow(
      "rpc: Unknown kind of dependency 2",
    );
    expect(decode(packTransaction({ ...transaction, outputs_data: ["0x"] }))).toThrow(
      "more or fewer data than outputs",
    );
  });

  test("is met with a block or an InvalidChainDataError, whatever its bytes are", () => {
    const whole = hexToBytes(packBlock(block));
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(changes, fc.nat(whole.length), fc.boolean(), (changed, end, cut) => {
        const bytes = whole.slice(0, cut ? end : whole.length);
        for (const [place, value] of changed) if (place < bytes.length) bytes[place] = value;
        try {
          decodeSerializedBlock(bytesToHex(bytes), "rpc");
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidChainDataError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

const recorded = new URL("../../../shared/ckb-blocks/blocks/", import.meta.url);
const names = existsSync(recorded) ? readdirSync(recorded) : [];

describe.skipIf(names.length === 0)("recorded blocks (skipped where ../shared/ckb-blocks is absent)", () => {
  test.for(names)("%s is the same in both forms", (name) => {
    const node = parseNodeBlock(JSON.parse(readFileSync(new URL(name, recorded), "utf8")), name);
    const hex = packBlock(node);
    expect(decodeSerializedBlock(hex, name)).toEqual(node);
    expect(parseSerializedBlock(hex, "mainnet", name)).toEqual(parseBlock(node, "mainnet", name));
  });
});

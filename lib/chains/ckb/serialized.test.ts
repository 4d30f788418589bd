import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  extraHash,
  headerHash,
  proposalsHash,
  transactionHash,
  transactionsRoot,
} from "#lib/chains/ckb/testing/node-hashes.ts";
import { packBlock, packTransaction } from "#lib/chains/ckb/testing/packed-block.ts";
import {
  hasRecordedBlocks,
  readRecordedBlock,
  recordedBlocks,
} from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { parseBlock, parseNodeBlock } from "./block.ts";
import { ZERO_HASH } from "./hashes.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import type { NodeBlock, NodeTransaction } from "./schema.ts";
import { parseSerializedBlock, parseSerializedTransaction } from "./serialized.ts";

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
  proposals: ["0x0a090807060504030201"],
  transactions: [transaction],
  extension: "0xabcd",
};

const parse = (hex: string) => parseSerializedBlock(hex, "testnet", "rpc");

/** The block with every hash as it should be. */
function sealed(given: NodeBlock, change: Partial<NodeTransaction> = {}): NodeBlock {
  const transactions = given.transactions.map((each) => {
    const changed = { ...each, ...change };
    return { ...changed, hash: transactionHash(changed) };
  });
  const uncles = given.uncles.map((uncle) => {
    const proposals_hash =
      uncle.proposals.length === 0 ? uncle.header.proposals_hash : proposalsHash(uncle.proposals);
    const header = { ...uncle.header, proposals_hash };
    return { ...uncle, header: { ...header, hash: headerHash(header) } };
  });
  const header = {
    ...given.header,
    transactions_root: transactionsRoot(transactions),
    proposals_hash: proposalsHash(given.proposals),
    extra_hash: extraHash(uncles, given.extension),
  };
  return { ...given, uncles, transactions, header: { ...header, hash: headerHash(header) } };
}

describe("the serialised form", () => {
  test("of a block gives the same as its JSON, with and without uncles and extension", () => {
    for (const whole of [sealed(block), sealed({ ...block, uncles: [], extension: undefined })]) {
      expect(parse(packBlock(whole))).toEqual(parseBlock(whole, "testnet", "json"));
    }
  });

  test("is refused with the reason if it is cut, extended, or not hex", () => {
    const hex = packBlock(sealed(block));
    expect(() => parse(hex.slice(0, -2))).toThrow(/^rpc: The total size/);
    expect(() => parse(`${hex}00`)).toThrow(InvalidChainDataError);
    expect(() => parse("0xzz")).toThrow(/^rpc: Expected 0x/);
    expect(() => parse("0x04000000")).toThrow("rpc: A block has 0 fields, expected 4 or 5");
  });

  test("is refused where a hash of the header is not that of the contents, with both values", () => {
    const wrong = `0x${"0e".repeat(32)}`;
    for (const place of ["transactions_root", "proposals_hash", "extra_hash"] as const) {
      const whole = sealed(block);
      const right = whole.header[place];
      whole.header[place] = wrong;
      expect(() => parse(packBlock(whole))).toThrow(
        `rpc: header.${place} is ${wrong}, but the contents hash to ${right}`,
      );
    }
    const uncle = { header: { ...block.uncles[0]!.header, proposals_hash: wrong }, proposals: [] };
    expect(() => parse(packBlock(sealed({ ...block, uncles: [uncle] })))).toThrow(
      /^rpc: uncles\[0\]\.header\.proposals_hash is /,
    );
  });

  test("is refused where a part is misshapen, though all its hashes are right", () => {
    const changed = (change: Partial<NodeTransaction>) => packBlock(sealed(block, change));
    expect(() => parse(changed({ outputs_data: ["0x"] }))).toThrow(
      "rpc: A transaction has a different number of data and outputs",
    );
    expect(() => parse(packBlock(sealed({ ...block, transactions: [] })))).toThrow(
      "rpc: transactions[0] is not a cellbase",
    );
  });

  test("is met with a block or an InvalidChainDataError, whatever its bytes are", () => {
    const whole = hexToBytes(packBlock(sealed(block)));
    const changes = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(changes, fc.nat(whole.length), fc.boolean(), (changed, end, cut) => {
        const bytes = Buffer.from(whole.subarray(0, cut ? end : whole.length));
        for (const [place, value] of changed) if (place < bytes.length) bytes[place] = value;
        try {
          parse(bytesToHex(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidChainDataError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe.skipIf(!hasRecordedBlocks)("recorded blocks", () => {
  test.for(recordedBlocks)("$height of $network is the same in both forms", ({ height, network }) => {
    const node = parseNodeBlock(readRecordedBlock(height), "f");
    const hex = packBlock(node);
    expect(parseSerializedBlock(hex, network, "f")).toEqual(parseBlock(node, network, "f"));
  });
});

describe("a serialised transaction", () => {
  test("has the outputs that its block has, and the hash of all but its witnesses", () => {
    const expected = parse(packBlock(sealed(block))).transactions[0]!;
    const read = (change: Partial<NodeTransaction>) =>
      parseSerializedTransaction(packTransaction({ ...transaction, ...change }), "testnet", "rpc");
    expect(read({})).toEqual({ hash: transaction.hash, outputs: expected.outputs });
    expect(read({ witnesses: [] }).hash).toBe(transaction.hash);
    expect(read({ version: "0x1" }).hash).not.toBe(transaction.hash);
  });

  test("is refused in words if it is none", () => {
    for (const text of ["", "0x", "0xzz", packTransaction(transaction).slice(0, -2)]) {
      expect(() => parseSerializedTransaction(text, "testnet", "rpc")).toThrow(InvalidChainDataError);
      expect(() => parseSerializedTransaction(text, "testnet", "rpc")).toThrow(/^rpc: ./);
    }
  });
});

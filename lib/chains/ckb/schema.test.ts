import { describe, expect, test } from "vitest";
import { nodeBlock, nodeCellOutput, nodeHeader, nodeScript, nodeTransaction } from "./schema.ts";

const zeroHash = `0x${"0".repeat(64)}`;
const script = { code_hash: zeroHash, hash_type: "type", args: "0x" };
const output = { capacity: "0x0", lock: script, type: null };
const transaction = {
  hash: zeroHash,
  version: "0x0",
  cell_deps: [],
  header_deps: [],
  inputs: [],
  outputs: [output],
  outputs_data: ["0x"],
  witnesses: [],
};
const header = {
  hash: zeroHash,
  version: "0x0",
  compact_target: "0xffffffff",
  timestamp: "0x0",
  number: "0xffffffffffffffff",
  epoch: "0x0",
  parent_hash: zeroHash,
  transactions_root: zeroHash,
  proposals_hash: zeroHash,
  extra_hash: zeroHash,
  dao: zeroHash,
  nonce: `0x${"f".repeat(32)}`,
};
const block = { header, proposals: [], transactions: [] };

describe("the JSON of a node", () => {
  test("accepts the least and the most that its integers can hold", () => {
    expect(nodeHeader.safeParse(header).success).toBe(true);
    expect(nodeCellOutput.safeParse(output).success).toBe(true);
  });

  test.each(["", "0", "0x", "0x00", "0x01", "0x1g", "0xA", " 0x1", "0x1\n", "0x10000000000000000", 1, null])(
    "refuses the 64-bit integer %j",
    (capacity) => {
      expect(nodeCellOutput.safeParse({ ...output, capacity }).success).toBe(false);
    },
  );

  test("refuses integers wider than their field", () => {
    expect(nodeHeader.safeParse({ ...header, version: "0x100000000" }).success).toBe(false);
    expect(nodeHeader.safeParse({ ...header, nonce: `0x1${"0".repeat(32)}` }).success).toBe(false);
  });

  test.each([
    "0x",
    "",
    zeroHash.slice(0, -1),
    `${zeroHash}0`,
    zeroHash.replace("0x0", "0xg"),
    zeroHash.replace("0x0", "0xA"),
  ])("refuses the hash %j", (hash) => {
    expect(nodeScript.safeParse({ ...script, code_hash: hash }).success).toBe(false);
  });

  test.each(["", "0", "0x0", "0xzz", "0xAB", "0x 1", "0x00\n0"])("refuses the bytes %j", (args) => {
    expect(nodeScript.safeParse({ ...script, args }).success).toBe(false);
  });

  test("takes bytes of many megabytes", () => {
    const args = `0x${"ab".repeat(8_000_000)}`;
    expect(nodeScript.safeParse({ ...script, args }).success).toBe(true);
    expect(nodeScript.safeParse({ ...script, args: `${args}xy` }).success).toBe(false);
  });

  test("knows the hash types type, data, and data1 to data127, and refuses others in words", () => {
    for (const hashType of ["data", "type", "data1", "data2", "data3", "data127"]) {
      expect(nodeScript.safeParse({ ...script, hash_type: hashType }).success).toBe(true);
    }
    for (const hashType of ["data0", "data01", "data128", "Data", "vm3", "", 6, null, undefined]) {
      const result = nodeScript.safeParse({ ...script, hash_type: hashType });
      expect(result.error?.issues[0]?.message).toMatch(/^Unknown hash type: .* has to be upgraded$/);
    }
  });

  test("refuses a transaction with more or fewer data than outputs", () => {
    expect(nodeTransaction.safeParse(transaction).success).toBe(true);
    for (const data of [[], ["0x", "0x"]]) {
      const result = nodeTransaction.safeParse({ ...transaction, outputs_data: data });
      expect(result.error?.issues[0]).toMatchObject({ path: ["outputs_data"] });
    }
  });

  test("ignores keys that it does not know, and takes a block without uncles or extension", () => {
    const result = nodeBlock.parse({ ...block, cycles: null, header: { ...header, difficulty: "0x1" } });
    expect(result).toEqual({ ...block, uncles: [] });
    expect(nodeBlock.parse({ ...block, extension: null }).extension).toBeNull();
  });
});

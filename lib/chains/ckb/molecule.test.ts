import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InvalidChainDataError } from "#lib/contract/ledger.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import {
  hashTypeOfByte,
  readBytes,
  readFixedVector,
  readOptionalBytes,
  readScript,
  readTable,
  serializeCellDep,
  serializeCellInput,
  serializeCellOutput,
  serializeHeader,
  serializeOutPoint,
  serializeScript,
  serializeTransaction,
} from "./molecule.ts";
import type { NodeHeader, NodeScript } from "./schema.ts";

const hashOf = (byte: string) => `0x${byte.repeat(32)}`;
const lock: NodeScript = { code_hash: hashOf("11"), hash_type: "data2", args: "0xaabb" };
const lockBytes = `37000000${"10000000"}${"30000000"}${"31000000"}${"11".repeat(32)}04${"02000000"}aabb`;

const header: NodeHeader = {
  hash: hashOf("00"),
  version: "0x1",
  compact_target: "0x1e083126",
  timestamp: "0x5cd2b117",
  number: "0x400",
  epoch: "0x7080018000001",
  parent_hash: hashOf("01"),
  transactions_root: hashOf("02"),
  proposals_hash: hashOf("03"),
  extra_hash: hashOf("04"),
  dao: hashOf("05"),
  nonce: "0x5ff1389af870654311a2bee61237",
};

describe("serialising", () => {
  test("writes a script as a table of code hash, hash type and args", () => {
    expect(bytesToHex(serializeScript(lock))).toBe(`0x${lockBytes}`);
  });

  test("writes integers little-endian at their full width", () => {
    expect(bytesToHex(serializeOutPoint({ tx_hash: hashOf("22"), index: "0xffffffff" }))).toBe(
      `${hashOf("22")}ffffffff`,
    );
    expect(
      bytesToHex(
        serializeCellInput({ since: "0x123", previous_output: { tx_hash: hashOf("22"), index: "0x100" } }),
      ),
    ).toBe(`0x2301000000000000${"22".repeat(32)}00010000`);
  });

  test("writes a dependency's kind as one byte", () => {
    const outPoint = { tx_hash: hashOf("22"), index: "0x0" };
    expect(serializeCellDep({ out_point: outPoint, dep_type: "code" }).at(-1)).toBe(0);
    expect(serializeCellDep({ out_point: outPoint, dep_type: "dep_group" }).at(-1)).toBe(1);
  });

  test("writes an absent type script as nothing", () => {
    const fields = readTable(serializeCellOutput({ capacity: "0xffffffffffffffff", lock, type: null }));
    expect(fields.map(bytesToHex)).toEqual(["0xffffffffffffffff", `0x${lockBytes}`, "0x"]);
    const typed = readTable(serializeCellOutput({ capacity: "0x1", lock, type: lock }));
    expect(typed.map(bytesToHex)).toEqual(["0x0100000000000000", `0x${lockBytes}`, `0x${lockBytes}`]);
  });

  test("writes a header of 208 bytes, its nonce last", () => {
    const bytes = serializeHeader(header);
    expect(bytes.length).toBe(208);
    expect(bytesToHex(bytes.subarray(0, 32))).toBe(
      "0x010000002631081e17b1d25c0000000000040000000000000100001800080700",
    );
    expect(bytesToHex(bytes.subarray(192))).toBe("0x3712e6bea211436570f89a38f15f0000");
  });

  test("writes a transaction without anything in it", () => {
    const transaction = {
      hash: hashOf("00"),
      version: "0x0",
      cell_deps: [],
      header_deps: [],
      inputs: [],
      outputs: [],
      outputs_data: [],
      witnesses: [],
    };
    const [raw, witnesses] = readTable(serializeTransaction(transaction));
    expect(readTable(raw!).map(bytesToHex)).toEqual([
      "0x00000000",
      "0x00000000",
      "0x00000000",
      "0x00000000",
      "0x04000000",
      "0x04000000",
    ]);
    expect(bytesToHex(witnesses!)).toBe("0x04000000");
  });
});

describe("reading", () => {
  const fields = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });

  function tableOf(items: Uint8Array[]): Buffer {
    const size = 4 + 4 * items.length + items.reduce((sum, item) => sum + item.length, 0);
    const bytes = Buffer.alloc(size);
    bytes.writeUInt32LE(size);
    let place = 4 + 4 * items.length;
    for (const [index, item] of items.entries()) {
      bytes.writeUInt32LE(place, 4 + 4 * index);
      bytes.set(item, place);
      place += item.length;
    }
    return bytes;
  }

  function outcome(read: () => unknown): unknown {
    try {
      return read();
    } catch (error) {
      return error;
    }
  }

  test("takes a table apart into its fields", () => {
    fc.assert(
      fc.property(fields, (items) => {
        expect(readTable(tableOf(items)).map((item) => [...item])).toEqual(items.map((item) => [...item]));
      }),
    );
  });

  test("meets any bytes with fields inside them or an InvalidChainDataError", () => {
    const anyBytes = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));
    // Small first bytes make sizes and offsets that are nearly right.
    const nearly = fc
      .tuple(fields, fc.array(fc.tuple(fc.nat(60), fc.nat(255)), { minLength: 1, maxLength: 4 }))
      .map(([items, changes]) => {
        const bytes = tableOf(items);
        for (const [place, value] of changes) if (place < bytes.length) bytes[place] = value;
        return bytes;
      });
    fc.assert(
      fc.property(fc.oneof(anyBytes, nearly), (bytes) => {
        const table = outcome(() => readTable(bytes));
        if (table instanceof Error) expect(table).toBeInstanceOf(InvalidChainDataError);
        else {
          const read = table as Uint8Array[];
          const total = read.reduce((sum, field) => sum + field.length, 0);
          expect(total + 4 + 4 * read.length).toBe(bytes.length);
        }
        for (const read of [readBytes, readOptionalBytes]) {
          const value = outcome(() => read(bytes));
          if (value instanceof Error) expect(value).toBeInstanceOf(InvalidChainDataError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["no bytes", "0x"],
    ["a total size beyond the end", "0x05000000"],
    ["a total size short of the end", "0x0400000000"],
    ["no room for an offset", "0x0600000000000"],
    ["a first offset inside the header", "0x0800000004000000"],
    ["a first offset between two", "0x0a0000000a0000000000"],
    ["a first offset beyond the end", "0x080000000c000000"],
    ["an offset before the one before it", "0x0d0000000c0000000b00000000"],
    ["an offset beyond the end", "0x0d0000000c0000000e00000000"],
    ["an offset near 2^32", "0x0c0000000c000000ffffffff"],
  ])("refuses a table with %s", (_, hex) => {
    const even = hex.length % 2 === 0 ? hex : `${hex}0`;
    expect(() => readTable(hexToBytes(even))).toThrow(InvalidChainDataError);
  });

  test("reads bytes after their count, and an option as absent or as bytes", () => {
    expect(bytesToHex(readBytes(hexToBytes("0x02000000aabb")))).toBe("0xaabb");
    expect(() => readBytes(hexToBytes("0x03000000aabb"))).toThrow(InvalidChainDataError);
    expect(() => readBytes(hexToBytes("0x01000000aabb"))).toThrow(InvalidChainDataError);
    expect(() => readBytes(hexToBytes("0x0000"))).toThrow(InvalidChainDataError);
    expect(readOptionalBytes(hexToBytes("0x"))).toBeNull();
    expect(readOptionalBytes(hexToBytes("0x00000000"))).toHaveLength(0);
  });

  test("reads a vector of items of one size as their bytes, after their count", () => {
    expect(bytesToHex(readFixedVector(hexToBytes("0x02000000aabbccdd"), 2))).toBe("0xaabbccdd");
    expect(readFixedVector(hexToBytes("0x00000000"), 44)).toHaveLength(0);
    for (const hex of ["0x0200", "0x02000000aabbcc", "0x02000000aabbccddee", "0xffffffffaa"]) {
      expect(() => readFixedVector(hexToBytes(hex), 2)).toThrow(InvalidChainDataError);
    }
  });

  test("reads a script, also of a hash type to come, and refuses one of an impossible hash type or of other lengths", () => {
    const script = { code_hash: `0x${"9b".repeat(32)}`, hash_type: "data2", args: "0xabcd" } as const;
    const bytes = serializeScript(script);
    expect(readScript(bytes)).toEqual(script);
    bytes[48] = 6;
    expect(readScript(bytes)).toEqual({ ...script, hash_type: "data3" });
    expect(serializeScript(readScript(bytes))).toEqual(bytes);
    bytes[48] = 3;
    expect(() => readScript(bytes)).toThrow("Unknown hash type 3");
    expect(() => readScript(bytes.subarray(1))).toThrow(InvalidChainDataError);
  });

  test("knows the bytes of all hash types that can ever be", () => {
    expect([6, 8, 254].map(hashTypeOfByte)).toEqual(["data3", "data4", "data127"]);
    expect([0, 1, 2, 3, 4, 5, 255].map(hashTypeOfByte)).toEqual([
      "data",
      "type",
      "data1",
      null,
      "data2",
      null,
      null,
    ]);
  });
});

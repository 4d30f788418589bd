import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byteLength, bytesToHex, hexToBytes } from "./hex.ts";

describe("hex", () => {
  test("reads back the bytes that it wrote", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const hex = bytesToHex(bytes);
        expect(hex).toMatch(/^0x([0-9a-f]{2})*$/);
        expect(byteLength(hex)).toBe(bytes.length);
        expect([...hexToBytes(hex)]).toEqual([...bytes]);
        expect([...hexToBytes(`0x${hex.slice(2).toUpperCase()}`)]).toEqual([...bytes]);
      }),
    );
  });

  test.each(["", "0", "0x0", "00", "0xg0", "0x0g", "0x0 ", "0x-1", "0x00é0", "0x\u01300", "0X00"])(
    "refuses %j",
    (text) => {
      expect(() => hexToBytes(text)).toThrow(RangeError);
    },
  );
});

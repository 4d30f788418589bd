import { blake2b } from "@noble/hashes/blake2.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ckbHash } from "./hashes.ts";

const personalization = new TextEncoder().encode("ckb-default-hash");
const expected = (message: Uint8Array) => blake2b(message, { dkLen: 32, personalization });
const message = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 8)) & 255);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

describe("BLAKE2b-256", () => {
  test("of nothing, personalised for CKB, is the known hash", () => {
    expect(hex(ckbHash(new Uint8Array()))).toBe(
      "44f4c69744d5f8c55d642062949dcae49bc4e7ef43d388c5a12f42b5633d163e",
    );
  });

  test("agrees with another implementation at every length around a block's and a page's end", () => {
    const lengths = [
      ...Array(400).keys(),
      ...[65_536, 131_072].flatMap((n) => [n - 129, n - 1, n, n + 1, n + 128]),
    ];
    for (const length of lengths) {
      expect([length, hex(ckbHash(message(length)))]).toEqual([length, hex(expected(message(length)))]);
    }
  });

  test("agrees with another implementation on any message, from any place of a buffer", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 3000 }), fc.nat({ max: 9 }), (bytes, skip) => {
        expect(hex(ckbHash(bytes.subarray(skip)))).toBe(hex(expected(bytes.subarray(skip))));
      }),
    );
  });

  test("gives results that later ones do not overwrite", () => {
    const first = ckbHash(message(10));
    ckbHash(message(11));
    expect(hex(first)).toBe(hex(expected(message(10))));
  });
});

import { describe, expect, test } from "vitest";
import { extraHash, proposalsHash } from "#lib/chains/ckb/testing/node-hashes.ts";
import { ckbHash, merkleRoot, scriptHash, ZERO_HASH } from "./hashes.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import type { NodeHeader, NodeScript } from "./schema.ts";

function join(left: string, right: string): string {
  return bytesToHex(ckbHash(hexToBytes(left + right.slice(2))));
}

describe("hashes", () => {
  // Expected values that no other source is named for are those of the node's own tests, in calc_hash.rs.
  test("hashes nothing to the digest that CKB documents as its blank hash", () => {
    expect(bytesToHex(ckbHash(new Uint8Array()))).toBe(
      "0x44f4c69744d5f8c55d642062949dcae49bc4e7ef43d388c5a12f42b5633d163e",
    );
  });

  test.each<[string, NodeScript, string]>([
    [
      "with every field empty",
      { code_hash: ZERO_HASH, hash_type: "data", args: "0x" },
      "0x77c93b0632b5b6c3ef922c5b7cea208fb0a7c427a13d50e13d3fefad17e0c590",
    ],
    [
      "with one byte of args",
      { code_hash: ZERO_HASH, hash_type: "data", args: "0x01" },
      "0x67951b34bce20cb71b7e235c1f8cda259628d99d94825bffe549c23b4dd2930f",
    ],
    [
      "of a common lock",
      {
        code_hash: "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8",
        hash_type: "type",
        args: "0xb39bbc0b3673c7d36450bc14cfcdad2d559c6c64",
      },
      "0xe203d8260a0eb9d0ec8f69976e2108d9e50d0c8fb1920a67d10d61cb9993e284",
    ],
  ])("hashes a script %s", (_, script, expected) => {
    expect(scriptHash(script)).toBe(expected);
  });

  test("hashes proposals, and no proposals to zero", () => {
    expect(proposalsHash([`0x${"01".repeat(10)}`, `0x${"02".repeat(10)}`])).toBe(
      "0xd1670e45af1deb9cc00951d71c09ce80932e7ddf9fb151d744436bd04ac4a562",
    );
    expect(proposalsHash([])).toBe(ZERO_HASH);
  });

  test("hashes uncles, and joins their hash with the extension's", () => {
    const first: NodeHeader = {
      hash: ZERO_HASH,
      version: "0x0",
      compact_target: "0x1e083126",
      timestamp: "0x5cd2b117",
      number: "0x400",
      epoch: "0x7080018000001",
      parent_hash: "0x8381df265c9442d5c27559b167892c5a6a8322871112d3cc8ef45222c6624831",
      transactions_root: "0x12214693b8bd5c3d8f96e270dc8fe32b1702bd97630a9eab53a69793e6bc893f",
      proposals_hash: "0xd1670e45af1deb9cc00951d71c09ce80932e7ddf9fb151d744436bd04ac4a562",
      extra_hash: ZERO_HASH,
      dao: "0xb54bdd7f6be90000bb52f392d41cd70024f7ef29b437000000febffacf030000",
      nonce: "0x5ff1389af870654311a2bee61237",
    };
    const second: NodeHeader = {
      ...first,
      compact_target: "0x20010000",
      timestamp: "0x5cd21a16",
      proposals_hash: ZERO_HASH,
      nonce: "0x2f392d41cd70024f",
    };
    const uncles = [
      { header: first, proposals: [`0x${"01".repeat(10)}`, `0x${"02".repeat(10)}`] },
      { header: second, proposals: [] },
    ];
    const unclesHash = "0x0135d01f169a870bd9c92b2b37aecfa0fbfb7c1862cc176e03bb525fab0649d9";
    expect(extraHash(uncles, null)).toBe(unclesHash);
    expect(extraHash(uncles, undefined)).toBe(unclesHash);
    expect(extraHash([], null)).toBe(ZERO_HASH);
    const extensionHash = bytesToHex(ckbHash(hexToBytes("0xabcd")));
    expect(extraHash(uncles, "0xabcd")).toBe(join(unclesHash, extensionHash));
    expect(extraHash([], "0xabcd")).toBe(join(ZERO_HASH, extensionHash));
  });

  test("puts the leaves of a Merkle tree in the order of RFC 6", () => {
    const [a, b, c, d, e] = [10, 11, 12, 13, 14].map((byte) => Buffer.alloc(32, byte)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    const join = (left: Buffer, right: Buffer) => ckbHash(Buffer.concat([left, right]));
    expect(bytesToHex(merkleRoot([]))).toBe(ZERO_HASH);
    expect(merkleRoot([a])).toEqual(a);
    expect(merkleRoot([a, b])).toEqual(join(a, b));
    expect(merkleRoot([a, b, c])).toEqual(join(join(b, c), a));
    expect(merkleRoot([a, b, c, d])).toEqual(join(join(a, b), join(c, d)));
    expect(merkleRoot([a, b, c, d, e])).toEqual(join(join(join(d, e), a), join(b, c)));
  });
});

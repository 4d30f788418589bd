import { bech32, bech32m } from "@scure/base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressError, isAddressError } from "#lib/contract/chain.ts";
import {
  type AddressFault,
  type AddressFormat,
  addressOf,
  decodeAddress,
  encodeAddress,
  parseAddress,
} from "./address.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import { hashTypeBytes, type NodeScript } from "./schema.ts";
import { terms } from "./terms.ts";

const lock: NodeScript = {
  code_hash: "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8",
  hash_type: "type",
  args: "0xb39bbc0b3673c7d36450bc14cfcdad2d559c6c64",
};
const lockHash = "0xe203d8260a0eb9d0ec8f69976e2108d9e50d0c8fb1920a67d10d61cb9993e284";
const multisig: NodeScript = {
  code_hash: "0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8",
  hash_type: "type",
  args: "0x4fb2be2e5d0c1a3b8694f832350a33c1685d477a",
};
const mainnetFull =
  "ckb1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdnnw7qkdnnclfkg59uzn8umtfd2kwxceqxwquc4";
const testnetFull =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdnnw7qkdnnclfkg59uzn8umtfd2kwxceqgutnjd";
const mainnetShort = "ckb1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jqfwyw5v";

function bytesOf(script: NodeScript, ...head: number[]): Uint8Array {
  return Uint8Array.from([...head, ...hexToBytes(script.code_hash), ...hexToBytes(script.args)]);
}

function encode(codec: typeof bech32, prefix: string, payload: ArrayLike<number>): string {
  return codec.encode(prefix, codec.toWords(Uint8Array.from(payload)), false);
}

function failure(text: string): AddressError {
  try {
    decodeAddress(text);
  } catch (error) {
    if (isAddressError(error)) return error;
    throw error;
  }
  throw new Error(`${text} was accepted`);
}

function expectFailure(text: string, kind: AddressFault, message: RegExp): void {
  const error = failure(text);
  expect([error.code, error.message]).toEqual([`address_${kind}`, expect.stringMatching(message)]);
}

const scripts: fc.Arbitrary<NodeScript> = fc.record({
  code_hash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(bytesToHex),
  hash_type: fc.constantFrom(...hashTypeBytes.keys()),
  args: fc.uint8Array({ maxLength: 120 }).map(bytesToHex),
});
const networks = fc.constantFrom("mainnet" as const, "testnet" as const);

describe("encoding an address", () => {
  test("writes the full form of RFC 21", () => {
    expect(encodeAddress(lock, "mainnet")).toBe(mainnetFull);
    expect(encodeAddress(lock, "testnet")).toBe(testnetFull);
  });

  test("is undone by decoding, for every script of both networks", () => {
    fc.assert(
      fc.property(scripts, networks, (script, network) => {
        expect(decodeAddress(encodeAddress(script, network))).toEqual({ script, network, format: "full" });
      }),
    );
  });
});

describe("decoding an address", () => {
  // The examples of RFC 21.
  test.each<[string, NodeScript, AddressFormat]>([
    [mainnetFull, lock, "full"],
    [mainnetShort, lock, "short"],
    ["ckb1qyq5lv479ewscx3ms620sv34pgeuz6zagaaqklhtgg", multisig, "short"],
    [
      "ckb1qjda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xw3vumhs9nvu786dj9p0q5elx66t24n3kxgj53qks",
      lock,
      "full-2019",
    ],
  ])("reads %s", (text, script, format) => {
    expect(decodeAddress(text)).toEqual({ script, network: "mainnet", format });
    expect(decodeAddress(text.toUpperCase())).toEqual({ script, network: "mainnet", format });
  });

  test("reads the deprecated full forms of any script", () => {
    fc.assert(
      fc.property(scripts, networks, (script, network) => {
        const prefix = network === "mainnet" ? "ckb" : "ckt";
        for (const [kind, hashType] of [
          [2, "data"],
          [4, "type"],
        ] as const) {
          expect(decodeAddress(encode(bech32, prefix, bytesOf(script, kind)))).toEqual({
            script: { ...script, hash_type: hashType },
            network,
            format: "full-2019",
          });
        }
      }),
    );
  });

  test.each([
    ["ckb", "0xd369597ff47f29fbc0d47d2e3775370d1250b85140c670e4718af712983a2354"],
    ["ckt", "0x3419a1c09eb2567f6552ee7a8ecffd64155cffe0f1796e6e61ec088d740c1356"],
  ])("reads a short anyone-can-pay address of %s, with up to two minimum amounts", (prefix, codeHash) => {
    for (const length of [20, 21, 22]) {
      const args = new Uint8Array(length).fill(7);
      expect(decodeAddress(encode(bech32, prefix, [1, 2, ...args])).script).toEqual({
        code_hash: codeHash,
        hash_type: "type",
        args: bytesToHex(args),
      });
    }
    for (const length of [0, 19, 23]) {
      expectFailure(encode(bech32, prefix, [1, 2, ...new Uint8Array(length)]), "length", /expected 20 to 22/);
    }
  });

  test("refuses every change of one character", () => {
    const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    for (const text of [mainnetFull, mainnetShort, testnetFull]) {
      for (let place = 4; place < text.length; place++) {
        for (const character of alphabet) {
          if (character === text[place]) continue;
          expectFailure(text.slice(0, place) + character + text.slice(place + 1), "checksum", /checksum/i);
        }
      }
    }
  });

  test.each<[string, AddressFault, RegExp]>([
    ["", "malformed", /only letters and digits/],
    [` ${mainnetFull}`, "malformed", /no spaces/],
    [`${mainnetFull}\n`, "malformed", /no spaces/],
    // The Kelvin sign becomes a plain k in lower case.
    [mainnetFull.replace("ckb", "c\u212Ab"), "malformed", /only letters and digits/],
    [mainnetFull.replace("ckb", "Ckb"), "case", /not a mix/],
    [mainnetFull.replace("ckb", "bc"), "prefix", /starts with ckb1/],
    [mainnetFull.replace("ckb1", "ckb"), "prefix", /starts with ckb1/],
    ["ckb", "prefix", /starts with ckb1/],
    ["ckb1", "length", /too short/],
    ["ckb1qqqqqq", "length", /too short/],
    [mainnetFull.replace("qzda", "qbda"), "malformed", /Character 6 of the address, "b"/],
    [mainnetFull.replace("qzda", "q1da"), "malformed", /Character 6 of the address, "1"/],
    [mainnetFull.replace("ckb1", "ckt1"), "checksum", /a character is wrong/],
    [mainnetFull.slice(0, -1), "checksum", /a character is wrong/],
    [encode(bech32, "ckb", []), "length", /too short/],
    [encode(bech32, "ckb", [3, ...new Uint8Array(40)]), "format", /Unknown address format 3/],
    [encode(bech32m, "ckb", bytesOf(lock, 4)), "checksum", /this one has the Bech32m checksum/],
    [encode(bech32m, "ckb", [1, 0, ...new Uint8Array(20)]), "checksum", /this one has the Bech32m checksum/],
    [encode(bech32, "ckb", [0, ...new Uint8Array(33)]), "checksum", /this one has the older Bech32 checksum/],
    [
      encode(bech32m, "ckb", [0, ...new Uint8Array(32)]),
      "length",
      /holds 33 bytes; its format has at least 34/,
    ],
    [
      encode(bech32, "ckb", [2, ...new Uint8Array(31)]),
      "length",
      /holds 32 bytes; its format has at least 33/,
    ],
    [encode(bech32m, "ckb", [0, ...new Uint8Array(32), 3]), "hash-type", /Unknown hash type 3/],
    [encode(bech32m, "ckb", [0, ...new Uint8Array(32), 255]), "hash-type", /has 1 or an even number/],
    [encode(bech32, "ckb", [1]), "length", /ends before/],
    [encode(bech32, "ckb", [1, 3, ...new Uint8Array(20)]), "format", /Unknown lock script 3/],
    [encode(bech32, "ckb", [1, 0, ...new Uint8Array(19)]), "length", /19 bytes of arguments; expected 20/],
    [encode(bech32, "ckb", [1, 1, ...new Uint8Array(21)]), "length", /21 bytes of arguments; expected 20/],
  ])("refuses %j as %s", (text, code, message) => {
    expectFailure(text, code, message);
  });

  test("refuses padding that is not zero, and more of it than a byte needs", () => {
    // 53 bytes fill 85 characters but for one bit.
    const words = bech32m.toWords(
      Uint8Array.from([0, ...hexToBytes(lock.code_hash), 1, ...new Uint8Array(19)]),
    );
    const dirty = [...words.slice(0, -1), words.at(-1)! | 1];
    expectFailure(bech32m.encode("ckb", dirty, false), "padding", /padded with zero bits/);
    expectFailure(bech32m.encode("ckb", [...words, 0], false), "padding", /whole byte/);
  });

  test("meets any text with an address or an AddressError", () => {
    const nearly = fc
      .tuple(fc.constantFrom(mainnetFull, mainnetShort), fc.nat(100), fc.string({ maxLength: 3 }))
      .map(([text, place, inserted]) => text.slice(0, place) + inserted + text.slice(place));
    const payloads = fc
      .tuple(fc.constantFrom(bech32, bech32m), fc.uint8Array({ maxLength: 60 }))
      .map(([codec, payload]) => encode(codec, "ckb", payload));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), nearly, payloads), (text) => {
        try {
          decodeAddress(text);
        } catch (error) {
          expect(isAddressError(error)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the address that a text names", () => {
  test("is the same for every form of one lock script", () => {
    const old = encode(bech32, "ckb", bytesOf(lock, 4));
    for (const text of [mainnetFull, mainnetFull.toUpperCase(), mainnetShort, old]) {
      expect(parseAddress(text, "mainnet")).toMatchObject({ key: lockHash, text: mainnetFull });
    }
    expect(addressOf(lock, "mainnet")).toEqual({ key: lockHash, text: mainnetFull });
  });

  test("must be on the network that is served", () => {
    expect(() => parseAddress(testnetFull, "mainnet")).toThrow(
      expect.objectContaining({
        code: "address_network",
        message: "Testnet address; this server reads mainnet",
      }),
    );
    expect(() => parseAddress(mainnetFull, "testnet")).toThrow("Mainnet address; this server reads testnet");
    expect(parseAddress(testnetFull, "testnet").text).toBe(testnetFull);
  });

  test("may be on either network while none is served yet", () => {
    expect([parseAddress(testnetFull, null).text, parseAddress(mainnetFull, null).text]).toEqual([
      testnetFull,
      mainnetFull,
    ]);
    expect(() => parseAddress("bc1q", null)).toThrow(/starts with ckb1/);
  });

  test("comes with its former form, its lock's name and its lock's parts", () => {
    const { lockName, lockFacts } = parseAddress(mainnetFull, "mainnet");
    expect(lockName).toBe("secp256k1-blake160");
    expect(lockFacts).toEqual([
      { name: "Code hash", value: lock.code_hash },
      { name: "Hash type", value: "type" },
      { name: "Args", value: lock.args },
    ]);
    const unknown = { ...lock, code_hash: `0x${"ab".repeat(32)}` };
    expect(parseAddress(encodeAddress(unknown, "mainnet"), "mainnet").lockName).toBeNull();
    const old = encode(bech32, "ckb", bytesOf(lock, 4));
    const forms = [mainnetFull, mainnetShort, old].map((text) => parseAddress(text, "mainnet").formerForm);
    expect(forms).toEqual([null, "short", "full-2019"]);
    expect(Object.keys(terms.formerAddressForms).sort()).toEqual(["full-2019", "short"]);
  });
});

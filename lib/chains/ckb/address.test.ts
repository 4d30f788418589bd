import { bech32, bech32m } from "@scure/base";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AddressError, isAddressError } from "#lib/contract/chain.ts";
import { type AddressFormat, addressOf, decodeAddress, encodeAddress, parseAddress } from "./address.ts";
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

function expectFailure(text: string, kind: string, message: RegExp): void {
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

  test.each<[string, string, RegExp]>([
    ["", "malformed", /only letters and digits/],
    [` ${mainnetFull}`, "malformed", /no spaces/],
    [`${mainnetFull}\n`, "malformed", /no spaces/],
    // The Kelvin sign becomes a plain k in lower case.
    [mainnetFull.replace("ckb", "c\u212Ab"), "malformed", /only letters and digits/],
    [mainnetFull.replace("ckb", "Ckb"), "case", /not a mix/],
    [mainnetFull.replace("ckb", "bc"), "prefix", /starts with ckb1/],
    [mainnetFull.replace("ckb1", "ckb"), "prefix", /starts with ckb1/],
    ["ckb", "prefix", /starts with ckb1/],
    // A public key of another chain's wallets, which mixes cases.
    ["xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8Nqtwybg", "prefix", /starts with ckb1/],
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
    for (const text of [`lock-hash:${lockHash}`, `LOCK-HASH:${lockHash.toUpperCase()}`]) {
      expect(parseAddress(text, "mainnet").key).toBe(lockHash);
    }
  });

  test("is shown by the hash of its lock script where its full form has more than 1,000 characters", () => {
    for (const [bytes, shown] of [
      [584, /^ckb1.{995}$/],
      [585, /^lock-hash:0x[0-9a-f]{64}$/],
      [40_000, /^lock-hash:0x[0-9a-f]{64}$/],
    ] as const) {
      const long = { ...lock, args: `0x${"ab".repeat(bytes)}` };
      const full = encodeAddress(long, "mainnet");
      const { key, text } = addressOf(long, "mainnet");
      expect(text).toMatch(shown);
      const formerForm = text === full ? null : "long";
      expect(parseAddress(full, "mainnet")).toMatchObject({ key, text, formerForm });
      expect(parseAddress(text, "mainnet")).toMatchObject({ key, text, formerForm: null });
    }
    const { lockName, lockFacts } = parseAddress(`lock-hash:${lockHash}`, null);
    expect([lockName, lockFacts]).toEqual([null, [{ name: "Hash", value: lockHash }]]);
  });

  test("is none where the hash of a lock script is cut or misspelt", () => {
    for (const text of [
      "lock-hash:",
      `lock-hash:${lockHash.slice(2)}`,
      `lock-hash:${lockHash.slice(0, -1)}`,
      `lock-hash:${lockHash}0`,
      `lock-hash:${lockHash.slice(0, -1)}g`,
      `script-hash:${lockHash}`,
    ]) {
      expect(() => parseAddress(text, "mainnet")).toThrow(
        expect.objectContaining({ code: "address_prefix" }),
      );
    }
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
    expect(Object.keys(terms.formerAddressForms).sort()).toEqual(["full-2019", "long", "short"]);
  });

  test("shows by its start or length alone whether its form is not the current one", () => {
    const former = new RegExp(terms.formerAddresses);
    fc.assert(
      fc.property(scripts, networks, fc.constantFrom(2, 4), (script, network, kind) => {
        expect(encodeAddress(script, network)).not.toMatch(former);
        const old = encode(bech32, network === "mainnet" ? "ckb" : "ckt", bytesOf(script, kind));
        expect(old).toMatch(former);
      }),
    );
    expect(mainnetShort).toMatch(former);
    const long = encodeAddress({ ...lock, args: `0x${"ab".repeat(600)}` }, "mainnet");
    expect(long).toMatch(former);
  });

  describe("with a lock that binds its cells to Bitcoin", () => {
    const factsOf = (script: NodeScript, network: "mainnet" | "testnet") =>
      parseAddress(encodeAddress(script, network), network).lockFacts.slice(3);
    const rgbpp = (codeHash: string, args: string): NodeScript => ({
      code_hash: codeHash,
      hash_type: "type",
      args,
    });
    const [RGBPP, RGBPP_TESTNET3, RGBPP_SIGNET] = [
      "0xbc6c568a1a0d0a09f6844dc9d74ddb4343c32143ff25f727c59edf4fb72d6936",
      "0x61ca7a4796a4eb19ca4f0d065cb9b10ddcf002f10f7cbb810c706cb6bb5c3248",
      "0xd07598deec7ce7b5665310386b4abd06a6d48843e953c5cc2112ad0d5a220364",
    ];
    const [TIME, TIME_TESTNET3, TIME_SIGNET] = [
      "0x70d64497a075bd651e98ac030455ea200637ee325a12ad08aff03f1a117e5a62",
      "0x00cdf8fab0f8ac638758ebf5ea5e4052b1d71e8a77b9f43139718621f6849326",
      "0x80a09eca26d77cea1f5a69471c59481be7404febf40ee90f886c36a948385b55",
    ];
    // Two cells of one transaction of mainnet's block 12621248, which one Bitcoin transaction made.
    const sealArgs = "0x0100000051f1bb8175f5047a409f5d4dd51743f6f724a85e3af6aa1802696dfecd77e583";
    const sealTimeArgs =
      "0x6900000010000000450000004900000035000000100000003000000031000000000000000000000000000000000000000000000000000000000000000000000000000000000600000051f1bb8175f5047a409f5d4dd51743f6f724a85e3af6aa1802696dfecd77e583";
    const sealTxid = "83e577cdfe6d690218aaf63a5ea824f7f64317d54d5d9f407a04f57581bbf151";
    // This is in the tests of rgbpp-sdk's `btcTxIdAndAfterFromBtcTimeLockArgs`.
    const timeArgs =
      "0x7f000000100000005b0000005f0000004b000000100000003000000031000000d23761b364210735c19c60561d213fb3beae2fd6172743719eff6920e020baac011600000000016c61f984f12d3c8a4f649e60acda5deda0b8837c060000007213bf894727c1b3cb99556549c01c73ba439ecf84d5f6974b3928bc025f4ed4";

    test("names the Bitcoin output, or a time lock's condition and next owner", () => {
      expect(factsOf(rgbpp(RGBPP!, sealArgs), "mainnet")).toEqual([
        { name: "Bitcoin output", value: `${sealTxid}:1` },
      ]);
      const [waitsFor] = factsOf(rgbpp(TIME!, sealTimeArgs), "mainnet");
      expect(waitsFor).toEqual({ name: "Bitcoin transaction", value: sealTxid });
      for (const codeHash of [RGBPP_TESTNET3!, RGBPP_SIGNET!]) {
        expect(factsOf(rgbpp(codeHash, `0xffffffff${sealArgs.slice(10)}`), "testnet")).toEqual([
          { name: "Bitcoin output", value: `${sealTxid}:4294967295` },
        ]);
      }
      for (const codeHash of [TIME_TESTNET3!, TIME_SIGNET!]) {
        expect(factsOf(rgbpp(codeHash, timeArgs), "testnet")).toEqual([
          {
            name: "Bitcoin transaction",
            value: "d44e5f02bc28394b97f6d584cf9e43ba731cc049655599cbb3c1274789bf1372",
          },
          { name: "Confirmations needed", value: "6" },
          {
            name: "Goes to",
            value:
              "ckt1qrfrwcdnvssswdwpn3s9v8fp87emat306ctjwsm3nmlkjg8qyza2cqgqq9kxr7vy7yknezj0vj0xptx6thk6pwyr0sxamv6q",
          },
        ]);
      }
    });

    test("shows its parts alone where its args have another layout", () => {
      for (const args of ["0x", "0x00", sealArgs.slice(0, -2), `${sealArgs}00`, sealTimeArgs]) {
        expect(factsOf(rgbpp(RGBPP!, args), "mainnet")).toEqual([]);
      }
      for (let end = 2; end < timeArgs.length; end += 2) {
        expect(factsOf(rgbpp(TIME_SIGNET!, timeArgs.slice(0, end)), "testnet")).toEqual([]);
      }
      // A lock script of a hash type that none can have.
      const impossible = timeArgs.replace("e020baac01", "e020baac03");
      for (const args of [`${timeArgs}00`, impossible, sealArgs]) {
        expect(factsOf(rgbpp(TIME_SIGNET!, args), "testnet")).toEqual([]);
      }
    });
  });
});

import { describe, expect, test } from "vitest";
import { describeDetected, detect } from "./detect.ts";

const hex64 = "ab".repeat(32);
const shortAddress = "ckb1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jqfwyw5v";

describe("search detection", () => {
  test.each([
    [`0x${hex64}`],
    [hex64],
    [hex64.toUpperCase()],
    [`0X${hex64.toUpperCase()}`],
    [`  0x${hex64}\n`],
  ])("takes %j as a block hash in canonical form", (text) => {
    expect(detect(text)).toEqual({ kind: "block-hash", hash: `0x${hex64}`, path: `/blocks/0x${hex64}` });
  });

  test("takes 64 decimal digits as a hash, not as a number", () => {
    expect(detect("1".repeat(64)).kind).toBe("block-hash");
  });

  test.each(["14203551", "14,203,551", " 14203551 "])("takes %j as a block number", (text) => {
    expect(detect(text)).toEqual({ kind: "block-number", height: 14203551, path: "/blocks/14203551" });
  });

  test("takes the genesis height", () => {
    expect(detect("0")).toEqual({ kind: "block-number", height: 0, path: "/blocks/0" });
  });

  test("takes an address of either network, and the old short form", () => {
    expect(detect(shortAddress)).toMatchObject({ kind: "address", network: "mainnet" });
    expect(detect(`ckt1${shortAddress.slice(4)}`)).toMatchObject({ kind: "address", network: "testnet" });
  });

  test("takes an address in upper case, and lowers it", () => {
    expect(detect(shortAddress.toUpperCase())).toMatchObject({ kind: "address", address: shortAddress });
  });

  test.each([
    ["", ""],
    [hex64.slice(1), "63 hex digits, a hash has 64"],
    ["0x1", "1 hex digit, a hash has 64"],
    [`0x${hex64.slice(2)}zz`, "Character 65 is not a hex digit"],
    [`${shortAddress.slice(0, -1)}V`, "An address is all lower case or all upper case, not mixed"],
    [`ckb1b${shortAddress.slice(5)}`, "Character 5 cannot be in an address"],
    ["ckb1", "The address ends after its prefix"],
    ["ckb1qyq", "7 characters, an address has at least 46"],
    ["hello", "Not an address (ckb1…, ckt1…), a block hash (64 hex digits) or a block number"],
  ])("says what is wrong with %j", (text, message) => {
    expect(describeDetected(detect(text))).toBe(message);
  });
});

import { describe, expect, test } from "vitest";
import { isAddressError } from "#lib/contract/chain.ts";
import { addressOf, parseAddress } from "./address.ts";
import { bitcoin, type Currency, litecoin } from "./networks.ts";
import { formOf, isUnspendable } from "./script.ts";
import { bitcoinTerms, EXTENDED_KEY, litecoinTerms } from "./terms.ts";
import { bitcoinVectors, refused } from "./testing/vectors.ts";

const networkOf = (currency: Currency, name: string) => currency.networks.find((each) => each.name === name)!;

describe("an address", () => {
  test.each(bitcoinVectors)("of Bitcoin's %s: %s", (network, text, script) => {
    const { key, text: written } = addressOf(Buffer.from(script, "hex"), networkOf(bitcoin, network));
    expect(written).toBe(text);
    for (const form of [text, `script:${script}`, `SCRIPT:${script.toUpperCase()}`]) {
      expect(parseAddress(form, bitcoin, network), form).toMatchObject({ key, text });
    }
    if (/^(bc|tb)/.test(text)) {
      expect(parseAddress(text.toUpperCase(), bitcoin, network)).toMatchObject({
        key,
        text,
        formerForm: null,
      });
    }
    expect(parseAddress(`script-hash:${key}`, bitcoin, network)).toMatchObject({ key, isHash: true });
  });

  test("of Litecoin's scripts has its own versions, and reads the older one", () => {
    const script = "a914373b819a068f32b7a6b38b6b38729647cfde01c287";
    const address = addressOf(Buffer.from(script, "hex"), networkOf(litecoin, "mainnet"));
    expect(address.text).toMatch(/^M/);
    expect(parseAddress("36j4NfKv6Akva9amjWrLG6MuSQym1GuEmm", litecoin, "mainnet")).toMatchObject({
      ...address,
      formerForm: "p2sh",
    });
    expect(parseAddress(address.text, litecoin, "mainnet")).toMatchObject({ ...address, formerForm: null });
    const former = new RegExp(litecoinTerms.formerAddresses);
    expect("36j4NfKv6Akva9amjWrLG6MuSQym1GuEmm").toMatch(former);
    expect(address.text).not.toMatch(former);
  });

  test("of a script that nobody can spend says that its outputs are never listed, and no other does", () => {
    for (const text of ["script:6a", "script:6A0568656c6c6f"])
      expect(parseAddress(text, bitcoin, null).neverListed).toMatch(/^Nobody can ever spend/);
    for (const text of ["script:51", "script:516a", bitcoinVectors[0]![1]])
      expect(parseAddress(text, bitcoin, null).neverListed).toBeUndefined();
  });

  test("is not looked for in an extended key, and a search says why", () => {
    for (const start of ["xpub", "zpub", "tprv", "Ltub"])
      expect(bitcoinTerms.detectAddress(`${start}661MyMwAqRbcFtXgS5sYJ`)).toEqual({ fault: EXTENDED_KEY });
    expect(bitcoinTerms.detectAddress("xpu")).toBeNull();
  });

  test.each(refused)("of %s %s is refused: %s", (currency, network, text, code) => {
    let thrown: unknown;
    try {
      parseAddress(text, currency, network);
    } catch (error) {
      thrown = error;
    }
    expect(isAddressError(thrown) && thrown.code).toBe(code);
  });
});

describe("a script", () => {
  const key = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
  test.each([
    ["p2pk", `21${key}ac`],
    ["multisig", `5121${key}21${key}52ae`],
    ["script", `5321${key}21${key}52ae`],
    ["script", `5121${key}21${key}53ae`],
    ["data", "6a0568656c6c6f"],
    ["data", "6a"],
    ["script", "51"],
    ["script", ""],
    ["script", "0003aabbcc"],
    ["anchor", "51024e73"],
    ["witness", "51024e74"],
    ["witness", "52024e73"],
    ["multisig", `60${`21${key}`.repeat(16)}60ae`],
    ["multisig", `52${`21${key}`.repeat(17)}0111ae`],
    ["multisig", `0114${`21${key}`.repeat(20)}0114ae`],
    ["script", `51${`21${key}`.repeat(21)}0115ae`],
    ["script", `0112${`21${key}`.repeat(17)}0111ae`],
    ["script", `52${`21${key}`.repeat(16)}0110ae`],
    ["script", `52${`21${key}`.repeat(17)}0111ac`],
    ["script", `52${`21${key}`.repeat(17)}0111ae61`],
    ["script", "5100ae"],
    ["script", "51ae"],
  ])("is %s: %s", (kind, hex) => {
    const script = Buffer.from(hex, "hex");
    expect(formOf(script).kind).toBe(kind);
    const { key: id, text } = addressOf(script, bitcoin.networks[0]!);
    expect(parseAddress(text, bitcoin, "mainnet")).toMatchObject({ key: id, text });
    expect(isUnspendable(script)).toBe(kind === "data");
  });

  test("of more than 496 bytes is named by its hash, of more than 10,000 never spent", () => {
    const [shown, hidden, endless] = [496, 497, 10_001].map((length) =>
      addressOf(Buffer.alloc(length, 0x51), bitcoin.networks[0]!),
    );
    expect(shown!.text).toBe(`script:${"51".repeat(496)}`);
    expect(hidden!.text).toBe(`script-hash:${hidden!.key}`);
    expect(endless!.text).toBe(`script-hash:${endless!.key}`);
    expect([10_000, 10_001].map((length) => isUnspendable(Buffer.alloc(length, 0x51)))).toEqual([
      false,
      true,
    ]);
  });
});

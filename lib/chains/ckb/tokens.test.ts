import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Issuer, ruleOf } from "#lib/contract/ledger.ts";
import { scriptHash } from "./hashes.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import type { Network } from "./known-scripts.ts";
import { serializeCellOutput } from "./molecule.ts";
import type { NodeCellOutput, NodeScript } from "./schema.ts";
import { terms } from "./terms.ts";
import { inscribedTokens, readCells, TYPE_ID_CODE } from "./tokens.ts";

const id = `0x${"5a".repeat(32)}`;
const cluster = `0x${"c1".repeat(32)}`;
const lock: NodeScript = {
  code_hash: "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8",
  hash_type: "type",
  args: "0xb39bbc0b3673c7d36450bc14cfcdad2d559c6c64",
};
const lockText =
  "ckb1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdnnw7qkdnnclfkg59uzn8umtfd2kwxceqxwquc4";
const types = {
  sudt: typeScript("0x5e7a36a77e68eecc013dfa2fe6a23f3b6c344b04005808694ae6dd45eea4cfd5", "type"),
  xudt: typeScript("0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95", "data1"),
  spore: typeScript("0x4a4dce1df3dffff7f8b2cd7dff7303df3b6150c9788cb75dcf6747247132b9f5", "data1"),
  cluster: typeScript("0x7366a61534fa7c7e6225ecc0d828ea3b5366adec2b58206f2ee84995fe030075", "data1"),
  unique: typeScript("0x2c8c11c985da60b0a330c61a85507416d6382c130ba67f0c47ab071e00aec628", "data1"),
  omiga: typeScript("0x5c33fc69bd72e895a63176147c6ab0bb5758d1c7a32e0914f99f9ec1bed90d41", "type"),
  dao: typeScript("0x82d76d1b75fe2fd9a27dfbaa65a039221a380d76c926f378d3f81cf3e7e13f2e", "type"),
  did: typeScript("0xcfba73b58b6f30e70caed8a999748781b164ef9a1e218424a6fb55ebf641cb33", "type"),
};

function typeScript(codeHash: string, hashType: NodeScript["hash_type"], args = id): NodeScript {
  return { code_hash: codeHash, hash_type: hashType, args };
}

function cell(type: NodeScript | null, capacity = "0x64"): NodeCellOutput {
  return { capacity, lock, type };
}

function decodeOutput(output: NodeCellOutput, data: string, network: Network) {
  return readCells([serializeCellOutput(output)], [hexToBytes(data)], network).outputs[0]!;
}

function claimsOf(outputs: NodeCellOutput[], data: string[], network: Network) {
  return readCells(outputs.map(serializeCellOutput), data.map(hexToBytes), network).claims;
}

function hex(...pieces: (number[] | Uint8Array | string)[]): string {
  return bytesToHex(Uint8Array.from(pieces.flatMap((piece) => [...utf8(piece)])));
}

function utf8(piece: number[] | Uint8Array | string): Iterable<number> {
  return typeof piece === "string" ? new TextEncoder().encode(piece) : piece;
}

function uint32(value: number): number[] {
  return [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24];
}

/** A molecule table of `Bytes` fields; null for an absent one. */
function table(...fields: (number[] | Uint8Array | string | null)[]): string {
  const parts = fields.map((field) => {
    if (field === null) return [];
    const bytes = [...utf8(field)];
    return [...uint32(bytes.length), ...bytes];
  });
  const offsets: number[] = [];
  let place = 4 + 4 * parts.length;
  for (const part of parts) {
    offsets.push(place);
    place += part.length;
  }
  return hex(uint32(place), offsets.flatMap(uint32), parts.flat());
}

function spore(data: string, type = types.spore, network: Network = "mainnet") {
  return decodeOutput(cell(type), data, network);
}

describe("what a cell holds", () => {
  test("is its capacity alone if it holds no token, whatever else it is", () => {
    const native = {
      address: expect.objectContaining({ text: lockText }),
      token: null,
      amount: 100n,
      capacity: 100n,
    };
    for (const [data, kind] of [
      ["0x", "plain"],
      ["0x00", "data"],
      ["0x7f454c", "data"],
      ["0x7f454c46", "code"],
      [`0x7f454c46${"00".repeat(100)}`, "code"],
    ] as const) {
      expect(decodeOutput(cell(null), data, "mainnet")).toEqual({ ...native, kind });
    }
    for (const [type, kind] of [
      [types.dao, "unknown-type"],
      [types.did, "DID"],
      [types.unique, "Unique"],
      [types.cluster, "Cluster"],
      [typeScript(TYPE_ID_CODE, "type"), "type-id"],
      [typeScript(id, "data"), "unknown-type"],
      [typeScript(id, "type"), "unknown-type"],
    ] as const) {
      const full = type === types.dao ? kind : `${kind}@${scriptHash(type)}`;
      expect(decodeOutput(cell(type), `0x${"ff".repeat(16)}`, "mainnet")).toEqual({ ...native, kind: full });
    }
    // Known, but on the other network.
    expect(decodeOutput(cell(types.sudt), `0x${"ff".repeat(16)}`, "testnet").token).toBeNull();
  });

  test("carries capacities of 64 bits exactly", () => {
    expect(decodeOutput(cell(null, "0xffffffffffffffff"), "0x", "mainnet").capacity).toBe(2n ** 64n - 1n);
  });

  test("is an amount of a fungible token, named by the hash of its type script", () => {
    for (const [type, standard] of [
      [types.sudt, "sUDT"],
      [types.xudt, "xUDT"],
    ] as const) {
      expect(decodeOutput(cell(type), `0x01${"00".repeat(15)}`, "mainnet")).toEqual({
        address: { key: scriptHash(lock), text: lockText },
        token: {
          id: scriptHash(type),
          standard,
          fungible: true,
          parentId: "",
          contentType: "",
          issuer: { key: id, as: ["spender"] },
        },
        amount: 1n,
        capacity: 100n,
        kind: "",
      });
    }
  });

  test("is a token whose issuer the script's args name, unless the script mints by rules of its own", () => {
    const stable = typeScript("0x26a33e0815888a4a0614a0b7d09fa951e0993ff21e55905510104a0b1312032b", "type");
    expect(decodeOutput(cell(stable), "0x", "mainnet").token).toMatchObject({ standard: "xUDT" });
    expect(decodeOutput(cell(stable), "0x", "mainnet").token?.issuer).toBeUndefined();
  });

  test.each<[code: "xudt" | "sudt", afterOwner: string, as: Issuer["as"]]>([
    ["xudt", "", ["spender"]],
    ["xudt", "00000000", ["spender"]],
    ["xudt", "00000080", ["spender", "input"]],
    ["xudt", "00000040", ["spender", "output"]],
    ["xudt", "000000c0", ["spender", "output", "input"]],
    ["xudt", "000000a0", ["input"]],
    ["xudt", "000000e0", ["output", "input"]],
    ["xudt", "00000020", []],
    // The low bits ask for extension scripts, whose description follows.
    ["xudt", "0100008004000000", ["spender", "input"]],
    // The bytes are in another order, or cut off.
    ["xudt", "80000000", ["spender"]],
    ["xudt", "000080", ["spender"]],
    ["sudt", "00000080", ["spender"]],
  ])("is a token of the code %s issued with flags %s by %j", (code, afterOwner, as) => {
    const type = { ...types[code], args: id + afterOwner };
    expect(decodeOutput(cell(type), "0x", "mainnet").token?.issuer).toEqual({ key: id, as });
  });

  test("is iCKB, which the type script of its logic issues", () => {
    const logic = typeScript(
      "0x2a8100ab5990fa055ab1b50891702e1e895c7bd1df6322cd725c1a6115873bd3",
      "data1",
      "0x",
    );
    const key = "0xb73b6ab39d79390c6de90a09c96b290c331baf1798ed6f97aed02590929734e8";
    const ickb = decodeOutput(cell({ ...types.xudt, args: `${key}00000080` }), "0x", "mainnet");
    expect(ickb.token).toMatchObject({
      id: "0xd485c2271949c232e3f5d46128336c716f90bcbf3cb278696083689fbbcd407a",
      issuer: { key, as: ["spender", "input"] },
    });
    expect(ruleOf(decodeOutput(cell(logic), "0x", "mainnet"))).toBe(key);
  });

  test("is a deposit in the Nervos DAO, or a withdrawal that names the block of the deposit", () => {
    const kindOf = (data: string) => decodeOutput(cell(types.dao), data, "mainnet").kind;
    const deposit = kindOf(`0x${"00".repeat(8)}`)!;
    const withdrawal = kindOf("0x67c5b70000000000")!;
    expect([deposit, withdrawal]).toEqual(["dao-deposit", "dao-withdrawal@12043623"]);
    expect(terms.outputKind(deposit, 7)).toMatchObject({ label: "DAO deposit", block: { height: 7 } });
    expect(terms.outputKind(withdrawal, 7)).toMatchObject({
      label: "DAO withdrawal",
      block: { name: "Deposit block", height: 12_043_623 },
    });
    // A height that no number holds is not shown as one.
    expect(terms.outputKind(kindOf(`0x${"ff".repeat(8)}`)!, 7)).not.toHaveProperty("block");
  });

  test("reads every amount up to 2^128 - 1, whatever follows it", () => {
    const amounts = fc.oneof(
      fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
      fc.constantFrom(0n, 2n ** 53n + 1n, 2n ** 128n - 1n),
    );
    fc.assert(
      fc.property(amounts, fc.uint8Array({ maxLength: 8 }), (amount, after) => {
        const bytes = Array.from({ length: 16 }, (_, index) => Number((amount >> BigInt(8 * index)) & 255n));
        expect(decodeOutput(cell(types.xudt), hex(bytes, after), "mainnet").amount).toBe(amount);
      }),
    );
  });

  test("is 0 of a fungible token if the data is shorter than an amount", () => {
    for (const data of ["0x", "0x01", `0x${"ff".repeat(15)}`]) {
      const output = decodeOutput(cell(types.sudt), data, "mainnet");
      expect(output.amount).toBe(0n);
      expect(output.token?.id).toBe(scriptHash(types.sudt));
    }
  });

  test("is one Spore, named by its args, with its cluster and content type", () => {
    expect(spore(table("image/png", [1, 2, 3], hexBytes(cluster)))).toMatchObject({
      token: { id, standard: "Spore", fungible: false, parentId: cluster, contentType: "image/png" },
      amount: 1n,
      capacity: 100n,
    });
    expect(spore(table("text/plain", "", null)).token).toMatchObject({
      parentId: "",
      contentType: "text/plain",
    });
  });

  test("is a Spore under each of the testnet's deployments", () => {
    for (const codeHash of [
      "0x685a60219309029d01310311dba953d67029170ca4848a4ff638e57002130a0d",
      "0x5e063b4c0e7abeaa6a428df3b693521a3050934cf3b0ae97a800d1bc31449398",
      "0xbbad126377d45f90a8ee120da988a2d7332c78ba8fd679aab478a19d6c133494",
    ]) {
      expect(spore(table("a/b", "", null), typeScript(codeHash, "data1"), "testnet").token?.id).toBe(id);
    }
  });

  test("is a Spore without cluster and content type where its data is malformed", () => {
    const whole = table("image/png", [1], hexBytes(cluster));
    for (const data of ["0x", "0x00", whole.slice(0, -2), `${whole}00`, table("image/png", [1])]) {
      expect(spore(data)).toMatchObject({ token: { id, parentId: "", contentType: "" }, amount: 1n });
    }
    expect(spore(table([0xff, 0xfe], [1], hexBytes(cluster))).token).toMatchObject({
      parentId: cluster,
      contentType: "",
    });
    expect(spore(table("image/png", [1], [1, 2, 3])).token).toMatchObject({
      parentId: "",
      contentType: "image/png",
    });
    expect(spore(table("a\0/b", [1], null)).token?.contentType).toBe("a/b");
  });

  test("is its capacity alone where a Spore's args are not an id", () => {
    for (const args of ["0x", "0x5a", `${id}00`]) {
      expect(spore(table("image/png", [1], null), { ...types.spore, args })).toMatchObject({
        token: null,
        amount: 100n,
      });
    }
  });

  test("belongs to an address whose text is the network's", () => {
    expect(decodeOutput(cell(null), "0x", "testnet").address.text).toMatch(/^ckt1/);
    const long = { ...lock, args: `0x${"01".repeat(1000)}` };
    expect(decodeOutput({ ...cell(null), lock: long }, "0x", "mainnet").address.key).toBe(scriptHash(long));
  });

  test("never fails because of the data", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.values(types)),
        fc.uint8Array({ maxLength: 120 }),
        (type, bytes) => {
          const data = bytesToHex(bytes);
          decodeOutput(cell(type), data, "mainnet");
          for (const claim of claimsOf([cell(type)], [data], "mainnet")) {
            expect((claim.name + claim.symbol).isWellFormed()).toBe(true);
            expect(claim.name + claim.symbol).not.toContain("\0");
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

function hexBytes(text: string): number[] {
  return text.match(/[0-9a-f]{2}/g)!.map((pair) => Number.parseInt(pair, 16));
}

function sized(text: string): number[] {
  const bytes = [...utf8(text)];
  return [bytes.length, ...bytes];
}

function claim(type: NodeScript, data: string) {
  return claimsOf([cell(type)], [data], "mainnet")[0] ?? null;
}

describe("what cells say about names", () => {
  const unique = hex([8], sized("Seal"), sized("SEAL"));
  const omigaOf = (tokenId: string) =>
    hex([18], sized("Omiga 名"), sized("OMI"), hexBytes(tokenId), new Array(32).fill(1), [0]);
  const inscribed = scriptHash(inscribedTokens(types.omiga, "mainnet")[0]!);
  const omiga = omigaOf(inscribed);

  test("is the name of the new token, in a Unique cell", () => {
    expect(claim(types.unique, unique)).toEqual({
      assetId: null,
      outputIndex: 0,
      name: "Seal",
      symbol: "SEAL",
      decimals: 8,
    });
    expect(claim(types.unique, `${unique}ffff`)).toMatchObject({ symbol: "SEAL" });
    expect(claim(types.unique, hex([255, 0, 0]))).toMatchObject({ name: "", symbol: "", decimals: 255 });
  });

  test("is the name of the inscription's own token, in an Omiga info cell", () => {
    expect(claim(types.omiga, omiga)).toEqual({
      assetId: inscribed,
      outputIndex: 0,
      name: "Omiga 名",
      symbol: "OMI",
      decimals: 18,
    });
    // A real one, from JoyID's documentation of `signRawTransaction`.
    const info = typeScript(
      "0x50fdea2d0030a8d0b3d69f883b471cab2a29cae6f01923f19cecac0f27fdaaa6",
      "type",
      "0xd28f286bd1c2998882656ccaa09b634abc1d14f584b8ad4e8132bdd1b7841c19",
    );
    const data =
      "0x0814434b42204669737420496e736372697074696f6e04434b4249ac90307abd4a5dc3233fe26661e5f797de2da541bcd0f3b73bccde0ef6978cb10040075af0750700000000000000000000e8764817000000000000000000000000";
    expect(claimsOf([cell(info)], [data], "testnet")).toEqual([
      {
        assetId: "0xac90307abd4a5dc3233fe26661e5f797de2da541bcd0f3b73bccde0ef6978cb1",
        outputIndex: 0,
        name: "CKB Fist Inscription",
        symbol: "CKBI",
        decimals: 8,
      },
    ]);
  });

  test("is the name of an inscription's token of the code xINS, on the testnet", () => {
    const info = typeScript("0x50fdea2d0030a8d0b3d69f883b471cab2a29cae6f01923f19cecac0f27fdaaa6", "type");
    const owner = typeScript(
      "0x3a241ceceede72a5f55c8fb985652690f09a517d6c9070f0df0d3572fa03fb70",
      "type",
      scriptHash(info),
    );
    const xins = typeScript(
      "0x27762139c09452b5d4be6f34720db031a2ab348679a4612b6863a6907a6244ed",
      "type",
      scriptHash(owner),
    );
    const named = claimsOf([cell(info)], [omigaOf(scriptHash(xins))], "testnet");
    expect(named).toMatchObject([{ assetId: scriptHash(xins), symbol: "OMI" }]);
    const { token, amount } = decodeOutput(cell(xins), `0x05${"00".repeat(15)}`, "testnet");
    expect(token).toMatchObject({ id: scriptHash(xins), standard: "xUDT", fungible: true });
    expect(amount).toBe(5n);
    expect(decodeOutput(cell(xins), "0x", "mainnet").token).toBeNull();
  });

  test("is nothing in an Omiga info cell that speaks of anything but the inscription's own token", () => {
    const another = { ...types.omiga, args: cluster };
    for (const victim of [
      scriptHash(types.sudt),
      scriptHash(types.xudt),
      scriptHash(inscribedTokens(another, "mainnet")[0]!),
      scriptHash(inscribedTokens(types.omiga, "testnet")[0]!),
      types.spore.args,
      cluster,
      `0x80000135${"00".repeat(28)}`,
    ]) {
      expect([victim, claim(types.omiga, omigaOf(victim))]).toEqual([victim, null]);
    }
    expect(claim(another, omiga)).toBeNull();
  });

  test("is the collection's name, in a cluster cell of either version", () => {
    const expected = { assetId: id, outputIndex: 0, name: "Dobs", symbol: "", decimals: null };
    expect(claim(types.cluster, table("Dobs", "about"))).toEqual(expected);
    expect(claim(types.cluster, table("Dobs", "about", null))).toEqual(expected);
    expect(claim(types.cluster, table("Dobs", "about", hexBytes(id)))).toEqual(expected);
    expect(claim(types.cluster, table("Dobs", null))).toBeNull();
    expect(claim({ ...types.cluster, args: "0x5a" }, table("Dobs", "about"))).toBeNull();
  });

  test("is limited: of a longer name or symbol, the end is an ellipsis", () => {
    const name = (data: string) => claim(types.cluster, data)?.name;
    expect(name(table("😀".repeat(256), ""))).toBe("😀".repeat(256));
    expect(name(table("😀".repeat(257), ""))).toBe(`${"😀".repeat(255)}…`);
    expect(name(table(`${"\0".repeat(1000)}N`.repeat(400), ""))).toBe(`${"N".repeat(255)}…`);
    expect(name(table("n".repeat(500_000), "d".repeat(50_000)))).toHaveLength(256);
    const long = hex([0], sized("n".repeat(255)), sized("s".repeat(65)));
    expect(claim(types.unique, long)).toMatchObject({ name: "n".repeat(255), symbol: `${"s".repeat(63)}…` });
    const { token } = decodeOutput(cell(types.spore), table("t".repeat(257), [1], null), "mainnet");
    expect(token?.contentType).toBe(`${"t".repeat(255)}…`);
  });

  test("is nothing where a layout ends early", () => {
    const cut = (type: NodeScript, data: string) => {
      for (let end = 2; end < data.length; end += 2)
        expect([end, claim(type, data.slice(0, end))]).toEqual([end, null]);
    };
    cut(types.unique, unique);
    cut(types.omiga, omiga);
    cut(types.cluster, table("Dobs", "about"));
  });

  test("has its NUL characters removed and bytes that are not UTF-8 replaced", () => {
    expect(claim(types.unique, hex([0, 4], [0x41, 0, 0xff, 0x42], [1, 0]))).toMatchObject({
      name: "A\ufffdB",
      symbol: "",
    });
    // A surrogate written as UTF-8 is not UTF-8.
    expect(claim(types.cluster, table([0xed, 0xa0, 0x80], ""))?.name.isWellFormed()).toBe(true);
  });

  test("comes in the order of the outputs, each with its index", () => {
    const outputs = [cell(null), cell(types.cluster), cell(types.xudt), cell(types.unique)];
    const claims = claimsOf(outputs, ["0x", table("Dobs", ""), "0x", unique], "mainnet");
    expect(claims.map(({ outputIndex, name }) => [outputIndex, name])).toEqual([
      [1, "Dobs"],
      [3, "Seal"],
    ]);
    expect(claimsOf(outputs, ["0x", table("Dobs", ""), "0x", unique], "testnet")).toMatchObject([
      { outputIndex: 1 },
    ]);
  });
});

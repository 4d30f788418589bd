import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  extraHash,
  headerHash,
  proposalsHash,
  transactionHash,
  transactionsRoot,
  witnessHash,
} from "#lib/chains/ckb/testing/node-hashes.ts";
import {
  hasRecordedBlocks,
  readRecordedBlock,
  readRecordedCells,
  recordedBlocks,
} from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { InvalidChainDataError, outPointText } from "#lib/contract/ledger.ts";
import { addressOf } from "./address.ts";
import { decodeCell, parseBlock, parseCells, parseNodeBlock, readFileBlock } from "./block.ts";
import { GENESIS_HASHES } from "./constants.ts";
import { ckbHash, ZERO_HASH } from "./hashes.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";
import type { NodeBlock, NodeCellOutput, NodeTransaction } from "./schema.ts";

const lock = {
  code_hash: "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8",
  hash_type: "type" as const,
  args: "0xb39bbc0b3673c7d36450bc14cfcdad2d559c6c64",
};
const earlier = `0x${"ee".repeat(32)}`;

function input(hash: string, index: string) {
  return { previous_output: { tx_hash: hash, index }, since: "0x0" };
}

function transaction(given: Partial<NodeTransaction>): NodeTransaction {
  const outputs = given.outputs ?? [];
  const made: NodeTransaction = {
    hash: ZERO_HASH,
    version: "0x0",
    cell_deps: [],
    header_deps: [],
    inputs: [],
    witnesses: [],
    outputs_data: outputs.map(() => "0x"),
    ...given,
    outputs,
  };
  return { ...made, hash: transactionHash(made) };
}

function output(capacity: string, type: NodeCellOutput["type"] = null): NodeCellOutput {
  return { capacity, lock, type };
}

const cellbase = transaction({ inputs: [input(ZERO_HASH, "0xffffffff")], outputs: [output("0x64")] });

/** A block whose every hash is right. */
function block(transactions: NodeTransaction[], header: Partial<NodeBlock["header"]> = {}): NodeBlock {
  const made = {
    hash: ZERO_HASH,
    version: "0x0",
    compact_target: "0x1e083126",
    timestamp: "0x18d3ffeb1e4",
    number: "0x2a",
    epoch: "0x0",
    parent_hash: earlier,
    transactions_root: transactionsRoot(transactions),
    proposals_hash: proposalsHash([]),
    extra_hash: extraHash([], null),
    dao: ZERO_HASH,
    nonce: "0x0",
    ...header,
  };
  return { header: { ...made, hash: headerHash(made) }, uncles: [], proposals: [], transactions };
}

function failure(json: unknown): string {
  try {
    parseBlock(json, "mainnet", "block.json");
  } catch (error) {
    if (error instanceof InvalidChainDataError) return error.message;
    throw error;
  }
  throw new Error("The block was accepted");
}

describe("a block", () => {
  test("with scripts of hash types to come keeps them by their bytes, and warns of each hash type once", () => {
    const xudt = "0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95";
    const later = { ...lock, hash_type: "data3" as const };
    const created = [
      { ...output("0x1"), lock: later },
      { ...output("0x2"), lock: later },
      output("0x3", { code_hash: xudt, hash_type: "data127", args: "0x" }),
      output("0x4", { code_hash: earlier, hash_type: "data4", args: "0x" }),
      output("0x5", { code_hash: earlier, hash_type: "data4", args: "0x" }),
    ];
    const json = block([cellbase, transaction({ inputs: [input(earlier, "0x0")], outputs: created })]);
    const { transactions, warnings } = parseBlock(json, "mainnet", "block.json");
    const address = addressOf(later, "mainnet");
    expect(transactions[1]!.outputs).toEqual([
      { address, token: null, amount: 1n, capacity: 1n, kind: "plain" },
      { address, token: null, amount: 2n, capacity: 2n, kind: "plain" },
      ...[3n, 4n, 5n].map((capacity) => ({
        address: addressOf(lock, "mainnet"),
        token: null,
        amount: capacity,
        capacity,
        kind: expect.stringMatching(/^unknown-type@0x[0-9a-f]{64}$/),
      })),
    ]);
    // The table's three offsets, the code hash, byte 6, the args.
    const bytes = `0x49000000100000003000000031000000${lock.code_hash.slice(2)}0614000000${lock.args.slice(2)}`;
    expect(address.key).toBe(bytesToHex(ckbHash(hexToBytes(bytes))));
    expect(warnings).toEqual([
      expect.stringMatching(/^Scripts have hash type 6 \(data3\), .* upgrade the service/),
      expect.stringMatching(/^Scripts have hash type 254 \(data127\), /),
      expect.stringMatching(/^Scripts have hash type 8 \(data4\), /),
    ]);
    expect(parseBlock(block([cellbase]), "mainnet", "block.json").warnings).toBeUndefined();
  });

  test("becomes its transactions with their inputs and outputs", () => {
    const spending = transaction({
      inputs: [input(earlier, "0x10"), input(cellbase.hash, "0x0")],
      outputs: [output("0x1"), output("0x2")],
    });
    const json = block([cellbase, spending]);
    const address = { key: expect.stringMatching(/^0x/), text: expect.stringMatching(/^ckt1/) };
    expect(parseBlock(json, "testnet", "block.json")).toEqual({
      height: 42,
      hash: json.header.hash,
      parentHash: earlier,
      timestamp: 0x18d3ffeb1e4,
      // The epoch and the `dao` field of the header.
      headerFacts: `0x${"00".repeat(40)}`,
      transactions: [
        {
          hash: cellbase.hash,
          inputs: [],
          outputs: [{ address, token: null, amount: 100n, capacity: 100n, kind: "cellbase" }],
          claims: [],
        },
        {
          hash: spending.hash,
          inputs: [
            { transactionHash: earlier, outputIndex: 16 },
            { transactionHash: cellbase.hash, outputIndex: 0 },
          ],
          outputs: [
            { address, token: null, amount: 1n, capacity: 1n, kind: "plain" },
            { address, token: null, amount: 2n, capacity: 2n, kind: "plain" },
          ],
          claims: [],
        },
      ],
    });
  });

  test("is refused with the place of the malformed part", () => {
    const json = structuredClone(block([cellbase]));
    json.transactions[0]!.outputs[0]!.capacity = "0x064";
    expect(failure(json)).toMatch(
      /^block\.json: transactions\[0\]\.outputs\[0\]\.capacity: Expected an unsigned integer/,
    );
    expect(failure(null)).toMatch(/^block\.json: Invalid input/);
    expect(failure({})).toMatch(/^block\.json: header: /);
  });

  test("is refused where a hash is wrong, with both values", () => {
    const json = block([cellbase]);
    const right = json.header.hash;
    expect(failure({ ...json, header: { ...json.header, hash: earlier } })).toBe(
      `block.json: header.hash is ${earlier}, but the contents hash to ${right}`,
    );
    expect(failure({ ...json, transactions: [{ ...cellbase, hash: earlier }] })).toBe(
      `block.json: transactions[0].hash is ${earlier}, but the contents hash to ${cellbase.hash}`,
    );
  });

  test("is refused without a cellbase at its beginning", () => {
    const spending = transaction({ inputs: [input(earlier, "0x0")] });
    for (const transactions of [[], [spending], [spending, cellbase], [transaction({})]]) {
      expect(failure(block(transactions))).toBe("block.json: transactions[0] is not a cellbase");
    }
    const greedy = transaction({ inputs: [input(ZERO_HASH, "0xffffffff"), input(earlier, "0x0")] });
    expect(failure(block([greedy]))).toBe("block.json: transactions[0] is not a cellbase");
  });

  test("is refused with a second cellbase", () => {
    const second = transaction({ inputs: [input(earlier, "0x0"), input(ZERO_HASH, "0xffffffff")] });
    expect(failure(block([cellbase, second]))).toBe(
      "block.json: transactions[1].inputs[1] is a cellbase's, which only transactions[0] may have",
    );
  });

  test("is refused with one transaction twice", () => {
    const spending = transaction({ inputs: [input(earlier, "0x0")] });
    expect(failure(block([cellbase, spending, spending]))).toBe(
      `block.json: transactions[2] is transactions[1] again: ${spending.hash}`,
    );
  });

  test("is refused where an output is spent twice", () => {
    const first = transaction({ inputs: [input(earlier, "0x1"), input(earlier, "0xa")] });
    const second = transaction({ inputs: [input(earlier, "0xa")] });
    expect(failure(block([cellbase, first, second]))).toBe(
      `block.json: transactions[2].inputs[0] spends ${earlier}:10, which transactions[1].inputs[1] spends already`,
    );
  });

  test("is refused at a height or a time that cannot be kept", () => {
    expect(parseBlock(block([cellbase], { number: "0x1ffffffff" }), "mainnet", "f").height).toBe(2 ** 33 - 1);
    expect(failure(block([cellbase], { number: "0x200000000" }))).toMatch(/header\.number is 0x200000000/);
    expect(failure(block([cellbase], { number: "0xffffffffffffffff" }))).toMatch(/header\.number/);
    const withTime = (time: number) => block([cellbase], { timestamp: `0x${time.toString(16)}` });
    const { timestamp } = parseBlock(withTime(8.64e15), "mainnet", "f");
    expect(new Date(timestamp).toISOString()).toBe("+275760-09-13T00:00:00.000Z");
    for (const time of [8.64e15 + 1, Number.MAX_SAFE_INTEGER, 2 ** 53 + 2]) {
      expect(failure(withTime(time))).toMatch(
        /header\.timestamp is 0x[12]\w+, beyond the highest supported time/,
      );
    }
  });

  test("is checked down to its uncles", () => {
    const uncle = { header: block([cellbase]).header, proposals: [] };
    const json = {
      ...block([cellbase], { extra_hash: extraHash([uncle], "0xab") }),
      uncles: [uncle],
      extension: "0xab",
    };
    expect(parseBlock(json, "mainnet", "f").transactions).toHaveLength(1);
    expect(failure({ ...json, uncles: [] })).toMatch(/header\.extra_hash/);
    expect(failure({ ...json, extension: "0xac" })).toMatch(/header\.extra_hash/);
    expect(failure({ ...json, uncles: [{ ...uncle, proposals: [`0x${"01".repeat(10)}`] }] })).toMatch(
      /uncles\[0\]\.header\.proposals_hash/,
    );
    expect(failure({ ...json, uncles: [{ ...uncle, header: { ...uncle.header, dao: earlier } }] })).toMatch(
      /uncles\[0\]\.header\.hash/,
    );
  });

  test("is met with a block or an InvalidChainDataError, whatever the JSON is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        expect(failure(json)).toMatch(/^block\.json: /);
        expect(() => readFileBlock(json, "block.json")).toThrow(/^block\.json: /);
      }),
    );
  });
});

const networkOf = (json: unknown) => readFileBlock(json, "f").network;

describe("the network of a block", () => {
  const mainnetDep = {
    out_point: {
      tx_hash: "0x71a7ba8fc96349fea0ed3a5c47992e3b4084b031a42264a018e0072e8172e46c",
      index: "0x0",
    },
    dep_type: "dep_group" as const,
  };
  const testnetType = {
    code_hash: "0xc5e5dcf215925f7ef4dfaf5f4b4f105bc321c02776d6e7d52a1db3fcd9d011a4",
    hash_type: "type" as const,
    args: "0x",
  };
  const sharedType = {
    ...testnetType,
    code_hash: "0x50bd8d6680b8b9cf98b73f3c08faf8b2a21914311954118ad6609be6e78a1b95",
  };

  test("shows in its dependencies and type scripts", () => {
    const onMainnet = transaction({ cell_deps: [mainnetDep, mainnetDep] });
    const onTestnet = transaction({ outputs: [output("0x1", testnetType)] });
    const onBoth = transaction({
      outputs: [output("0x1", { ...sharedType, hash_type: "data1" }), output("0x1")],
    });
    expect(networkOf(block([cellbase, onMainnet]))).toBe("mainnet");
    expect(networkOf(block([cellbase, onTestnet, onBoth]))).toBe("testnet");
    expect(networkOf(block([cellbase, onBoth]))).toBeNull();
    expect(networkOf(block([cellbase, onMainnet, onTestnet]))).toBeNull();
  });

  test("shows in a genesis block's hash", () => {
    const json = block([cellbase]);
    for (const network of ["mainnet", "testnet"] as const) {
      const header = { ...json.header, hash: GENESIS_HASHES[network] };
      expect(networkOf({ ...json, header })).toBe(network);
    }
  });
});

describe("a file of cells", () => {
  const cell = { output: output("0x64"), data: "0x" };

  test("gives outputs by transaction hash and decimal index", () => {
    const cells = parseCells({ [`${earlier}:0x1f`]: cell }, "mainnet", "cells.json");
    expect([...cells.keys()]).toEqual([`${earlier}:31`]);
    expect(cells.get(`${earlier}:31`)).toEqual(decodeCell(cell, "mainnet"));
  });

  test.each([
    "",
    earlier,
    `${earlier}:1`,
    `${earlier}:0x01`,
    `${earlier}:0x100000000`,
    `${earlier.toUpperCase()}:0x1`,
  ])("is refused with the key %j", (key) => {
    expect(() => parseCells({ [key]: cell }, "mainnet", "cells.json")).toThrow(
      `cells.json: ${JSON.stringify(key)} is not a transaction hash, a colon and an index in 0x hex`,
    );
  });

  test("is refused with the key and place of the malformed part", () => {
    const key = `${earlier}:0x0`;
    expect(() => parseCells({ [key]: { ...cell, data: "0x0" } }, "mainnet", "cells.json")).toThrow(
      `cells.json: "${key}": data: Expected bytes`,
    );
    for (const json of [null, [], "", 1]) {
      expect(() => parseCells(json, "mainnet", "cells.json")).toThrow("cells.json: Expected an object");
    }
    expect(() => parseCells({ ["x".repeat(5000)]: cell }, "mainnet", "f")).toThrow(/^.{100,200}$/);
  });
});

describe.skipIf(!hasRecordedBlocks)("recorded blocks", () => {
  test.for(recordedBlocks)(
    "$height of $network has the hashes it claims",
    ({ height, hash, network, transactions }) => {
      const json = readRecordedBlock(height);
      const node = parseNodeBlock(json, "f");
      expect(node.transactions.map(transactionHash)).toEqual(node.transactions.map((each) => each.hash));
      expect(new Set(node.transactions.map(witnessHash)).size).toBe(transactions);
      expect(transactionsRoot(node.transactions)).toBe(node.header.transactions_root);
      expect(parseBlock(json, network, "f")).toMatchObject({ height, hash });
      expect(networkOf(json)).toBe(network);
    },
  );

  test("mint Seal with its name, and move Spores with their clusters", () => {
    const seal = parseBlock(readRecordedBlock(12621248), "mainnet", "f").transactions.find(
      ({ claims }) => claims.length > 0,
    );
    expect(seal?.claims).toEqual([
      { assetId: null, outputIndex: 1, name: "Seal", symbol: "Seal", decimals: 8 },
    ]);
    const cells = parseCells(readRecordedCells(), "mainnet", "cells.json");
    const issuer = cells.get(outPointText(seal!.inputs[0]!))!.address.key;
    expect(seal?.outputs.find(({ token }) => token !== null)).toMatchObject({
      token: { standard: "xUDT", fungible: true, issuer: { key: issuer, as: ["spender"] } },
      amount: 2_100_000_000_000_000n,
    });
    const spores = parseBlock(readRecordedBlock(15182317), "testnet", "f").transactions.flatMap(
      ({ outputs }) => outputs.flatMap(({ token }) => token ?? []),
    );
    expect(spores).toMatchObject([
      { standard: "Spore", fungible: false, parentId: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    ]);
  });

  test("find every output that they spend in the recorded cells", () => {
    const cells = readRecordedCells() as Record<string, unknown>;
    const outputs = parseCells(cells, "mainnet", "cells.json");
    expect(outputs.size).toBe(Object.keys(cells).length);
    for (const { height, network } of recordedBlocks) {
      for (const { inputs } of parseBlock(readRecordedBlock(height), network, "f").transactions) {
        for (const each of inputs)
          expect(outputs.has(`${each.transactionHash}:${each.outputIndex}`)).toBe(true);
      }
    }
  });

  /** Each text of the JSON with its place, and that text changed into another of its kind. */
  function* changes(
    value: unknown,
    path: (string | number)[] = [],
  ): Generator<[(string | number)[], string]> {
    if (typeof value === "string") {
      const other = {
        type: "data1",
        data: "type",
        data1: "data",
        data2: "type",
        code: "dep_group",
        dep_group: "code",
      };
      const last = value.at(-1) === "1" ? "2" : "1";
      const changed =
        value in other
          ? other[value as keyof typeof other]
          : value === "0x"
            ? "0x01"
            : value.slice(0, -1) + last;
      yield [path, changed];
    } else if (typeof value === "object" && value !== null) {
      for (const [key, item] of Object.entries(value))
        yield* changes(item, [...path, Array.isArray(value) ? Number(key) : key]);
    }
  }

  /** The hash that a change at a place breaks first. */
  function brokenHash([area, second, third]: (string | number)[]): string {
    if (area === "transactions")
      return third === "witnesses" ? "header.transactions_root" : `transactions[${second}].hash`;
    if (area === "proposals") return "header.proposals_hash";
    if (area === "extension") return "header.extra_hash";
    const derived = ["transactions_root", "proposals_hash", "extra_hash"];
    return derived.includes(String(second)) ? `header.${second}` : "header.hash";
  }

  test.each([12043751, 15191419])(
    "%i is refused after any one change, naming the hash that it breaks",
    (height) => {
      const json = readRecordedBlock(height);
      let count = 0;
      for (const [path, changed] of changes(json)) {
        const copy = structuredClone(json);
        const parent = path
          .slice(0, -1)
          .reduce((node, key) => (node as Record<string | number, unknown>)[key], copy);
        (parent as Record<string | number, unknown>)[path.at(-1)!] = changed;
        expect([path.join("."), failure(copy)]).toEqual([
          path.join("."),
          expect.stringMatching(
            new RegExp(
              `^block\\.json: ${RegExp.escape(brokenHash(path))} is 0x[0-9a-f]{64}, but the contents hash to 0x`,
            ),
          ),
        ]);
        count++;
      }
      expect(count).toBeGreaterThan(50);
    },
  );
});

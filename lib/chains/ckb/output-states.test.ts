import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import type { BlockFacts } from "#lib/contract/ledger.ts";
import { addressOf } from "./address.ts";
import { parseBlock } from "./block.ts";
import { outputStates } from "./output-states.ts";
import type { NodeScript } from "./schema.ts";
import { terms } from "./terms.ts";
import { hasRecordedBlocks, readRecordedBlock } from "./testing/recorded-blocks.ts";

const SECP = "0x9bd7e06f3ecf4be0f2fcd2188b23f1b9fcc88e5d4b65a8637b17723bbda3cce8";
const MULTISIG = "0x5c5069eb0857efc65e1bca0c07df34c31663b3622fd3876c876320fc9634e2a8";
const MULTISIG_2 = "0x36c971b8d41fbd94aabca77dc75e826729ac98447b46f91e00796155dddb0d29";
const ZERO = `0x${"0".repeat(64)}`;
const NO_DAO = ZERO;

const lock = (code_hash: string, args: string, hash_type: NodeScript["hash_type"] = "type") => ({
  code_hash,
  hash_type,
  args,
});
const ordinary = lock(SECP, "0xe2193df51d78411601796b35b17b4f8f2cd85bd0");

/** Little-endian, as hex digits. */
const uint64 = (value: bigint): string => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString("hex");
};

/** Packs an epoch like a node: number, index and length in one. */
const epoch = (number: number, index = 0, length = 1000): bigint =>
  (BigInt(length) << 40n) | (BigInt(index) << 24n) | BigInt(number);

function block(height: number, packed: bigint, dao = NO_DAO, timestamp = 0): BlockFacts {
  return { height, timestamp, headerFacts: `0x${uint64(packed)}${dao.slice(2)}` };
}

/** The state as of block `at` of a cell that block `made` created; `others` are also known. */
function state(
  owner: NodeScript,
  kind: string,
  [made, at, ...others]: [BlockFacts, BlockFacts, ...BlockFacts[]],
  capacity = 10n ** 11n,
) {
  const states = outputStates(addressOf(owner, "mainnet"));
  const output = { kind, height: made.height, capacity: capacity.toString() };
  const wanted = states.heightsFor(output, at.height);
  const known = [made, at, ...others].filter(({ height }) => wanted.includes(height));
  return states.stateOf(output, at.height, (height) => known.find((each) => each.height === height));
}

const plain = { kind: "plain", until: "", compensation: "" };

describe("a plain cell", () => {
  test("is plain at once, and no block is looked up for that", () => {
    const states = outputStates(addressOf(ordinary, "mainnet"));
    expect(states.heightsFor({ kind: "plain", height: 7, capacity: "1" }, 9)).toEqual([]);
    expect(state(ordinary, "plain", [block(7, epoch(0)), block(9, epoch(0))])).toEqual(plain);
  });

  test("is burnt if no code can have the hash in its lock, as output 6 of mainnet's first block", () => {
    const gift = lock(ZERO, "0x62e907b15cbf27d5425399ebf6f0fb50ebb88f18", "data");
    const blocks: [BlockFacts, BlockFacts] = [block(0, 0n), block(9, epoch(9))];
    expect(state(gift, "plain", blocks)).toEqual({ ...plain, kind: "burnt", until: "never" });
    // Its output 3 also holds data, so its kind does not change.
    expect(state(gift, "data", blocks)).toEqual({ ...plain, kind: "data", until: "never" });
  });
});

describe("a block's reward", () => {
  const made = block(5_000, epoch(10, 250, 1000));
  const as = (at: BlockFacts) => state(ordinary, "cellbase", [made, at]);

  test("is immature for four epochs, to the block, however long the epochs are", () => {
    const immature = { ...plain, kind: "immature", until: "epoch 14+250/1000" };
    expect(as(made)).toEqual(immature);
    expect(as(block(9_000, epoch(14, 449, 1800)))).toEqual(immature);
    expect(as(block(9_001, epoch(14, 450, 1800)))).toEqual(plain);
    expect(as(block(9_001, epoch(14, 250, 1000)))).toEqual(plain);
    expect(as(block(8_900, epoch(15, 0, 300)))).toEqual(plain);
  });

  test("is recognised by its transaction, except in the first block, whose outputs can be spent at once", () => {
    const chain = new ChainBuilder();
    chain.block();
    const kinds = chain.blocks.map(
      (each) => parseBlock(each, "testnet", "block").transactions[0]!.outputs[0]!.kind,
    );
    expect(kinds).toEqual(["plain", "cellbase"]);
  });

  test("is sought among at most as many blocks as four epochs have", () => {
    const { changing } = outputStates(addressOf(ordinary, "mainnet"));
    expect(changing).toEqual({ kinds: ["cellbase"], rewardsOnly: true, blocks: 7_200 });
    const length = fc.integer({ min: 300, max: 1_800 });
    fc.assert(
      fc.property(fc.array(length, { minLength: 5, maxLength: 5 }), fc.nat(), (lengths, place) => {
        const [first = 0, ...rest] = lengths;
        const index = place % first;
        // The first block of the epoch four later that is as far in it.
        const mature = rest.slice(0, 3).reduce((sum, each) => sum + each, first - index);
        const last = Math.ceil((index * rest[3]!) / first) + mature;
        expect(last).toBeLessThanOrEqual(changing.blocks);
        const at = (after: number, into: number) => block(after, epoch(4, into, rest[3]));
        const reward = block(0, epoch(0, index, first));
        expect(state(ordinary, "cellbase", [{ ...reward, height: 0 }, at(last, last - mature)]).kind).toBe(
          "plain",
        );
      }),
    );
  });
});

describe("a time lock", () => {
  const now = block(100, epoch(1000, 899, 1800), NO_DAO, Date.UTC(2022, 0, 1));
  const made = block(60, epoch(990, 1, 3), NO_DAO, Date.UTC(2021, 11, 31));
  const owner = `0x${"ac".repeat(20)}`;
  const under = (since: bigint, at = now, kind = "plain") =>
    state(lock(MULTISIG, `${owner}${uint64(since)}`), kind, [made, at]);
  const locked = (until: string) => ({ ...plain, kind: "locked", until });

  test("of mainnet's first block ends within an epoch", () => {
    const [first, second] = [
      lock(MULTISIG, "0xacaf44faa7ff90242e3ca22a067354decb2ca4a5e803008403080720"),
      lock(MULTISIG, "0x7de0433aaff8e9c4e4bd18f619e1f9d7e08556ec0415008403080720"),
    ];
    const genesis = block(0, 0n);
    expect(state(first, "plain", [genesis, now])).toEqual(locked("epoch 1000+900/1800"));
    expect(state(second, "plain", [genesis, now])).toEqual(locked("epoch 5380+900/1800"));
    const reached = block(101, epoch(1000, 1, 2));
    expect(state(first, "plain", [genesis, reached])).toEqual(plain);
    for (const beta of [
      "0xd1a9f877aed3f5e07cb9c52b61ab96d06f250ae6883cc7f0a2423db0976fc821",
      "0x765b3ed6ae264b335d07e73ac332bf2c0f38f8d3340ed521cb447b4c42dd5f09",
    ]) {
      const inBeta = state(lock(beta, first.args), "plain", [genesis, now]);
      expect(inBeta).toEqual(state(lock(MULTISIG, first.args), "plain", [genesis, now]));
    }
    expect(state(lock(MULTISIG_2, first.args, "data1"), "plain", [genesis, now])).toEqual(
      locked("epoch 1000+900/1800"),
    );
  });

  test("ends at a block, at an epoch or at a time, absolute or counted from the cell's block", () => {
    const day = 86_400n;
    for (const [since, until] of [
      [101n, "block 101"],
      [(0x20n << 56n) | epoch(1001), "epoch 1001"],
      [(0x40n << 56n) | BigInt(Date.UTC(2022, 0, 2) / 1000), "2022-01-02T00:00:00.000Z"],
      [(0x80n << 56n) | 41n, "block 101"],
      [(0xa0n << 56n) | epoch(10, 1, 2), "epoch 1000+5/6"],
      [(0xa0n << 56n) | epoch(10, 3, 4), "epoch 1001+1/12"],
      [(0xc0n << 56n) | (2n * day), "2022-01-02T00:00:00.000Z"],
    ] as const) {
      expect(under(since)).toEqual(locked(until));
    }
    for (const since of [
      100n,
      (0x20n << 56n) | epoch(1000, 899, 1800),
      (0x40n << 56n) | BigInt(Date.UTC(2022, 0, 1) / 1000),
      (0x80n << 56n) | 40n,
      (0xa0n << 56n) | epoch(10),
      (0xc0n << 56n) | day,
      0n,
    ]) {
      expect(under(since)).toEqual(plain);
    }
  });

  test("that no input can satisfy never ends, and no args make it fail", () => {
    for (const flags of [0x60n, 0xe0n, 0x01n, 0x21n, 0x9fn]) {
      expect(under((flags << 56n) | 1n)).toEqual(locked("never"));
    }
    const most = 2n ** 56n - 1n;
    for (const flags of [0x00n, 0x40n, 0x80n, 0xc0n]) {
      expect(under((flags << 56n) | most)).toEqual(locked("never"));
    }
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (since) => {
        const { kind, until } = under(since);
        expect(until).toMatch(
          /^(|never|block \d+|epoch \d+(\+\d+\/\d+)?|\+?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/,
        );
        expect(kind).toBe(until === "" ? "plain" : "locked");
      }),
      { examples: [[0x20ffffffffffffffn], [0x2000000005ffffffn], [0xa0ffff0001ffffffn]] },
    );
  });

  test("needs args of 28 bytes and a multisig script", () => {
    const since = uint64(101n);
    for (const other of [
      lock(MULTISIG, owner),
      lock(MULTISIG, `${owner}${since}00`),
      lock(MULTISIG, `${owner}${since}`, "data"),
      lock(MULTISIG_2, `${owner}${since}`),
      lock(SECP, `${owner}${since}`),
    ]) {
      expect(state(other, "plain", [made, now])).toEqual(plain);
    }
  });

  test("also holds tokens, data and deposits, which stay as they are", () => {
    for (const kind of ["xUDT", "data", "code", "dao-deposit", "unknown-type", ""]) {
      expect(under(101n, now, kind)).toEqual({ ...plain, kind, until: "block 101" });
      expect(under(100n, now, kind)).toEqual({ ...plain, kind });
    }
    const stored = `unknown-type@0x${"5a".repeat(32)}`;
    expect(under(100n, now, stored)).toEqual({ ...plain, kind: "unknown-type" });
  });

  test("holds a reward until both let it go", () => {
    const at = (height: number, number: number) => block(height, epoch(number, 2, 3));
    expect(under(200n, at(110, 993), "cellbase")).toEqual(locked("block 200"));
    expect(under(105n, at(110, 993), "cellbase")).toEqual({
      ...plain,
      kind: "immature",
      until: "epoch 994+1/3",
    });
    expect(under(105n, at(110, 994), "cellbase")).toEqual(plain);
  });

  test("counts for the whole address, and cell by cell if it is relative", () => {
    const changing = (since: bigint) =>
      outputStates(addressOf(lock(MULTISIG, `${owner}${uint64(since)}`), "mainnet")).changing;
    expect(changing(101n).kinds).toEqual(["cellbase"]);
    expect(changing(0x80n << 56n)).toEqual({
      kinds: ["plain", "cellbase"],
      rewardsOnly: false,
      blocks: Number.POSITIVE_INFINITY,
    });
  });
});

describe("a deposit in the Nervos DAO", () => {
  // ckb-js/lumos, packages/common-scripts/tests/dao.test.ts
  const deposited = block(
    0x19249,
    0xa000500283an,
    "0x8eedf002d7c88852433518952edc28002dd416364532c50800d096d05aac0200",
  );
  const withdrawn = block(
    0x1929c,
    0xa0008002842n,
    "0x39d32247d33f90523d37dae613dd280037e9cc1d7b01c708003d8849d8ac0200",
  );

  test("of 1,000 CKB has become 100,007,690,204 shannons in a known case", () => {
    const { kind, compensation } = state(ordinary, "dao-deposit", [deposited, withdrawn]);
    expect(kind).toBe("dao-deposit");
    expect(100_000_000_000n + BigInt(compensation)).toBe(100_007_690_204n);
    expect(state(ordinary, "dao-deposit", [deposited, deposited]).compensation).toBe("0");
  });

  test("earns nothing more once its owner asked for it, and is paid at the end of a period of 180 epochs", () => {
    const kind = `dao-withdrawal@${deposited.height}`;
    const later = block(500_000, epoch(10_478, 4, 10), `0x${"7f".repeat(32)}`);
    const paid = { kind, until: "epoch 10478+5/10", compensation: "7690204" };
    expect(state(ordinary, kind, [withdrawn, later, deposited])).toEqual(paid);
    const end = block(500_001, epoch(10_478, 5, 10));
    expect(state(ordinary, kind, [withdrawn, end, deposited])).toEqual({ ...paid, until: "" });
    // One block later, it would be another period.
    const asked = (number: number, index: number) =>
      state(ordinary, kind, [block(0x1929c, epoch(number, index, 10)), later, deposited]).until;
    expect(asked(10_478, 5)).toBe("epoch 10478+5/10");
    expect(asked(10_478, 6)).toBe("epoch 10658+5/10");
  });

  test("earns by the rates of the two blocks, on the capacity that its cell does not occupy", () => {
    // The figures are from util/dao/src/tests.rs of nervosnetwork/ckb, but this cell occupies 102 bytes instead of 51.
    const dao = (rate: bigint) => `0x${uint64(0n)}${uint64(rate)}${"00".repeat(16)}`;
    const from = block(100, epoch(1, 100), dao(10_000_000_000_123_456n));
    const to = block(200, epoch(1, 200), dao(10_000_000_001_123_456n));
    expect(state(ordinary, "dao-deposit", [from, to], 1_000_051n * 10n ** 8n).compensation).toBe("9999");
    // Twice as much in all: every shannon that is not occupied earns one.
    const twice = block(300, epoch(1, 300), dao(2n * 10_000_000_000_123_456n));
    const occupied = (owner: NodeScript) =>
      10n ** 11n - BigInt(state(owner, "dao-deposit", [from, twice]).compensation);
    expect(occupied(ordinary)).toBe(102n * 10n ** 8n);
    expect(occupied(lock(SECP, "0x"))).toBe(82n * 10n ** 8n);
    const largest = 2n ** 64n - 1n;
    expect(state(ordinary, "dao-deposit", [from, twice], largest).compensation).toBe(
      (largest - 102n * 10n ** 8n).toString(),
    );
  });

  test("whose compensation is not known has none", () => {
    const gap = `dao-withdrawal@${deposited.height}`;
    expect(state(ordinary, gap, [withdrawn, block(500_000, epoch(10_300))])).toEqual({ ...plain, kind: gap });
    // No chain has these: a rate that falls, none at all, a cell without room for itself.
    expect(state(ordinary, "dao-deposit", [withdrawn, { ...deposited, height: 0x1929d }]).compensation).toBe(
      "",
    );
    expect(state(ordinary, "dao-deposit", [block(1, epoch(1)), withdrawn]).compensation).toBe("");
    expect(state(ordinary, "dao-deposit", [deposited, withdrawn], 1n).compensation).toBe("");
    // The address of such a lock has only its hash.
    const long = { ...ordinary, args: `0x${"5a".repeat(600)}` };
    expect(state(long, "dao-deposit", [deposited, withdrawn])).toEqual({ ...plain, kind: "dao-deposit" });
    for (const kind of ["dao-withdrawal@18446744073709551615", "dao-withdrawal@", "dao-withdrawal"]) {
      expect(state(ordinary, kind, [withdrawn, withdrawn])).toEqual({ ...plain, kind });
    }
  });
});

test.skipIf(!hasRecordedBlocks)("a block's facts are the epoch and the dao field of its header", () => {
  const { headerFacts } = parseBlock(readRecordedBlock(14334249), "mainnet", "block");
  expect(headerFacts).toBe(
    `0x${uint64(0x5f300e3002a1an)}fd44b74a5328cf51b6b5c4a4750c290018e199433d32490700f07de8c1893307`,
  );
});

test("every kind that a cell may be has a badge and a sentence", () => {
  for (const kind of [
    "plain",
    "immature",
    "locked",
    "burnt",
    "data",
    "code",
    "dao-deposit",
    "dao-withdrawal",
  ]) {
    expect(terms.outputKind(kind)).toMatchObject({
      label: expect.any(String),
      about: expect.stringMatching(/\.$/),
    });
  }
});

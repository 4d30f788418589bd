import fc from "fast-check";
import { expect, test } from "vitest";
import type { OutputEntry } from "#lib/queries/transaction-outputs/contract.ts";
import { carriedBy, nodesOf, paymentsOf, ribbonsOf, sizeOf } from "./flows.ts";

const entry = (address: string, token: string, amount: bigint, more: Partial<OutputEntry> = {}) =>
  ({ address, token, amount: `${amount}`, capacity: `${amount}`, valueUsd: "", ...more }) as OutputEntry;
const ckb = (address: string, amount: bigint) => entry(address, "ckb", amount);
const usd = (address: string, amount: bigint) => entry(address, "usd", amount, { capacity: "10" });

test("change that returns is not a payment, and the fee is not either", () => {
  expect(paymentsOf([ckb("ann", 100n)], [ckb("bob", 30n), ckb("ann", 69n)], "ckb")).toEqual([
    { from: ["ann"], to: ["bob"], amounts: [{ assetId: "ckb", amount: 30n }] },
  ]);
  expect(paymentsOf([ckb("ann", 100n)], [ckb("ann", 60n), ckb("ann", 39n)], "ckb")).toEqual([]);
});

test("an exchange is two payments, and assets between the same addresses are one", () => {
  const inputs = [usd("ann", 5n), entry("ann", "gold", 2n, { capacity: "10" }), ckb("bob", 100n)];
  const outputs = [
    usd("bob", 5n),
    entry("bob", "gold", 2n, { capacity: "10" }),
    ckb("ann", 60n),
    ckb("bob", 39n),
  ];
  expect(paymentsOf(inputs, outputs, "ckb")).toEqual([
    {
      from: ["ann"],
      to: ["bob"],
      amounts: [
        { assetId: "usd", amount: 5n },
        { assetId: "gold", amount: 2n },
      ],
    },
    { from: ["bob"], to: ["ann"], amounts: [{ assetId: "ckb", amount: 40n }] },
  ]);
});

test("what is minted has no payer, and what is burnt is no payment", () => {
  expect(paymentsOf([ckb("ann", 50n)], [usd("ann", 7n), ckb("ann", 39n)], "ckb")).toEqual([
    { from: [], to: ["ann"], amounts: [{ assetId: "usd", amount: 7n }] },
  ]);
  expect(paymentsOf([usd("ann", 7n)], [usd("ann", 3n)], "ckb")).toEqual([]);
  const [paid] = paymentsOf([usd("ann", 10n)], [usd("bob", 15n)], "ckb");
  expect(paid).toMatchObject({ from: ["ann"], to: ["bob"] });
  expect(paid!.amounts[0]).toEqual({ assetId: "usd", amount: 10n });
  expect(paymentsOf([ckb("ann", 100n)], [ckb("bob", 50n), ckb("ann", 54n)], "ckb")).toEqual([
    { from: ["ann"], to: ["bob"], amounts: [{ assetId: "ckb", amount: 50n }] },
  ]);
});

test("a payment names its most valuable asset first, and what carries the assets last", () => {
  const held = (address: string, token: string, valueUsd: string) =>
    entry(address, token, 10n, { capacity: "99", valueUsd });
  const inputs = ["nft", "gold", "usd"].map((token, at) => held("ann", token, ["", "50.5", "9"][at]!));
  const outputs = inputs.map((input) => ({ ...input, address: "bob" }));
  const [paid] = paymentsOf(inputs, outputs, "ckb");
  expect(paid!.amounts.map(({ assetId }) => assetId)).toEqual(["gold", "usd", "nft", "ckb"]);
});

test("an input that is not indexed has no parts", () => {
  const unknown = entry("", "", 0n, { amount: "", capacity: "" });
  expect(paymentsOf([unknown], [ckb("ann", 5n)], "ckb")).toEqual([
    { from: [], to: ["ann"], amounts: [{ assetId: "ckb", amount: 5n }] },
  ]);
});

test("by value, an asset without a price has a ribbon, but not the capacity that carries it", () => {
  const ribbons = ribbonsOf(
    nodesOf([usd("ann", 5n)], 9, "value", "ckb").nodes,
    nodesOf([usd("bob", 5n)], 9, "value", "ckb").nodes,
    "value",
    "ckb",
    WHOLE,
  );
  expect(ribbons).toEqual([{ from: 0, to: 0, assetId: "usd", size: 0n }]);
});

test("the native asset that carries others is counted apart, for it has no value", () => {
  const unknown = entry("", "", 0n, { amount: "", capacity: "" });
  expect(carriedBy([usd("ann", 5n), ckb("ann", 7n), usd("bob", 1n), unknown], "ckb")).toBe(20n);
});

const WHOLE = { inputs: true, outputs: true };

const someEntries = fc.array(
  fc
    .tuple(fc.constantFrom("ann", "bob", "cat"), fc.constantFrom("usd", "gold", "ckb"), fc.bigInt(1n, 1000n))
    .map(([address, token, amount]) =>
      entry(address, token, amount, { capacity: token === "ckb" ? `${amount}` : "10" }),
    ),
  { maxLength: 12 },
);

test("ribbons carry all of each node: what both sides have is joined, the rest is minted, burnt or a fee", () => {
  fc.assert(
    fc.property(
      someEntries,
      someEntries,
      fc.constantFrom(3, 20),
      fc.constantFrom("usd", "gold", "ckb"),
      (spent, created, most, assetId) => {
        const nodes = (entries: OutputEntry[]) => nodesOf(entries, most, { assetId }, "ckb").nodes;
        const [inputs, outputs] = [nodes(spent), nodes(created)];
        const ribbons = ribbonsOf(inputs, outputs, { assetId }, "ckb", WHOLE).filter(
          (ribbon) => ribbon.assetId === assetId,
        );
        const sizes = (nodes: typeof inputs) =>
          nodes.map(({ entries }) => sizeOf(entries, { assetId }, "ckb"));
        const sum = (amounts: bigint[]) => amounts.reduce((total, one) => total + one, 0n);
        const [ins, outs] = [sum(sizes(inputs)), sum(sizes(outputs))];
        const whole = ribbons.filter(({ from, to }) => from !== null && to !== null);
        expect(sum(whole.map(({ size }) => size))).toBe(ins < outs ? ins : outs);
        for (const [side, nodes] of [
          ["from", inputs],
          ["to", outputs],
        ] as const) {
          for (const [at, size] of sizes(nodes).entries()) {
            const joined = sum(ribbons.filter((ribbon) => ribbon[side] === at).map((ribbon) => ribbon.size));
            const isWithFee = side === "from" && assetId === "ckb" && ins > outs;
            if (isWithFee) expect(joined).toBeLessThanOrEqual(size);
            else expect(joined).toBe(size);
          }
        }
      },
    ),
  );
});

const joinedBy = (spent: OutputEntry[], created: OutputEntry[], assetId: string, isKnown = WHOLE) =>
  ribbonsOf(
    nodesOf(spent, 9, { assetId }, "ckb").nodes,
    nodesOf(created, 9, { assetId }, "ckb").nodes,
    { assetId },
    "ckb",
    isKnown,
  );

test("what is minted or interest begins nowhere, what is burnt ends nowhere, and a fee has no ribbon", () => {
  expect(joinedBy([usd("ann", 2n)], [usd("ann", 5n)], "usd")).toEqual([
    { from: 0, to: 0, assetId: "usd", size: 2n },
    { from: null, to: 0, assetId: "usd", size: 3n },
  ]);
  expect(joinedBy([usd("ann", 5n)], [ckb("ann", 9n)], "usd")).toEqual([
    { from: 0, to: null, assetId: "usd", size: 5n },
  ]);
  expect(joinedBy([ckb("ann", 5n)], [ckb("bob", 4n)], "ckb")).toEqual([
    { from: 0, to: 0, assetId: "ckb", size: 4n },
  ]);
  expect(joinedBy([ckb("ann", 5n)], [ckb("ann", 6n)], "ckb")).toEqual([
    { from: 0, to: 0, assetId: "ckb", size: 5n },
    { from: null, to: 0, assetId: "ckb", size: 1n },
  ]);
});

test("where inputs are not known nothing was minted, and where outputs are not known nothing was burnt", () => {
  const [five, two] = [[usd("ann", 5n)], [usd("ann", 2n)]];
  const joined = [{ from: 0, to: 0, assetId: "usd", size: 2n }];
  expect(joinedBy(two, five, "usd", { inputs: false, outputs: true })).toEqual(joined);
  expect(joinedBy(five, two, "usd", { inputs: true, outputs: false })).toEqual(joined);
});

test("too many entries are joined by address, the largest first", () => {
  const entries = [ckb("bob", 2n), ckb("bob", 3n), ckb("ann", 9n), usd("eve", 7n), usd("eve", 1n)];
  const joined = (most: number, assetId: string) => {
    const { nodes, isJoined } = nodesOf(entries, most, { assetId }, "ckb");
    return [isJoined, nodes.map(({ address, entries }) => [address, entries.length])];
  };
  expect(joined(5, "ckb")).toEqual([false, ["bob", "bob", "ann", "eve", "eve"].map((name) => [name, 1])]);
  // The cells of a token carry the native asset, too.
  expect(joined(4, "ckb")).toEqual([
    true,
    [
      ["eve", 2],
      ["ann", 1],
      ["bob", 2],
    ],
  ]);
  // Among equal ones, those with the most entries come first.
  expect(joined(4, "usd")).toEqual([
    true,
    [
      ["eve", 2],
      ["bob", 2],
      ["ann", 1],
    ],
  ]);
});

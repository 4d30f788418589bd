import { expect, test } from "vitest";
import { addressOf } from "./address.ts";
import { bitcoin, litecoin } from "./networks.ts";
import { outputStates } from "./output-states.ts";

const [mainnet] = bitcoin.networks;
const states = (script: string) => outputStates(bitcoin, addressOf(Buffer.from(script, "hex"), mainnet!));
const KEY = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";

test.each([
  ["p2wpkh", `0014${"ab".repeat(20)}`],
  ["p2pk", `21${KEY}ac`],
  // Known by its hash alone.
  ["script", "51".repeat(600)],
])("a reward to %s can be spent 100 blocks later, and is of that kind from then on", (kind, script) => {
  const { stateOf, changing } = states(script);
  const reward = { kind: "coinbase@50", height: 50, capacity: "5000000000" };
  const immature = { kind: "coinbase@150", until: "block 150", compensation: "" };
  const mature = { kind, until: "", compensation: "" };
  expect([50, 148, 149, 1_000].map((asOf) => stateOf(reward, asOf, () => undefined))).toEqual([
    immature,
    immature,
    mature,
    mature,
  ]);
  expect(changing).toEqual({ kinds: ["coinbase"], rewardsOnly: true, blocks: 100 });
});

test("any other output stays as it is", () => {
  const { stateOf, heightsFor } = states(`0014${"ab".repeat(20)}`);
  const output = { kind: "p2wpkh", height: 50, capacity: "1" };
  expect(stateOf(output, 50, () => undefined)).toEqual({ kind: "p2wpkh", until: "", compensation: "" });
  expect(heightsFor(output, 50)).toEqual([]);
});

test("a peg-out of Litecoin's extension blocks can be spent 6 blocks later", () => {
  const owner = addressOf(Buffer.from(`0014${"ab".repeat(20)}`, "hex"), litecoin.networks[0]!);
  const { stateOf, changing } = outputStates(litecoin, owner);
  const output = { kind: "pegout@50", height: 50, capacity: "1" };
  const immature = { kind: "pegout@56", until: "block 56", compensation: "" };
  const mature = { kind: "p2wpkh", until: "", compensation: "" };
  expect([50, 54, 55].map((asOf) => stateOf(output, asOf, () => undefined))).toEqual([
    immature,
    immature,
    mature,
  ]);
  // The transaction that pays them out is a block's last one.
  expect(changing).toEqual({ kinds: ["coinbase", "pegout"], rewardsOnly: false, blocks: 100 });
});

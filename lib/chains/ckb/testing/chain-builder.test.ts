import { describe, expect, test } from "vitest";
import { parseBlock } from "#lib/chains/ckb/block.ts";
import { scriptHash } from "#lib/chains/ckb/hashes.ts";
import {
  account,
  amountData,
  CKB,
  leastCapacity,
  MAXIMUM_AMOUNT,
  tokenId,
  treasury,
  udt,
} from "#lib/chains/ckb/testing/cells.ts";
import { recompute } from "#lib/chains/ckb/testing/recompute.ts";
import { ChainBuilder } from "./chain-builder.ts";

const alice = account("alice");
const bob = account("bob", "omnilock");
const token = udt(treasury);

function holdings(chain: ChainBuilder, owner: typeof alice) {
  const { utxos } = recompute(chain.blocks, {}, "testnet");
  return utxos.get(scriptHash(owner))?.entries.map((entry) => [entry.token, entry.amount]);
}

function changesOfTip(chain: ChainBuilder) {
  return recompute(chain.blocks, {}, "testnet").changes.get(chain.tip.header.hash);
}

describe("ChainBuilder", () => {
  test("makes blocks whose every hash holds, each the child of the one before", () => {
    const chain = new ChainBuilder();
    chain.transfer({ to: alice, amount: 500n * CKB });
    chain.mint({ token, to: alice, amount: 10n, info: { name: "Name", symbol: "SYM", decimals: 3 } });
    chain.block({ extension: "0xabcd", proposals: ["0x0102030405060708090a"], timestamp: 1_800_000_000_000 });
    const { cell } = chain.cluster({ name: "Cluster" });
    chain.spore({ to: bob, cluster: cell });
    chain.block();

    const parsed = chain.blocks.map((block, height) => parseBlock(block, "testnet", `block ${height}`));
    expect(parsed.map(({ height }) => height)).toEqual([0, 1, 2]);
    expect(parsed[0]?.parentHash).toBe(`0x${"0".repeat(64)}`);
    expect(parsed[1]?.parentHash).toBe(parsed[0]?.hash);
    expect(parsed[2]?.parentHash).toBe(parsed[1]?.hash);
    expect(parsed[1]?.timestamp).toBe(1_800_000_000_000);
    expect(parsed[1]?.transactions[2]?.claims).toEqual([
      { assetId: null, outputIndex: 1, name: "Name", symbol: "SYM", decimals: 3 },
    ]);
  });

  test("refers to the uncles it is given", () => {
    const chain = new ChainBuilder();
    const sibling = chain.fork(0).block();
    chain.block();
    chain.block({ uncles: [{ header: sibling.header, proposals: [] }] });
    expect(() => parseBlock(chain.tip, "testnet", "tip")).not.toThrow();
  });

  test("moves part of a token and gives the rest back", () => {
    const chain = new ChainBuilder();
    chain.mint({ token, to: alice, amount: 100n });
    chain.block();
    chain.transfer({ token, from: alice, to: bob, amount: 30n });
    chain.block();
    expect(holdings(chain, alice)).toEqual([[tokenId(token), "70"]]);
    expect(holdings(chain, bob)).toEqual([[tokenId(token), "30"]]);
    expect(chain.balance(alice, token)).toBe(70n);
    expect(changesOfTip(chain)).toContainEqual({ assetId: tokenId(token), amount: 100n });
  });

  test("burns, hands over and melts", () => {
    const chain = new ChainBuilder();
    chain.mint({ token, to: alice, amount: MAXIMUM_AMOUNT });
    const { id, cells } = chain.spore({ to: alice });
    chain.block();
    chain.burn({ token, from: alice, amount: MAXIMUM_AMOUNT - 1n });
    const handed = chain.move({ cells: cells.slice(0, 1), to: bob });
    chain.block();
    expect(holdings(chain, alice)).toEqual([[tokenId(token), "1"]]);
    expect(holdings(chain, bob)).toEqual([[id, "1"]]);
    chain.melt({ cells: handed.cells.slice(0, 1) });
    chain.block();
    expect(holdings(chain, bob)?.map(([asset]) => asset)).toEqual(["0x80000135"]);
  });

  test("allows a transaction to spend an output of an earlier one in its block", () => {
    const chain = new ChainBuilder();
    const { cells } = chain.transfer({ to: alice, amount: 1000n * CKB });
    chain.transaction({
      inputs: cells.slice(0, 1),
      outputs: [{ lock: bob, capacity: 400n * CKB }],
      change: alice,
    });
    chain.block();
    expect(holdings(chain, alice)?.map(([, amount]) => amount)).toEqual([(600n * CKB - 1000n).toString()]);
    expect(holdings(chain, bob)).toEqual([["0x80000135", (400n * CKB).toString()]]);
  });

  test("pays the fees to the miner, so that capacity neither appears nor goes", () => {
    const miner = account("a miner");
    const chain = new ChainBuilder({ miner, reward: 200n * CKB });
    chain.transfer({ to: alice });
    chain.transfer({ to: bob });
    chain.block();
    expect(holdings(chain, miner)).toEqual([["0x80000135", (200n * CKB + 2000n).toString()]]);
    const total = chain.liveCells().reduce((sum, { capacity }) => sum + capacity, 0n);
    expect(total).toBe(10n ** 10n * CKB + 200n * CKB);
  });

  test("gives a cell the least capacity it may have, a CKB for each byte", () => {
    expect(leastCapacity({ lock: alice })).toBe(61n * CKB);
    expect(leastCapacity({ lock: alice, type: token, data: amountData(1n) })).toBe(142n * CKB);
  });

  test("refuses to spend a cell twice, to spend more than there is, or to fork above its tip", () => {
    const chain = new ChainBuilder();
    const { cells } = chain.transfer({ to: alice });
    expect(() => chain.transaction({ inputs: [cells[0]!, cells[0]!], outputs: [] })).toThrow("is not live");
    const spend = () => chain.transaction({ inputs: cells.slice(0, 1), outputs: [] });
    spend();
    expect(spend).toThrow("is not live");
    expect(() => chain.transfer({ from: bob, to: alice })).toThrow("too little");
    expect(() => chain.burn({ token, from: bob, amount: 1n })).toThrow("too little of the token");
    expect(() => chain.fork(1)).toThrow("no block at height 1");
  });
});

describe("ChainBuilder.fork", () => {
  test("shares the blocks up to its height and sees the cells that were live there", () => {
    const chain = new ChainBuilder();
    chain.transfer({ to: alice, amount: 1000n * CKB });
    chain.block();
    chain.move({ cells: chain.liveCells(alice), to: bob });
    chain.block();
    chain.move({ cells: chain.liveCells(bob), to: alice }); // waits, and is not in the fork

    const other = chain.fork(1);
    expect(other.blocks).toEqual(chain.blocks.slice(0, 2));
    expect(other.liveCells(bob)).toEqual([]);
    expect(other.liveCells(alice).map(({ capacity }) => capacity)).toEqual([1000n * CKB]);
    other.move({ cells: other.liveCells(alice), to: account("carol") });
    other.block();
    expect(other.tip.header.parent_hash).toBe(chain.blocks[1]?.header.hash);
    expect(holdings(other, alice)).toEqual([]);
    expect(chain.height).toBe(2);
  });

  test("makes other blocks even where they hold the same", () => {
    const chain = new ChainBuilder();
    const hashes = [chain, chain.fork(0), chain.fork(0)].map((each) => each.block().header.hash);
    expect(new Set(hashes).size).toBe(3);
  });

  test("takes over a transaction of another branch, unless an output that it spends is missing", () => {
    const chain = new ChainBuilder();
    const other = chain.fork(0);
    const first = chain.transfer({ to: alice });
    const second = chain.move({ cells: first.cells.slice(0, 1), to: bob });
    chain.block();

    expect(() => other.include(second.transaction)).toThrow("is not live on this branch");
    other.block({ transactions: [first.transaction, second.transaction] });
    expect(other.tip.transactions.slice(1).map(({ hash }) => hash)).toEqual([first.hash, second.hash]);
    expect(other.liveCells(bob)).toHaveLength(1);
  });
});

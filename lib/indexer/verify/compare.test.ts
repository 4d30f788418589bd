import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import { account, CKB, sporeData } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { storedTokens } from "#lib/queries/stored.ts";
import type { Store } from "#lib/store/store.ts";
import { engines } from "#lib/testing/engines.ts";
import { sync } from "../sync.ts";
import { type NodeToCompare, randomChoice } from "./compare.ts";
import { verifyStore } from "./verify.ts";

// The differences that it finds are tested in verify.full.test.ts.

const ann = account("ann");
const BLOCKS = 60;

function grow(chain: ChainBuilder, to: number): ChainBuilder {
  while (chain.height < to) {
    chain.transfer({ to: ann, amount: 200n * CKB });
    chain.block();
  }
  return chain;
}

test("a random choice has as many as wanted, and each as often as any other", () => {
  const chosen = Array.from({ length: 30 }, () => 0);
  for (let run = 0; run < 3_000; run++) {
    const isChosen = randomChoice(10, chosen.length);
    const picked = chosen.map(isChosen);
    expect(picked.filter((is) => is)).toHaveLength(10);
    for (const [i, is] of picked.entries()) if (is) chosen[i]! += 1;
  }
  // 1,000 times on average, with a standard deviation of 26.
  expect(Math.min(...chosen)).toBeGreaterThan(800);
  expect(Math.max(...chosen)).toBeLessThan(1_200);
});

describe.each(engines)("comparing $name with a node", ({ open }) => {
  let store: Store;
  let node: StandInNode;
  let chain: ChainBuilder;

  beforeEach(async () => {
    store = await open();
    chain = grow(new ChainBuilder(), BLOCKS - 1);
    node = await StandInNode.start({ blocks: chain.blocks });
    await follow();
  });

  afterEach(async () => {
    await node.close();
    await store.close();
  });

  const follow = () => sync(store, new CkbNode(node.url), { once: true });

  /** The differences, and the heights that were requested, in order. */
  async function compare(options: Omit<NodeToCompare, "source"> = {}, url = node.url) {
    node.requests.length = 0;
    const faults = await verifyStore(store, { node: { source: new CkbNode(url), ...options } });
    const calls = node.requests.filter(({ method }) => method === "get_block_by_number");
    return { faults, heights: calls.map(({ params }) => Number(params[0])).sort((a, b) => a - b) };
  }

  test("reads every block once, several a request", async () => {
    const { faults, heights } = await compare();
    expect(faults).toEqual([]);
    expect(heights).toEqual(chain.blocks.map((_, height) => height));
    expect(node.requests.at(-1)!.httpRequest - node.requests[0]!.httpRequest).toBeLessThan(BLOCKS / 2);
  });

  test("of a sample, reads as many blocks", async () => {
    const first = await compare({ sample: 10 });
    expect(first.faults).toEqual([]);
    expect([first.heights.length, new Set(first.heights).size]).toEqual([10, 10]);
    expect((await compare({ sample: 1_000 })).heights).toHaveLength(BLOCKS);
    expect((await compare({ sample: 0 })).heights).toEqual([]);
  });

  test("asks again if the node fails", async () => {
    node.failNext({ kind: "http-500", method: "get_block_by_number" });
    expect((await compare()).faults).toEqual([]);
  });

  test("says from where on the node has no blocks", async () => {
    node.setChain(chain.blocks.slice(0, 50));
    const fault = "block 50 and those above it were not compared: the node has no such block";
    expect((await compare()).faults).toEqual([fault]);
  });

  test("says that a node is on another branch", async () => {
    node.setChain(grow(chain.fork(57), BLOCKS).blocks);
    const { faults } = await compare();
    expect(faults).toContainEqual(expect.stringMatching(/^block 58: hash is 0x.*, the node says 0x/));
  });

  test("says that a node is of another network, and compares nothing", async () => {
    const source = new CkbNode(node.url);
    const identity = { ...(await source.identity()), network: "mainnet" as const };
    vi.spyOn(source, "identity").mockResolvedValue(identity);
    node.requests.length = 0;
    expect(await verifyStore(store, { node: { source } })).toEqual([
      "the database holds testnet, the node mainnet: they were not compared",
    ]);
    expect(node.requests).toEqual([]);
  });

  test("says that blocks came meanwhile, if there are faults", async () => {
    const ask = store.query.bind(store);
    let grown = false;
    vi.spyOn(store, "query").mockImplementation((async (...asked: Parameters<typeof ask>) => {
      // All blocks are read before the first token.
      if (asked[0] === storedTokens && !grown) {
        grown = true;
        node.setChain(grow(chain, BLOCKS + 5).blocks);
        await follow();
      }
      return ask(...asked);
    }) as typeof ask);
    const faults = await verifyStore(store);
    expect(faults.length).toBeGreaterThan(1);
    expect(faults.at(-1)).toBe(
      "the tip changed meanwhile, which can cause such faults by itself: stop sync, and verify again",
    );
  });

  test("takes the facts about a token from its first output only", async () => {
    const { cells } = chain.spore({ to: ann, contentType: "text/plain" });
    chain.block();
    const [{ output }] = cells as [(typeof cells)[0]];
    const data = sporeData("image/png", "another");
    chain.transaction({
      inputs: chain.liveCells(ann),
      outputs: [{ ...output, capacity: 500n * CKB, data }],
      change: ann,
    });
    chain.block();
    node.setChain(chain.blocks);
    await follow();
    expect((await compare()).faults).toEqual([]);
  });
});

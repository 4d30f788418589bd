import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CkbNodeThread } from "#lib/chains/ckb/node-thread.ts";
import { demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { demoLedger } from "#lib/demo/ckb/demo-ledger.ts";
import type { DemoNode } from "#lib/demo/types.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { createAccessToken, listedTokens } from "#lib/queries/access-tokens.ts";
import { blockHeader, chainTip } from "#lib/queries/chain.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { sleepUntilIndexed } from "#lib/testing/demo-server.ts";
import { followDemo, loadDemo } from "./load.ts";

const NATIVE = "0x80000135";

let store: Store;
beforeEach(async () => {
  store = await openStore("sqlite::memory:");
});
afterEach(() => store.close());

const ledgerEnding = (endsAt?: number) => demoLedger(demoChain({ liveOutputs: 40, endsAt }));

/** Follows the node until it has mined that many times and all of it is indexed. Returns what was logged. */
async function followFor(miner: DemoNode, times: number): Promise<string[]> {
  const stop = new AbortController();
  const node = new CkbNodeThread(miner.url, stop.signal);
  const logged: string[] = [];
  let mined = 0;
  await followDemo(store, miner, node, {
    signal: stop.signal,
    log: (message) => logged.push(message),
    async sleep(milliseconds, signal) {
      if ((await sleepUntilIndexed(store, miner, milliseconds, signal)) && mined++ === times) stop.abort();
    },
  });
  node.close();
  return logged;
}

describe("a demo chain that goes on", () => {
  test("ends now, brings blocks, a reorganisation and new prices, and all of it holds together", async () => {
    const now = Date.now();
    const ledger = ledgerEnding(now);
    await loadDemo(store, ledger);
    const loaded = (await store.query(chainTip))!;
    expect((await store.query(blockHeader, loaded.hash))?.timestamp).toBe(now);
    const before = (await store.query(dataStatus)).counts;

    const miner = await ledger.startNode();
    const logged = await followFor(miner, 50);
    await miner.close();

    const tip = (await store.query(chainTip))!;
    expect(tip.height).toBeGreaterThan(loaded.height + 40);
    expect(tip.height).toBe(miner.height);
    expect((await store.query(blockHeader, tip.hash))!.timestamp).toBeGreaterThanOrEqual(now);
    expect(logged).toContainEqual(expect.stringMatching(/^reorganisation: [123] blocks above \d+ reverted/));
    const { counts, identity } = await store.query(dataStatus);
    expect(counts.abandonedBlocks).toBeGreaterThan(before.abandonedBlocks);
    expect(counts.prices).toBeGreaterThan(before.prices);
    expect(identity?.demo).toBe(true);
    expect(await verifyStore(store)).toEqual([]);
  });

  test("takes the place of an earlier one, and access tokens stay", async () => {
    await loadDemo(store, ledgerEnding(Date.UTC(2026, 5, 1)));
    await store.record(createAccessToken, {
      id: "1",
      name: "reader",
      scopes: [],
      createdAt: 0,
      expiresAt: null,
      revokedAt: null,
      ratePerMinute: null,
      hint: "abcd",
      hash: new Uint8Array(32),
    });
    const still = ledgerEnding();
    await loadDemo(store, still);
    expect((await store.query(chainTip))?.hash).toBe(still.blocks.at(-1)!.hash);
    expect((await store.query(listedTokens)).map(({ name }) => name)).toEqual(["reader"]);
    expect(await verifyStore(store)).toEqual([]);
  });

  test("moves the native asset's price at most once a minute", async () => {
    const end = Date.UTC(2026, 0, 1);
    const miner = await ledgerEnding(end).startNode();
    try {
      expect(miner.movePrices(end + 1_000)).toContain(`\n${NATIVE},2026-01-01T00:00:01.000Z,0.00`);
      expect(miner.movePrices(end + 60_000)).toBe("");
      expect(miner.movePrices(end + 61_000)).toContain(NATIVE);
    } finally {
      await miner.close();
    }
  });
});

import { expect, test, vi } from "vitest";
import { hasLitecoind, NO_LITECOIND } from "#lib/chains/bitcoin/testing/litecoind.ts";
import { chain } from "#lib/chains/chain.ts";
import { followDemo, loadNodeDemo } from "#lib/demo/load.ts";
import { sleep } from "#lib/indexer/retry.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { blockHashAt, chainIdentity, chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { startDemo } from "./demo.ts";

// The chain is chosen when the first module is imported.
vi.hoisted(() => vi.stubEnv("CHAIN", "litecoin"));

test.skipIf(!hasLitecoind)(
  `a real node mines, and is followed; the next one takes its place${hasLitecoind ? "" : `: ${NO_LITECOIND}`}`,
  async () => {
    const store = await openStore("sqlite::memory:");
    for (const round of [1, 2]) {
      const { node: miner, ...guide } = await startDemo(Date.now());
      const node = await chain.node.connect(miner.url, { cookie: miner.cookie });
      const stop = new AbortController();
      try {
        expect(await loadNodeDemo(store, node, guide)).toBe(181);
        expect(await store.query(chainIdentity)).toMatchObject({ network: "regtest", demo: true });
        for (const notable of guide.notable) {
          if ("address" in notable)
            expect(chain.parseAddress(notable.address, "regtest").text).toBe(notable.address);
        }
        await followDemo(store, miner, node, {
          signal: stop.signal,
          log: () => {},
          async sleep(_milliseconds, signal) {
            const { height = 0 } = (await store.query(chainTip)) ?? {};
            if (height > 190) stop.abort();
            await sleep(10, signal);
          },
        });
        // The node may have mined once more when the follower stopped.
        await loadNodeDemo(store, node, guide);
        const { height } = (await store.query(chainTip))!;
        expect([round, await store.query(blockHashAt, height)]).toEqual([round, await node.hashAt(height)]);
        expect(await verifyStore(store, { parseAddress: chain.parseAddress })).toEqual([]);
      } finally {
        node.close();
        await miner.close();
      }
    }
    await store.close();
  },
);

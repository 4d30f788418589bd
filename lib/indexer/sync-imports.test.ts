import { describe, expect, test } from "vitest";
import type { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { blockHeights } from "#lib/queries/chain.ts";
import {
  chain,
  describeFollowing,
  expectOnly,
  follow,
  grow,
  log,
  node,
  put,
  sleeps,
  store,
} from "#lib/testing/following.ts";
import type { Progress } from "./sync.ts";
import { verifyStore } from "./verify/verify.ts";

describeFollowing(() => {
  describe("with blocks that others stored", () => {
    test("fills the gap below them first", async () => {
      node.setChain(chain.blocks.slice(0, 21));
      await follow();
      node.setChain(chain.blocks);
      await put([chain.blocks[30]!, chain.blocks[35]!]);
      const heights: number[][] = [];
      const onProgress = ({ height, storedHeight }: Progress) => heights.push([height, storedHeight]);
      expect(await follow({ onProgress })).toMatchObject({ height: 40, blocks: 18 });
      expect(heights.slice(0, 5)).toEqual([29, 31, 32, 33, 34].map((stored) => [35, stored]));
      expect(log).toEqual([
        "blocks 21 to 29 are missing below the tip: they come first",
        "blocks 31 to 34 are missing below the tip: they come first",
      ]);
      await expectOnly(chain.blocks);
    });

    test("notices those that come below its first block while it runs", async () => {
      const stop = new AbortController();
      const progress = await follow({
        from: 30,
        once: false,
        signal: stop.signal,
        async sleep() {
          sleeps.push(0);
          if (sleeps.length === 1) await put([chain.blocks[25]!]);
          else stop.abort();
        },
      });
      expect(progress).toMatchObject({ height: 40, blocks: 15 });
      expect(log).toEqual(["blocks 26 to 29 are missing below the tip: they come first"]);
      expect((await store.query(blockHeights, {}))[0]).toBe(25);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("reverts them if the node's chain has others", async () => {
      node.setChain(chain.blocks.slice(0, 21));
      await follow();
      node.setChain(chain.blocks);
      await put([chain.blocks[30]!]);
      const other = grow(chain.fork(18), 20);
      node.setChain(other.blocks);
      expect(await follow()).toMatchObject({ height: 38 });
      await expectOnly(other.blocks);
    });
  });

  describe("with imported blocks of another branch", () => {
    function emptyFrom(height: number): ChainBuilder {
      const branch = chain.fork(height - 1);
      branch.emptyBlocks(1);
      return branch;
    }

    /** Stores blocks of a branch that the node does not follow. */
    async function putFrom(branch: ChainBuilder, heights: number[]): Promise<void> {
      const own = await StandInNode.start({ blocks: branch.blocks });
      for (const height of heights) await put([branch.blocks[height]!], own);
      await own.close();
    }

    test("between its own drops them, once the node's contradict them, and keeps those above", async () => {
      node.setChain(chain.blocks.slice(0, 21));
      await follow();
      await putFrom(grow(chain.fork(23), 4), [24, 25]);
      await putFrom(chain, [30, 31]);
      node.setChain(chain.blocks);
      expect(await follow()).toMatchObject({ height: 40 });
      expect(log).toContainEqual(
        expect.stringMatching(
          /^dropped 2 blocks from block 24 \(0x[0-9a-f]{64}\) on: they contradict the node's chain$/,
        ),
      );
      expect(sleeps).toEqual([]);
      await expectOnly(chain.blocks);
    });

    test("below its first block drops them, and stores the others again without asking for them", async () => {
      await follow({ from: 30 });
      await putFrom(emptyFrom(10), [10]);
      const before = new Set(await store.query(blockHeights, {}));
      node.requests.length = 0;
      expect(await follow()).toMatchObject({ height: 40 });
      expect(await store.query(blockHeights, {})).toEqual([...before].filter((height) => height !== 10));
      const asked = node.requests.filter(({ method }) => method === "get_block_by_number");
      expect(asked.every(({ params }) => Number(params[0]) < 30)).toBe(true);
      expect(await verifyStore(store)).toEqual([]);
    });

    test("below more blocks than it may revert ends with an error that says how to drop them", async () => {
      await follow({ from: 30 });
      await putFrom(emptyFrom(10), [10]);
      await expect(follow({ maxReorganisation: 11 })).rejects.toThrow(
        /^Block 10 \(0x.*\) is not on the node's chain, and more than 11 blocks .* `aqs revert 9`\.$/,
      );
      expect(await follow({ maxReorganisation: 12 })).toMatchObject({ height: 40 });
    });
  });
});

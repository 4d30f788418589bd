import { describe, expect, test, vi } from "vitest";
import { abandonedBlock, chainTip } from "#lib/queries/chain.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import {
  chain,
  describeFollowing,
  expectOnly,
  follow,
  grow,
  hashAt,
  log,
  node,
  sleeps,
  store,
} from "#lib/testing/following.ts";
import { verifyStore } from "./verify/verify.ts";

describeFollowing(() => {
  describe("through a reorganisation", () => {
    test.each([1, 2, 7, 25])("of %i blocks, gives what the new branch alone would", async (depth) => {
      await follow();
      const other = grow(chain.fork(40 - depth), depth + 1);
      node.setChain(other.blocks);
      expect(await follow()).toMatchObject({ height: 41, blocks: depth + 1 });
      expect(log).toEqual([expect.stringContaining(`${depth} blocks above ${40 - depth} reverted`)]);
      expect(await store.query(abandonedBlock, hashAt(chain, 40))).toMatchObject({
        replacedBy: hashAt(other, 40),
      });
      await expectOnly(other.blocks);
    });

    test("to a shorter chain follows it", async () => {
      await follow();
      const other = grow(chain.fork(20), 3);
      node.setChain(other.blocks);
      expect(await follow()).toMatchObject({ height: 23 });
      expect(await store.query(chainTip)).toEqual({ height: 23, hash: hashAt(other, 23) });
      await expectOnly(other.blocks);
    });

    test("twice, and back to the first branch, forgets that it was abandoned", async () => {
      await follow();
      const other = grow(chain.fork(30), 12);
      const third = grow(other.fork(35), 9);
      for (const branch of [other, third]) {
        node.setChain(branch.blocks);
        await follow();
        await expectOnly(branch.blocks);
      }
      expect(await store.query(abandonedBlock, hashAt(chain, 40))).not.toBeNull();
      node.setChain(grow(chain, 1).blocks);
      await follow();
      await expectOnly(chain.blocks);
      expect(await store.query(abandonedBlock, hashAt(chain, 40))).toBeNull();
      expect(await store.query(abandonedBlock, hashAt(third, 44))).toMatchObject({ replacedBy: null });
    });

    test("in the midst of catching up follows the new branch", async () => {
      const other = grow(chain.fork(10), 45);
      let blocksAsked = 0;
      const stop = node.onRequest((method) => {
        if (method === "get_block_by_number") blocksAsked += 1;
        if (blocksAsked === 25) {
          stop();
          node.setChain(other.blocks);
        }
      });
      expect(await follow()).toMatchObject({ height: 55 });
      await expectOnly(other.blocks);
    });

    test("at the moment of reading the new branch follows the node's last branch", async () => {
      await follow();
      const other = grow(chain.fork(30), 11);
      const third = grow(chain.fork(25), 17);
      node.setChain(other.blocks);
      const stop = node.onRequest((method) => {
        if (method !== "get_block_by_number") return;
        stop();
        node.setChain(third.blocks);
      });
      expect(await follow()).toMatchObject({ height: 42 });
      await expectOnly(third.blocks);
    });

    test("that breaks off halfway leaves the old branch as it was", async () => {
      await follow({ from: 30 });
      const before = await canonicalDump(store);
      node.setChain(grow(chain.fork(32), 11).blocks);
      // Outputs from before block 30 that the new branch spends are requested before the old branch is reverted.
      node.failNext({ kind: "http-500", method: "get_transaction", count: 2 });
      const during: string[] = [];
      const progress = await follow({ sleep: async () => void during.push(await canonicalDump(store)) });
      expect(during).toEqual([before, before]);
      expect(progress).toMatchObject({ height: 43 });
      expect(await verifyStore(store)).toEqual([]);
    });

    test("far below the node's tip asks for little at once, and for the rest as usual", async () => {
      await follow();
      const other = grow(chain.fork(20), 200);
      node.setChain(other.blocks);
      node.requests.length = 0;
      expect(await follow()).toMatchObject({ height: 220, blocks: 200 });
      expect(log).toEqual(["reorganisation: 20 blocks above 20 reverted, 21 of the new branch stored"]);
      const asked = node.requests.filter(({ method }) => method === "get_block_by_number");
      const atOnce = Map.groupBy(asked, ({ httpRequest }) => httpRequest);
      expect(Math.max(...[...atOnce.values()].map((calls) => calls.length))).toBe(16);
      await expectOnly(other.blocks);
    });

    test("asks the node for nothing while it keeps others from writing", async () => {
      await follow({ from: 30 });
      const atomically = store.atomically.bind(store);
      let inside = 0;
      vi.spyOn(store, "atomically").mockImplementation(async (work) => {
        inside += 1;
        try {
          return await atomically(work);
        } finally {
          inside -= 1;
        }
      });
      const whileAsked: number[] = [];
      node.onRequest(() => whileAsked.push(inside));
      node.setChain(grow(chain.fork(32), 11).blocks);
      expect(await follow()).toMatchObject({ height: 43 });
      expect(node.requests.some(({ method }) => method === "get_transaction")).toBe(true);
      expect(new Set(whileAsked)).toEqual(new Set([0]));
    });

    test("is not believed of a lower node that stands on a replaced block for a moment", async () => {
      await follow();
      node.setChain(grow(chain.fork(29), 1).blocks);
      const progress = await follow({
        maxReorganisation: 5,
        async sleep(milliseconds) {
          sleeps.push(milliseconds);
          if (sleeps.length === 3) node.setChain(grow(chain, 2).blocks);
        },
      });
      expect(progress).toMatchObject({ height: 42, blocks: 2 });
      expect(log).toEqual([
        expect.stringMatching(
          /^the node is behind, on another branch: at block 30 \(0x.*\), we are at 40; trying again$/,
        ),
        "the node answers again",
      ]);
      await expectOnly(chain.blocks);
    });

    test("deeper than allowed, ends with an error that says so, and changes nothing", async () => {
      await follow();
      const before = await canonicalDump(store);
      node.setChain(grow(chain.fork(30), 11).blocks);
      await expect(follow({ maxReorganisation: 9 })).rejects.toThrow("leaves ours more than 9 blocks");
      await expect(follow({ maxReorganisation: 9 })).rejects.toThrow(
        /more than 9 blocks below our tip, block 40/,
      );
      expect(await canonicalDump(store)).toBe(before);
      expect(await follow({ maxReorganisation: 10 })).toMatchObject({ height: 41 });
    });

    test("to a chain that has none of ours, ends with an error and changes nothing", async () => {
      await follow({ from: 30 });
      const before = await canonicalDump(store);
      node.setChain(grow(chain.fork(20), 30).blocks);
      await expect(follow()).rejects.toThrow(/has none of the blocks stored here, from 30 to 40/);
      expect(await canonicalDump(store)).toBe(before);
    });
  });
});

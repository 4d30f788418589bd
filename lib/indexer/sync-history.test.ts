import { describe, expect, test, vi } from "vitest";
import { addressOf } from "#lib/chains/ckb/address.ts";
import { chain as ckb } from "#lib/chains/ckb/chain.ts";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { storedHorizon } from "#lib/queries/chain.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { openStore } from "#lib/store/open.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import type { Store } from "#lib/store/store.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import {
  ann,
  chain,
  describeFollowing,
  follow,
  grow,
  log,
  node,
  openAnother,
  put,
  store,
} from "#lib/testing/following.ts";
import { sync } from "./sync.ts";
import { verifyStore } from "./verify/verify.ts";

describeFollowing(() => {
  describe("with a limited history", () => {
    const short = { history: 8, maxReorganisation: 8 };
    const spentUpTo = () => store.query(storedHorizon);
    const annAt = (from: Store, height: number) => {
      const { key } = ckb.parseAddress(addressOf(ann, "testnet").text, "testnet");
      return from.query(utxosOfAddress, { addressKey: key, order: "asc", limit: 1_000, at: { height } });
    };

    /** Checks that the store has the same lists as one with the whole history, at each height from the horizon on. */
    async function expectWhole(blocks: readonly NodeBlock[]): Promise<void> {
      expect(await verifyStore(store)).toEqual([]);
      const whole = await openAnother(openStore("sqlite::memory:"));
      node.setChain(blocks);
      await sync(whole, new CkbNode(node.url), { once: true });
      for (let height = await spentUpTo(); height < blocks.length; height++) {
        expect(await annAt(store, height)).toEqual(await annAt(whole, height));
      }
    }

    test("removes outputs spent further below the tip, follows a reorganisation as deep, and does not restore them", async () => {
      await follow(short);
      expect(await spentUpTo()).toBe(32);
      await expectWhole(chain.blocks);
      await expect(annAt(store, 31)).rejects.toMatchObject({
        code: "NOT_FOUND",
        issues: [{ message: expect.stringContaining("spent up to block 32 are not kept") }],
      });
      const other = grow(chain.fork(32), 9);
      node.setChain(other.blocks);
      expect(await follow(short)).toMatchObject({ height: 41, blocks: 9 });
      expect(await spentUpTo()).toBe(33);
      await expectWhole(other.blocks);
      grow(other, 5);
      node.setChain(other.blocks);
      await follow();
      expect(await spentUpTo()).toBe(33);
      await expectWhole(other.blocks);
    });

    test("follows two reorganisations in a row that lower the tip, each of half the history, and no deeper one", async () => {
      await follow({ history: 16 });
      let own = chain;
      for (const [fork, deeper] of [
        [32, 31],
        [25, 24],
      ] as const) {
        node.setChain(grow(own.fork(deeper), 1).blocks);
        await expect(follow({ history: 16 })).rejects.toThrow(/more than 8 blocks below our tip/);
        own = grow(own.fork(fork), 1);
        node.setChain(own.blocks);
        expect(await follow({ history: 16 })).toMatchObject({ height: fork + 1 });
        expect(await spentUpTo()).toBe(24);
      }
      // A third one is no deeper, but would need outputs that were removed.
      node.setChain(grow(own.fork(20), 1).blocks);
      await expect(follow({ history: 16 })).rejects.toThrow(
        "Blocks cannot be reverted down to 20: outputs spent up to block 24 are not kept. Start a new database",
      );
      await expectWhole(own.blocks);
    });

    test("begins to remove outputs in a complete database, continues after a failure, and leaves none in between", async () => {
      await follow();
      const { counts } = await store.query(dataStatus);
      const write = store.write.bind(store);
      let steps = 0;
      const failing = vi.spyOn(store, "write").mockImplementation((work, ...args) => {
        if (work.name !== "raiseHorizon") return write(work, ...args);
        steps += 1;
        // A step that is cut off leaves no trace, as a process that is killed does not.
        return write(
          function* (tables, ...given) {
            yield* work(tables, ...given);
            throw new Error("cut off");
          },
          ...args,
        );
      });
      await expect(follow(short)).rejects.toThrow("cut off");
      failing.mockRestore();
      expect([steps, await spentUpTo()]).toEqual([1, -1]);
      expect((await store.query(dataStatus)).counts).toEqual(counts);
      expect(await store.write(raiseHorizon, 10)).toBe(10);
      await expectWhole(chain.blocks);
      await follow(short);
      expect(await spentUpTo()).toBe(32);
      expect((await store.query(dataStatus)).counts.outputs).toBeLessThan(counts.outputs);
      await expectWhole(chain.blocks);
    });

    test("refuses a deeper reorganisation and earlier blocks, and stays as it was", async () => {
      await follow(short);
      const before = await canonicalDump(store);
      node.setChain(grow(chain.fork(30), 12).blocks);
      await expect(follow({ maxReorganisation: 100 })).rejects.toThrow(
        "Blocks cannot be reverted down to 30: outputs spent up to block 32 are not kept",
      );
      expect(await canonicalDump(store)).toBe(before);
    });

    test("forgets nothing near a gap, where the node may still replace blocks, until it is filled", async () => {
      node.setChain(grow(chain.fork(19), 1).blocks);
      await follow();
      node.setChain(chain.blocks);
      await put([chain.blocks[39]!]);
      node.setChain(chain.blocks.slice(0, 16));
      await follow(short);
      expect(await spentUpTo()).toBe(12);
      node.setChain(chain.blocks);
      await follow(short);
      expect(log).toContainEqual(expect.stringMatching(/^dropped 1 blocks from block 20 /));
      expect(await spentUpTo()).toBe(32);
      await expectWhole(chain.blocks);
    });
  });
});

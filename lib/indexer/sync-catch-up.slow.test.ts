import { describe, expect, test, vi } from "vitest";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { type ChainSource, SourceError } from "#lib/contract/source.ts";
import { dataStatus } from "#lib/queries/status.ts";
import { describeFollowing, log, options, sleeps, store } from "#lib/testing/following.ts";
import { identity, Ledger } from "#lib/testing/ledger.ts";
import { type Progress, type SyncOptions, sync } from "./sync.ts";

describeFollowing(() => {
  describe("while it catches up", () => {
    /** Blocks 15, 31 and 47 each fill what is stored at once, and the node is asked for 16 blocks at a time. */
    const long = new Ledger();
    for (let height = 0; height < 60; height++) {
      long.block(
        height % 16 === 15 ? [{ create: Array.from({ length: 20_000 }, () => ({ to: "ann" })) }] : [],
      );
    }

    /** Follows that chain. `blocksFrom`: what the node does before it gives blocks from a height on. */
    async function catchUp(blocksFrom: (height: number) => Promise<void>, overrides: SyncOptions = {}) {
      const source: ChainSource = {
        native: NATIVE_ASSET,
        identity: async () => identity,
        tip: async () => long.tip!,
        hashAt: async (height) => long.blocks[height]!.hash,
        blocks: async (from, to) => {
          await blocksFrom(from);
          return long.blocks.slice(from, to + 1);
        },
        outputs: async () => new Map(),
      };
      const heights: number[] = [];
      await sync(store, source, options({ onProgress: ({ height }) => heights.push(height), ...overrides }));
      expect((await store.query(dataStatus)).counts).toMatchObject({ blocks: 60, outputs: 60_000 });
      return heights;
    }

    test("stores all blocks that are ready in one transaction", async () => {
      const [first] = await catchUp(async () => {});
      expect(first).toBeGreaterThan(15);
    });

    test("commits within 18 seconds, and pauses for other writers", async () => {
      let time = 0;
      vi.spyOn(performance, "now").mockImplementation(() => time);
      const write = store.write.bind(store);
      vi.spyOn(store, "write").mockImplementation((...writing) => {
        time += 10_000;
        return write(...writing);
      });
      try {
        expect(await catchUp(async () => {})).toEqual(expect.arrayContaining([15, 31, 47]));
        expect(sleeps).toContain(250);
      } finally {
        vi.restoreAllMocks();
      }
    });

    test("commits its blocks before it waits for the node", async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const onProgress = ({ height }: Progress) => {
        if (height === 31) resolve();
      };
      await catchUp((height) => (height === 32 ? promise : Promise.resolve()), { onProgress });
    });

    test("loses no block from before a fault of the node", async () => {
      let faults = 1;
      const heights = await catchUp(async (height) => {
        if (height === 32 && faults-- > 0) throw new SourceError("the node is overloaded");
      });
      expect(heights).toContain(31);
      expect(log[0]).toBe("the node is overloaded; trying again");
    });
  });
});

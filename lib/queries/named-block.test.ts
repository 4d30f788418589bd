import { describe, expect, test } from "vitest";
import type { BlockRange } from "#lib/contract/block-reference.ts";
import type { Query } from "#lib/store/query.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { type Range, rangeBetween } from "./named-block.ts";

const between: Query<BlockRange, Range> = { effort: "snapshot", read: rangeBetween };

describeEngines(() => {
  describe("a range of blocks", () => {
    const ends = async (range: BlockRange) => {
      const { after, to } = await store.query(between, range);
      return [after, to.height];
    };

    test("is named by heights, hashes, the tip, or by nothing", async () => {
      const blocks = [0, 1, 2, 3].map(() => ledger.block([{ create: [{ to: "ann" }] }]));
      await feed(store, blocks);
      const [, second, third] = blocks as [(typeof blocks)[0], (typeof blocks)[0], (typeof blocks)[0]];
      expect(await ends({})).toEqual([-1, 3]);
      expect(await ends({ from: { height: 0 }, to: "tip" })).toEqual([0, 3]);
      expect(await ends({ from: { hash: second.hash }, to: { hash: third.hash } })).toEqual([1, 2]);
      expect(await ends({ from: "tip" })).toEqual([3, 3]);
      expect((await store.query(between, { to: { height: 2 } })).to).toEqual({
        height: 2,
        hash: third.hash,
        parentHash: second.hash,
        timestamp: third.timestamp,
        gaps: "",
      });
    });

    test("is named by times, although times go back: each is the highest block that is not later", async () => {
      const times = [10, 20, 50, 30, 40, 60, 55, 70];
      await feed(
        store,
        times.map((time) => ledger.block([], time)),
      );
      const found = async (time: number) => (await ends({ to: { time } }))[1];
      expect(await Promise.all([10, 19, 20, 29, 30, 39, 40, 49].map(found))).toEqual([
        0, 0, 1, 1, 3, 3, 4, 4,
      ]);
      expect(await Promise.all([50, 54, 55, 59, 60, 69, 70, 9e15].map(found))).toEqual([
        4, 4, 6, 6, 6, 6, 7, 7,
      ]);
      expect(await ends({ from: { time: 30 }, to: { time: 60 } })).toEqual([3, 6]);
      expect(await ends({ from: { time: 90 } })).toEqual([7, 7]);
      for (const range of [
        { to: { time: 9 } },
        { from: { time: 9 } },
        { from: { time: -1 }, to: "tip" as const },
      ])
        await expect(ends(range)).rejects.toMatchObject({ code: "NOT_FOUND" });
      const reversed = ends({ from: { time: 60 }, to: { time: 10 } });
      await expect(reversed).rejects.toMatchObject({ code: "BAD_REQUEST", issues: [{ code: "range" }] });
    });

    test("names what is missing below its last block, and the blocks under each gap", async () => {
      const blocks = Array.from({ length: 8 }, () => ledger.block([{ create: [{ to: "ann" }] }]));
      const stored = (heights: number[]) =>
        feed(
          store,
          heights.map((height) => blocks[height]!),
          { extendTip: false },
        );
      const gapsAt = async (height: number) => (await store.query(between, { to: { height } })).to.gaps;
      await stored([1, 2, 4, 7]);
      const seen = await Promise.all([1, 2, 4, 7].map(gapsAt));
      expect(seen[1]).toBe(seen[0]);
      expect(new Set(seen).size).toBe(3);
      await stored([5]);
      expect(await gapsAt(4)).toBe(seen[2]);
      expect(await gapsAt(7)).not.toBe(seen[3]);
      await stored([0, 3]);
      expect(await Promise.all([1, 2, 4].map(gapsAt))).toEqual(["", "", ""]);
    });

    test("has blocks that are canonical, and the first one not above the last one", async () => {
      await expect(ends({})).rejects.toMatchObject({ code: "NOT_FOUND" });
      const [genesis] = [0, 1].map(() => ledger.block([{ create: [{ to: "ann" }] }]));
      await feed(store, [genesis!]);
      for (const range of [
        { to: { height: 1 } },
        { from: { height: 1 } },
        { from: { height: 1 }, to: "tip" as const },
        { from: { height: 1 }, to: { time: 9e15 } },
        { to: { hash: `0x${"9".repeat(64)}` } },
        { from: { hash: `0x${"9".repeat(64)}` } },
      ]) {
        await expect(ends(range)).rejects.toMatchObject({ code: "NOT_FOUND" });
      }
      for (const to of [{ height: 0 }, { hash: genesis!.hash }]) {
        await expect(ends({ from: { height: 1 }, to })).rejects.toMatchObject({
          code: "BAD_REQUEST",
          issues: [{ path: ["query", "from"] }],
        });
      }
    });

    test("may end in a gap: then it is as of the block below", async () => {
      const blocks = [0, 1, 2, 3].map(() => ledger.block([{ create: [{ to: "ann" }] }]));
      await feed(store, [blocks[1]!, blocks[3]!], { extendTip: false });
      expect(await ends({ from: { height: 0 }, to: { height: 2 } })).toEqual([0, 1]);
      await expect(ends({ to: { height: 0 } })).rejects.toMatchObject({ code: "NOT_FOUND" });
    });
  });
});

import { describe, expect, test, vi } from "vitest";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import { StoreLostError } from "#lib/store/errors.ts";
import { applyBlocks } from "#lib/store/rules/ledger.ts";
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
  options,
  sleeps,
  store,
} from "#lib/testing/following.ts";
import { sync } from "./sync.ts";
import { verifyStore } from "./verify/verify.ts";

describeFollowing(() => {
  describe("that fails", () => {
    test("by sending another block than the announced tip is asked again", async () => {
      const other = grow(chain.fork(39), 1);
      const stop = node.onRequest((method) => {
        node.setChain(method === "get_block_by_number" && sleeps.length === 0 ? other.blocks : chain.blocks);
      });
      expect(await follow()).toMatchObject({ height: 40 });
      stop();
      expect(log).toEqual([
        `block 40 (${hashAt(other, 40)}) is not the announced tip, ${hashAt(chain, 40)}; trying again`,
        "the node answers again",
      ]);
      await expectOnly(chain.blocks);
    });

    test("by announcing another hash for its tip than the block there has is not followed", async () => {
      await follow();
      node.failNext({ kind: "wrong-hash", method: "get_tip_header" });
      expect(await follow()).toMatchObject({ height: 40, blocks: 0 });
      expect(log).toEqual([
        "the node contradicts itself about block 40; trying again",
        "the node answers again",
      ]);
    });

    test("waits up to half a minute between attempts, and starts over after a success", async () => {
      await follow();
      node.failNext({ kind: "http-500", count: 9 });
      await follow();
      expect(sleeps).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
      node.failNext({ kind: "http-500" });
      await follow();
      expect(sleeps.at(-1)).toBe(500);
    });

    test("names a fault once, however often it comes, and then that it is over", async () => {
      await follow();
      log.length = 0;
      node.failNext({ kind: "http-500", count: 3 });
      await follow();
      expect(log).toEqual([expect.stringContaining("HTTP 500"), "the node answers again"]);
    });

    test("leaves time for other writes between two attempts, such as prices", async () => {
      await follow();
      node.failNext({ kind: "http-500", count: 3 });
      const times: number[] = [];
      await follow({ between: async () => void times.push(sleeps.length) });
      expect(times).toEqual([0, 1, 2, 3]);
    });

    test("by not sending blocks that it announces is asked again with back-off", async () => {
      node.withhold(21);
      const progress = await follow({
        async sleep(milliseconds) {
          sleeps.push(milliseconds);
          if (sleeps.length === 5) node.withhold(Number.POSITIVE_INFINITY);
        },
      });
      expect(progress).toMatchObject({ height: 40, blocks: 41 });
      expect(sleeps).toEqual([500, 1000, 2000, 4000, 8000]);
      expect(log).toEqual([
        "the node has no block 21, though its tip is block 40; trying again",
        "the node answers again",
      ]);
      await expectOnly(chain.blocks);
    });

    test("by announcing a tip that no chain can have gets few requests beyond the existing blocks", async () => {
      const source = new CkbNode(node.url);
      vi.spyOn(source, "tip").mockResolvedValueOnce({ height: 2 ** 50, hash: hashAt(chain, 40) });
      expect(await sync(store, source, options())).toMatchObject({ height: 40, blocks: 41 });
      expect(node.requests.length).toBeLessThan(1500);
      await expectOnly(chain.blocks);
    });

    test("is down for a while is asked again", async () => {
      await follow();
      await node.close();
      const stop = new AbortController();
      await follow({
        signal: stop.signal,
        // The first attempt may find the connection of before, and see it end.
        sleep: async (milliseconds) => void (milliseconds === 1000 && stop.abort()),
      });
      expect(log.at(-1)).toMatch(/fetch failed: .*ECONNREFUSED.*; trying again/);
      expect(log.at(-1)).toContain(node.url);
      expect(await verifyStore(store)).toEqual([]);
    });
  });

  test("that lags behind is waited for, and nothing is reverted", async () => {
    await follow();
    const before = await canonicalDump(store);
    node.lag(10);
    expect(await follow()).toMatchObject({ height: 40, blocks: 0 });
    expect(log).toEqual(["the node is behind: at block 30, we are at 40"]);
    expect(await canonicalDump(store)).toBe(before);
    node.lag(0);
    node.setChain(grow(chain, 1).blocks);
    expect(await follow()).toMatchObject({ height: 41, blocks: 1 });
  });

  test("that answers now from one branch, now from another, is asked again with back-off", async () => {
    await follow();
    const other = grow(chain.fork(35), 10);
    grow(chain, 5);
    node.setChain(chain.blocks);
    // Blocks come from a node with another branch than the one whose tip and hashes were read.
    const stop = node.onRequest((method) => {
      node.setChain(method === "get_block_by_number" && sleeps.length < 3 ? other.blocks : chain.blocks);
    });
    expect(await follow()).toMatchObject({ height: 45 });
    stop();
    expect(sleeps).toEqual([500, 1000, 2000]);
    expect(log[0]).toMatch(/do not fit: .* `aqs verify`\); trying again/);
    await expectOnly(chain.blocks);
  });

  /** Makes the next `count` attempts to store blocks fail. */
  function failApplying(times: number, error: Error): void {
    let left = times;
    vi.restoreAllMocks();
    const write = store.write.bind(store);
    vi.spyOn(store, "write").mockImplementation(async (steps, ...args) => {
      if ((steps as unknown) === applyBlocks && left-- > 0) throw error;
      return write(steps, ...args) as never;
    });
  }

  test("waits for a database that others keep busy", async () => {
    failApplying(2, Object.assign(new Error("database is locked"), { errcode: 5 }));
    expect(await follow()).toMatchObject({ height: 40, blocks: 41 });
    expect(sleeps).toEqual([500, 1000]);
    expect(log).toEqual(["database is locked; trying again", "the database answers again"]);
    await expectOnly(chain.blocks);
  });

  test("retries for a while if the database looks damaged, and then ends", async () => {
    const malformed = Object.assign(new Error("a.db: damaged, or not read"), { errcode: 11 });
    failApplying(3, malformed);
    expect(await follow()).toMatchObject({ height: 40, blocks: 41 });
    expect(log).toEqual([
      expect.stringContaining("a.db: damaged, or not read"),
      "the database answers again",
    ]);
    failApplying(Number.POSITIVE_INFINITY, malformed);
    node.setChain(grow(chain, 1).blocks);
    await expect(follow()).rejects.toThrow("a.db: damaged, or not read");
    expect(sleeps).toEqual([500, 1000, 2000, 500, 1000, 2000]);
  });

  test("ends when the files of the database are lost, which waiting cannot heal", async () => {
    failApplying(1, new StoreLostError("a.db was removed"));
    await expect(follow()).rejects.toThrow("a.db was removed");
    expect(sleeps).toEqual([]);
  });
});

import { describe, expect, test } from "vitest";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import type { FailureKind } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import {
  chain,
  describeFollowing,
  expectOnly,
  grow,
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
    const kinds: Record<FailureKind, RegExp> = {
      "http-500": /HTTP 500: internal error; trying again/,
      truncate: /http.*(terminated|aborted|other side closed|fetch failed).*; trying again/,
      garbage: /the response is not JSON: .*; trying again/,
      "wrong-types": /; trying again/,
      "wrong-hash": /; trying again/,
      tampered: /transactions_root is 0x.*, but the contents hash to 0x.*; trying again/,
      hang: /no response within 1 s; trying again/,
      reset: /fetch failed: .*; trying again/,
      "json-rpc-error": /a requested failure; trying again/,
      refused: /\d+ calls at once: too many calls; trying again/,
      endless: /the response is longer than 33554432 bytes; trying again/,
    };
    const impatient = (kind: FailureKind) =>
      new CkbNode(node.url, undefined, kind === "hang" ? 1_000 : undefined);

    test.each(Object.keys(kinds) as FailureKind[])(
      "with %s at a block is asked again, later and later, and leaves nothing half-written",
      async (kind) => {
        await sync(store, impatient(kind), options());
        node.setChain(grow(chain, 20).blocks);
        node.failNext({ kind, count: 4, method: "get_block_by_number" });
        const tips: unknown[] = [];
        const progress = await sync(
          store,
          impatient(kind),
          options({
            async sleep(milliseconds) {
              sleeps.push(milliseconds);
              tips.push((await store.query(chainTip))!.height);
              expect(await verifyStore(store)).toEqual([]);
            },
          }),
        );
        expect(progress).toMatchObject({ height: 60, blocks: 20 });
        expect(sleeps.length).toBeGreaterThanOrEqual(2);
        expect(sleeps).toEqual([500, 1000, 2000, 4000].slice(0, sleeps.length));
        expect(tips).toEqual(tips.map(() => 40));
        expect(log[0]).toMatch(kinds[kind]);
        expect(log[0]).toContain(node.url);
        expect(log.at(-1)).toBe("the node answers again");
        await expectOnly(chain.blocks);
      },
    );

    test.each(Object.keys(kinds) as FailureKind[])(
      "with %s at the tip, a hash or its identity is asked again",
      async (kind) => {
        const ways = ["get_blockchain_info", "get_tip_header", "get_block_hash", "get_tip_header"];
        for (const [i, method] of ways.entries()) {
          node.setChain(grow(chain, 2).blocks);
          node.failNext({ kind, method });
          expect(await sync(store, impatient(kind), options())).toMatchObject({ height: 42 + 2 * i });
        }
        await expectOnly(chain.blocks);
      },
    );

    test.each(Object.keys(kinds) as FailureKind[])(
      "with %s at an older transaction is asked again",
      async (kind) => {
        node.failNext({ kind, method: "get_transaction", count: 2 });
        expect(await sync(store, impatient(kind), options({ from: 35 }))).toMatchObject({ height: 40 });
        expect(log.length).toBeGreaterThan(0);
        expect(await verifyStore(store)).toEqual([]);
        expect(await canonicalDump(store)).not.toContain("undefined");
      },
    );

    test("by taking long over each block is asked for fewer at once, until it gets through", async () => {
      node.slowBlocks(40);
      const slow = new CkbNode(node.url, undefined, 500);
      expect(await sync(store, slow, options())).toMatchObject({ height: 40, blocks: 41 });
      // On a busy machine, more requests may be late.
      const late = log.filter((line) => /no response within 0\.5 s/.test(line));
      expect(late.length).toBeGreaterThan(0);
      expect(new Set(log)).toEqual(new Set([...late, "the node answers again"]));
      await expectOnly(chain.blocks);
    });
  });
});

import { describe, expect, test, vi } from "vitest";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { engines, MORE } from "#lib/testing/engines.ts";
import { parseAddress } from "./address.ts";
import { litecoin } from "./networks.ts";
import { BitcoinNode } from "./node.ts";
import { hasLitecoind, Litecoind, NO_LITECOIND, WITHOUT_MWEB } from "./testing/litecoind.ts";
import { Walk } from "./testing/walk.ts";

// The chain is chosen when the first module is imported.
vi.hoisted(() => vi.stubEnv("CHAIN", "litecoin"));

const seeds = Array.from({ length: Math.ceil(MORE / 2) }, (_, i) => i + 1);
const STEPS = 25;
const RESTART_AT = 10;

describe.skipIf(!hasLitecoind)(`a random chain${hasLitecoind ? "" : `: ${NO_LITECOIND}`}`, () => {
  const happened: Record<string, number> = {};
  test.each(seeds)(
    "of a node is followed, and every list and sum is the node's: seed %i",
    async (seed) => {
      await using node = await Litecoind.start(WITHOUT_MWEB, "rest=1");
      const followers = await Promise.all(
        engines.map(async ({ open }) => ({
          store: await open(),
          source: new BitcoinNode(litecoin, node.url, { cookie: node.cookie }),
        })),
      );
      try {
        const walk = new Walk(node, seed);
        await walk.begin();
        await walk.check(followers);
        for (let step = 0; step < STEPS; step++) {
          await walk.step();
          if (step === RESTART_AT) await walk.restart();
          await walk.check(followers);
        }
        for (const [what, count] of Object.entries(walk.count)) {
          happened[what] = (happened[what] ?? 0) + count;
        }
        for (const { store, source } of followers) {
          const faults = await verifyStore(store, {
            node: { source },
            parseAddress: (text, network) => parseAddress(text, litecoin, network),
          });
          expect(faults).toEqual([]);
          expect(await canonicalDump(store)).toBe(await canonicalDump(followers[0]!.store));
        }
      } finally {
        for (const { store } of followers) await store.close();
      }
    },
    300_000,
  );

  test("of a node has reorganisations, double spends and spends within a block", () => {
    expect(Object.entries(happened).filter(([, count]) => count === 0)).toEqual([]);
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { blockAtTime } from "#lib/queries/chain.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { MORE } from "#lib/testing/engines.ts";
import { Ledger } from "#lib/testing/ledger.ts";
import { describeEngines, feed, open, store } from "#lib/testing/stores.ts";

/** Blocks whose times mostly rise, and now and then go far back. */
const times = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 3 }) },
    { weight: 1, arbitrary: fc.integer({ min: -30, max: 30 }) },
  ),
  { minLength: 1, maxLength: 12 },
);

const chainOf = (steps: number[], chain = new Ledger()): Ledger => {
  let time = chain.tip?.timestamp ?? 100;
  for (const step of steps) {
    time = Math.max(0, time + step);
    chain.block([], time);
  }
  return chain;
};

describeEngines(() => {
  test("a time finds the highest block that is not later, in whatever order blocks come and go", async () => {
    const order = fc.infiniteStream(fc.nat({ max: 1_000 }));
    const property = fc.asyncProperty(times, times, order, fc.nat(), async (steps, later, places, at) => {
      const own = await open();
      try {
        const main = chainOf(steps);
        let stored: typeof main.blocks = [];
        const expectFound = async () => {
          const around = [
            ...new Set(stored.flatMap(({ timestamp }) => [timestamp - 1, timestamp, timestamp + 1])),
          ];
          await Promise.all(
            [0, ...around, 10_000].map(async (time) => {
              const expected = stored
                .filter(({ timestamp }) => timestamp <= time)
                .sort((one, other) => other.height - one.height)[0];
              expect((await own.query(blockAtTime, time))?.hash, `at ${time}`).toBe(expected?.hash);
            }),
          );
        };
        // Some blocks at a time, from any heights.
        const left = [...main.blocks];
        while (left.length > 0) {
          const size = 1 + (places.next().value % 4);
          const some = Array.from({ length: Math.min(size, left.length) }, () => {
            return left.splice(places.next().value % left.length, 1)[0]!;
          });
          await feed(own, some, { extendTip: false });
          stored = stored.concat(some);
          await expectFound();
        }
        const fork = at % main.blocks.length;
        const branch = chainOf(later, main.fork(fork, "branch"));
        await own.write(revertTo, fork);
        await feed(own, branch.blocks.slice(fork + 1));
        stored = branch.blocks;
        await expectFound();
        const parseAddress = () => {
          throw new Error("No block has an address");
        };
        expect(await verifyStore(own, { parseAddress })).toEqual([]);
      } finally {
        await own.close();
      }
    });
    await fc.assert(property, { numRuns: (store.engine === "sqlite" ? 10 : 2) * MORE });
  });
});

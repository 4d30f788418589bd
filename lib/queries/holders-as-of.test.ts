import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "#lib/contract/errors.ts";
import { type Block, outPointText } from "#lib/contract/ledger.ts";
import { pauses } from "#lib/store/pause.ts";
import { raiseHorizon } from "#lib/store/rules/horizon.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import type { Store } from "#lib/store/store.ts";
import { MORE } from "#lib/testing/engines.ts";
import { idOf, spendableAfter } from "#lib/testing/followed-chain.ts";
import { at, type Ledger, native, type OutputPlan } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, open, store, usd } from "#lib/testing/stores.ts";
import type { Holder } from "./asset-holders/contract.ts";
import type { HolderPlace } from "./asset-holders/read.ts";
import { holdersAsOf, sharedHolders } from "./holders-as-of.ts";

const NAMES = ["ann", "bob", "cat", "dan", "eve"];
type Plan = { spend: number[]; create: Created[] }[];
interface Created {
  to: string;
  token: typeof usd | undefined;
  amount: bigint;
  capacity: bigint;
  spendable: false | undefined;
}
const transaction = fc.record({
  spend: fc.array(fc.nat({ max: 40 }), { maxLength: 4 }),
  create: fc.array(
    fc.record({
      to: fc.constantFrom(...NAMES),
      token: fc.constantFrom(undefined, usd),
      amount: fc.constantFrom(0n, 1n, 7n, 2n ** 63n, 2n ** 100n),
      capacity: fc.constantFrom(5n, 100n),
      spendable: fc.constantFrom(undefined, undefined, undefined, false as const),
    }),
    { maxLength: 4 },
  ),
});
const block = fc.array(transaction, { maxLength: 3 });
/** Blocks that replace the last `depth` ones. */
const steps = fc.array(
  fc.record({ depth: fc.nat({ max: 3 }), blocks: fc.array(block, { minLength: 1, maxLength: 3 }) }),
  { minLength: 2, maxLength: 6 },
);

function grow(chain: Ledger, transactions: Plan): void {
  let live = spendableAfter(chain.blocks);
  chain.block(
    transactions.map(({ spend, create }) => {
      const spent = new Set(live.length === 0 ? [] : spend.map((n) => live[n % live.length]!));
      live = live.filter((each) => !spent.has(each));
      const plans = create.map(({ token, spendable, ...plan }): OutputPlan => {
        return { ...plan, ...(token && { token }), ...(spendable === false && { spendable }) };
      });
      return { spend: [...spent].map(({ point }) => point), create: plans };
    }),
  );
}

/** Sums over the outputs that live after these blocks. */
function expected(blocks: readonly Block[], id: string): Holder[] {
  const sums = new Map<string, { key: string; amount: bigint; capacity: bigint; outputCount: number }>();
  for (const { output } of spendableAfter(blocks)) {
    if (idOf(output) !== id) continue;
    const { key, text } = output.address;
    const { amount, capacity, outputCount } = sums.get(text) ?? { amount: 0n, capacity: 0n, outputCount: 0 };
    const sum = { amount: amount + output.amount, capacity: capacity + output.capacity };
    sums.set(text, { key, ...sum, outputCount: outputCount + 1 });
  }
  return [...sums]
    .sort(([, a], [, b]) => (a.amount === b.amount ? (a.key < b.key ? 1 : -1) : a.amount < b.amount ? 1 : -1))
    .map(([address, { amount, capacity, outputCount }]) => {
      return { address, amount: `${amount}`, capacity: `${capacity}`, outputCount };
    });
}

/** Reads all holders after a block, in pages. */
async function holders(from: Store, id: string, { hash }: Block, limit: number, shared = sharedHolders()) {
  const rows: Holder[] = [];
  for (let after: HolderPlace | undefined; ; ) {
    const page = (await from.query(holdersAsOf, { id, at: { hash }, after, limit, shared }))!;
    for (const { address, amount, capacity, outputCount } of page.rows)
      rows.push({ address, amount, capacity, outputCount });
    if (!page.hasNext) return rows;
    after = page.last!;
  }
}

const total = (amounts: bigint[]) => amounts.reduce((all, one) => all + one, 0n);

describeEngines(() => {
  test("holders at every block add up to the supply then, whatever the chain does", {
    timeout: 360_000 * MORE,
  }, async () => {
    const numRuns = store.engine === "sqlite" ? 10 : 3;
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (plan, limit) => {
        const fresh = await open();
        try {
          const shared = sharedHolders();
          let chain = ledger.fork(-1, "main");
          chain.block([{ create: [{ to: "ann", token: usd }, { to: "ann" }] }]);
          await feed(fresh, chain.blocks);
          for (const [i, { depth, blocks }] of plan.entries()) {
            const height = Math.max(0, chain.tip!.height - depth);
            if (depth > 0) chain = chain.fork(height, `branch ${i}`);
            for (const transactions of blocks) grow(chain, transactions);
            await fresh.atomically(async () => {
              await fresh.write(revertTo, height);
              await feed(fresh, chain.blocks.slice(height + 1));
            });
            for (const id of [native.id, usd.id]) {
              for (const [last, block] of chain.blocks.entries()) {
                const then = chain.blocks.slice(0, last + 1);
                const found = await holders(fresh, id, block, limit, shared);
                expect(found).toEqual(expected(then, id));
                const live = spendableAfter(then).filter(({ output }) => idOf(output) === id);
                const supply = total(live.map(({ output }) => output.amount));
                expect(total(found.map(({ amount }) => BigInt(amount)))).toBe(supply);
              }
            }
          }
        } finally {
          await fresh.close();
        }
      }),
      { numRuns: numRuns * MORE },
    );
  });

  test("what an address held stays the same while the chain grows in the middle of a page", async () => {
    const names = Array.from({ length: 3_000 }, (_, n) => `holder ${n}`);
    const pay = (amount: bigint) => names.map((to) => ({ to, token: usd, amount }));
    const first = ledger.block([{ create: pay(5n) }]);
    const second = ledger.block([{ create: pay(7n) }]);
    const third = ledger.block([{ spend: names.map((_, n) => at(first, 0, n)), create: pay(1n) }]);
    await feed(store, ledger.blocks);
    let pausesLeft = 40;
    const growing = () =>
      pauses.run(
        async () => {
          if (pausesLeft-- <= 0) return;
          const n = pausesLeft * 50;
          const spend = Array.from({ length: 50 }, (_, i) => at(third, 0, n + i));
          await feed(store, [
            ledger.block([{ spend, create: [{ to: `new ${n}`, token: usd, amount: 9n }] }]),
          ]);
        },
        () => holders(store, usd.id, second, 1_000),
      );
    const then = ledger.blocks.slice(0, 2);
    expect(await growing()).toEqual(expected(then, usd.id));
    if (store.engine === "sqlite") expect(pausesLeft).toBeLessThan(30);
    expect(await holders(store, usd.id, second, 700)).toEqual(expected(then, usd.id));
  });

  test("a page whose block is replaced meanwhile is refused, and is right if only one above it is", async () => {
    const names = Array.from({ length: 3_000 }, (_, n) => `holder ${n}`);
    ledger.block([{ create: [{ to: "ann", token: usd }] }]);
    const second = ledger.block([{ create: names.map((to) => ({ to, token: usd })) }]);
    const spend = names.map((_, n) => at(second, 0, n));
    ledger.block([{ spend, create: [{ to: "ann", token: usd }] }]);
    for (const height of [1, 0]) {
      await feed(store, ledger.blocks);
      const branch = ledger.fork(height, `branch ${height}`);
      branch.block([{ create: [{ to: "bob", token: usd }] }]);
      let isReplaced = false;
      const replaced = pauses.run(
        async () => {
          if (isReplaced) return;
          isReplaced = true;
          // Nothing can write before the snapshot of the first piece ends.
          await Promise.resolve();
          await store.write(revertTo, height);
          await feed(store, branch.blocks.slice(height + 1));
        },
        () => holders(store, usd.id, second, 1_000),
      );
      if (store.engine === "sqlite" && height === 0) await expect(replaced).rejects.toThrow(ApiError);
      else expect(await replaced).toEqual(expected(ledger.blocks.slice(0, 2), usd.id));
      await store.write(revertTo, 0);
    }
  });

  test("holders of a block that comes back are right, though their addresses have other numbers", async () => {
    const first = ledger.block([{ create: [{ to: "ann", token: usd, amount: 5n }] }]);
    const second = ledger.block([
      {
        create: [
          { to: "bob", token: usd, amount: 7n },
          { to: "cat", token: usd },
        ],
      },
    ]);
    const third = ledger.block([
      { spend: [at(second, 0, 0)], create: [{ to: "ann", token: usd, amount: 7n }] },
    ]);
    ledger.block();
    const later = ledger.block([{ create: [{ to: "cat", token: usd, amount: 9n }] }]);
    await feed(store, [first, second, third]);
    const shared = sharedHolders();
    const then = expected([first, second], usd.id);
    expect(await holders(store, usd.id, second, 10, shared)).toEqual(then);
    await store.write(revertTo, 0);
    await feed(store, [later], { extendTip: false });
    await feed(store, [second, third], { extendTip: false });
    await store.write(revertTo, 2);
    expect(await holders(store, usd.id, second, 10, shared)).toEqual(then);
  });

  test("a block since which too many addresses changed is refused", async () => {
    const names = Array.from({ length: 20 }, (_, n) => `holder ${n}`);
    const first = ledger.block([{ create: names.map((to) => ({ to, token: usd })) }]);
    const second = ledger.block([{ create: names.slice(1).map((to) => ({ to, token: usd })) }]);
    const third = ledger.block([{ create: names.map((to) => ({ to, token: usd })) }]);
    await feed(store, ledger.blocks);
    const few = () => holders(store, usd.id, second, 10, sharedHolders(19));
    await expect(few()).rejects.toMatchObject({
      code: "BAD_REQUEST",
      issues: [{ path: ["query", "at"], code: "too_far" }],
    });
    expect(await holders(store, usd.id, third, 10, sharedHolders(19))).toHaveLength(20);
    await expect(holders(store, usd.id, first, 10, sharedHolders(19))).rejects.toThrow(ApiError);
    expect(await holders(store, usd.id, first, 10, sharedHolders(20))).toHaveLength(20);
  });

  test("holders are as before from the horizon on, and are refused below it", async () => {
    const first = ledger.block([{ create: NAMES.map((to) => ({ to, token: usd })) }]);
    const spend = [0, 1, 2].map((n) => at(first, 0, n));
    const second = ledger.block([{ spend, create: [{ to: "bob", token: usd, amount: 3n }] }]);
    const blocks = [first, second];
    for (let n = 0; n < 6; n++) blocks.push(ledger.block([{ create: [{ to: "ann", token: usd }] }]));
    await feed(store, blocks);
    await store.write(raiseHorizon, 1);
    for (const [last, block] of blocks.entries()) {
      const found = holders(store, usd.id, block, 2);
      if (last > 0) expect(await found).toEqual(expected(blocks.slice(0, last + 1), usd.id));
      else await expect(found).rejects.toMatchObject({ issues: [{ code: "not_kept" }] });
    }
  });

  test("an asset that came later had no holders, and one that no block mentions has no list", async () => {
    const first = ledger.block([{ create: [{ to: "ann" }] }]);
    ledger.block([{ create: [{ to: "bob", token: usd }] }]);
    await feed(store, ledger.blocks);
    expect(await holders(store, usd.id, first, 10)).toEqual([]);
    const query = {
      id: outPointText(at(first, 0, 0)),
      at: "tip" as const,
      limit: 1,
      shared: sharedHolders(),
    };
    expect(await store.query(holdersAsOf, { ...query, after: undefined })).toBeNull();
  });
});

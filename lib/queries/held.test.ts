import { expect, test } from "vitest";
import type { Output } from "#lib/contract/ledger.ts";
import type { Query } from "#lib/store/query.ts";
import { firstId } from "#lib/store/transaction-id.ts";
import { at, keyOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store, text, U128_MAX, usd } from "#lib/testing/stores.ts";
import { type HeldSum, heldBefore } from "./held.ts";

const OWNERS = Array.from({ length: 20 }, (_, i) => `owner ${i}`);
const HEIGHTS = [0, 1, 2, 3, 4, 5];

/** Each block pays all owners, whose outputs without a token are spent by the next one. */
function payments(): void {
  for (const height of HEIGHTS) {
    const last = ledger.tip;
    const create = OWNERS.flatMap((to) => [
      { to },
      { to, token: usd, amount: height % 2 ? U128_MAX : 2n ** 63n - 1n },
    ]);
    ledger.block([{ create, spend: last ? OWNERS.map((_, i) => at(last, 0, 2 * i)) : [] }]);
  }
}

/** Replays the blocks. Returns the outputs, amount and capacity that the owners held after each, by token. */
function replayed(owners: readonly string[]): Map<string, [number, bigint, bigint]>[] {
  const keys = owners.map(keyOf);
  const live = new Map<string, Output>();
  return ledger.blocks.map(({ transactions }) => {
    for (const { hash, inputs, outputs } of transactions) {
      for (const input of inputs) live.delete(text(input));
      for (const [outputIndex, output] of outputs.entries()) {
        if (keys.includes(output.address.key)) live.set(text({ transactionHash: hash, outputIndex }), output);
      }
    }
    const held = new Map<string, [number, bigint, bigint]>();
    for (const { token, amount, capacity } of live.values()) {
      const sums = held.get(token?.id ?? "native") ?? [0, 0n, 0n];
      held.set(token?.id ?? "native", [sums[0] + 1, sums[1] + amount, sums[2] + capacity]);
    }
    return held;
  });
}

/** Reads the holdings of owners after a block, and counts the statements. `pause`: what happens while other requests run. */
async function heldAfter(height: number, owners: readonly string[], pause?: () => Promise<void>) {
  let statements = 0;
  const query: Query<void, Map<number, HeldSum>> = {
    effort: "snapshot",
    read(db) {
      const all: typeof db.all = (statement) => {
        statements += 1;
        return db.all(statement);
      };
      const reader = Object.create(db, { all: { value: all }, ...(pause && { pause: { value: pause } }) });
      return heldBefore(reader, owners.map(keyOf), firstId(height + 1));
    },
  };
  const held = [...(await store.query(query)).values()];
  return {
    statements,
    held: held.map(({ outputCount, amount, capacity }) => [outputCount, amount, capacity]),
  };
}

const inOrder = (sums: Iterable<unknown[]>) => [...sums].map((each) => each.join()).sort();

describeEngines(() => {
  test("after any block, 20 addresses take no more statements than two", async () => {
    payments();
    await feed(store, ledger.blocks);
    const states = replayed(OWNERS);
    for (const height of HEIGHTS) {
      const ofTwo = await heldAfter(height, OWNERS.slice(0, 2));
      const { held, statements } = await heldAfter(height, OWNERS);
      expect(inOrder(held)).toEqual(inOrder(states[height]!.values()));
      // SQLite has cached the block by now.
      expect(statements).toBeLessThanOrEqual(ofTwo.statements);
    }
  });

  test("addresses that have spent everything since count for the blocks before", async () => {
    // The first transaction of all would begin a run of touches.
    ledger.block();
    ledger.block([{ create: [{ to: "ann" }, { to: "bob", token: usd }] }]);
    ledger.block([{ spend: [at(ledger.tip!, 0, 0), at(ledger.tip!, 0, 1)] }]);
    await feed(store, ledger.blocks);
    for (const [height, state] of replayed(["ann", "bob"]).entries()) {
      expect(inOrder((await heldAfter(height, ["ann", "bob"])).held)).toEqual(inOrder(state.values()));
    }
  });

  test("addresses with too many outputs for one statement are summed up with the others", async () => {
    payments();
    for (const to of ["ann", "bob"]) ledger.block([{ create: new Array(20_001).fill({ to, capacity: 7n }) }]);
    ledger.block([
      { spend: [at(ledger.tip!, 0, 3), at(ledger.tip!, 0, 20_000)], create: [{ to: "ann", token: usd }] },
    ]);
    await feed(store, ledger.blocks);
    const all = ["ann", ...OWNERS, "bob", "nobody"];
    for (const [height, state] of replayed(all).entries()) {
      expect(inOrder((await heldAfter(height, all)).held)).toEqual(inOrder(state.values()));
    }
  });

  test("addresses that nothing has touched since take fewer statements", async () => {
    for (let i = 0; i < 4; i++) ledger.block([{ create: OWNERS.map((to) => ({ to })) }]);
    ledger.block([{ create: [{ to: "ann" }] }]);
    await feed(store, ledger.blocks);
    const states = replayed(OWNERS);
    // In SQLite, the first read caches the block.
    for (const height of [4, 3, 2]) {
      const { held } = await heldAfter(height, OWNERS);
      expect(inOrder(held)).toEqual(inOrder(states[height]!.values()));
    }
    const [touched, untouched] = [await heldAfter(2, OWNERS), await heldAfter(3, OWNERS)];
    expect(untouched.statements).toBeLessThan(touched.statements);
  });

  test("a block that comes while other requests run does not count", async () => {
    const create = (to: string, count: number) => [{ create: new Array(count).fill({ to, capacity: 7n }) }];
    // Ann is read first, because she has fewer outputs.
    ledger.block(create("bob", 20_002));
    const { height } = ledger.block(create("ann", 20_000));
    ledger.block(create("ann", 1));
    await feed(store, ledger.blocks);
    const state = replayed(["ann", "bob"])[height]!;
    const next = [ledger.block(create("bob", 1))];
    const pause = async () => {
      await feed(store, next.splice(0));
    };
    expect(inOrder((await heldAfter(height, ["ann", "bob"], pause)).held)).toEqual(inOrder(state.values()));
    expect(next).toEqual([]);
  });

  test("amounts that come while other requests run may add up to more than 64 bits", async () => {
    const create = (to: string, count: number) => [{ create: new Array(count).fill({ to, capacity: 7n }) }];
    // Ann is read first, in two pieces. The others are read together.
    const others = ["bob", "carl"];
    ledger.block(others.flatMap((to) => create(to, 20_003)));
    const { height } = ledger.block(create("ann", 20_002));
    ledger.block(create("ann", 1));
    await feed(store, ledger.blocks);
    const owners = ["ann", ...others];
    const state = replayed(owners)[height]!;
    const next = [
      ledger.block([{ create: others.map((to) => ({ to, token: usd, amount: 2n ** 63n - 1n })) }]),
    ];
    const pause = async () => {
      await feed(store, next.splice(0));
    };
    expect(inOrder((await heldAfter(height, owners, pause)).held)).toEqual(inOrder(state.values()));
    expect(next).toEqual([]);
  });
});

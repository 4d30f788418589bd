import { expect, test } from "vitest";
import { revertTo } from "#lib/store/rules/revert.ts";
import { at, keyOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { MAX_VISIT_TRANSACTIONS, sinceVisits } from "./visits.ts";

describeEngines(() => {
  test("since a visit, the transactions that touched an address count, and their outputs", async () => {
    const first = ledger.block([{ create: [{ to: "ann" }, { to: "bob" }] }]);
    ledger.block([
      { spend: [at(first, 0, 0)], create: [{ to: "ann" }, { to: "ann" }] },
      { create: [{ to: "bob" }] },
    ]);
    const tip = ledger.block([{ create: [{ to: "ann" }] }]);
    await feed(store, ledger.blocks);
    const visit = (to: string, { height, hash }: { height: number; hash: string }) => {
      return { addressKey: keyOf(to), height, hash };
    };
    const ask = () =>
      store.query(sinceVisits, [
        visit("ann", first),
        visit("bob", first),
        visit("ann", tip),
        visit("eve", first),
      ]);
    const nothing = { isReplaced: false, isMore: false, transactions: 0, created: 0, spent: 0 };
    expect(await ask()).toEqual([
      { isReplaced: false, isMore: false, transactions: 2, created: 3, spent: 1 },
      { isReplaced: false, isMore: false, transactions: 1, created: 1, spent: 0 },
      nothing,
      nothing,
    ]);
    await store.write(revertTo, 1);
    expect((await ask())[2]).toEqual({ ...nothing, isReplaced: true });
    const ahead = visit("ann", { height: 9, hash: `0x${"ab".repeat(32)}` });
    expect(await store.query(sinceVisits, [ahead])).toEqual([{ ...nothing, isMore: true }]);
    const many = ledger.fork(1, "many");
    many.block(Array.from({ length: MAX_VISIT_TRANSACTIONS + 1 }, () => ({ create: [{ to: "ann" }] })));
    await feed(store, many.blocks.slice(2));
    expect((await ask()).slice(0, 3)).toMatchObject([
      { transactions: MAX_VISIT_TRANSACTIONS, created: MAX_VISIT_TRANSACTIONS + 1, spent: 1 },
      { isReplaced: false },
      // Its block was replaced, so the counts begin with the fork.
      { isReplaced: true, transactions: MAX_VISIT_TRANSACTIONS },
    ]);
  });
});

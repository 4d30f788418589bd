import { expect, test } from "vitest";
import { transactionIds } from "#lib/store/outputs.ts";
import type { Query } from "#lib/store/query.ts";
import { at, native } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store, usd } from "#lib/testing/stores.ts";
import { type ListedOutput, outputsFrom, outputsInOne } from "./listed-outputs.ts";

describeEngines(() => {
  test("one statement, several, and several on a cluster have the same result", async () => {
    const first = ledger.block([
      { create: [{ to: "ann" }, { to: "bob", token: usd }, { to: "cat", spendable: false }] },
    ]);
    const second = ledger.block([{ spend: [at(first, 0, 1)], create: [{ to: "ann" }] }]);
    const third = ledger.block([{ spend: [at(second, 0, 0), at(first, 0, 0)] }]);
    await feed(store, ledger.blocks);
    const read = (isFar: boolean): Query<["inputs" | "outputs", string], ListedOutput[]> => ({
      effort: "snapshot",
      *read(db, [side, hash]) {
        const id = (yield* transactionIds(db, [hash])).get(hash)!;
        const reader = db.engine === "postgres" ? { ...db, distributed: isFar } : db;
        return yield* outputsFrom(reader, side, { id, hash, from: 0, limit: 9 }, Number.MAX_SAFE_INTEGER);
      },
    });
    const inOne: Query<["inputs" | "outputs", string], ListedOutput[] | undefined> = {
      effort: "look-up",
      *read(db, [side, hash]) {
        return (yield* outputsInOne(db, side, { hash, from: 0, limit: 9 }))?.rows;
      },
    };
    for (const side of ["inputs", "outputs"] as const) {
      for (const { transactions } of ledger.blocks) {
        const { hash } = transactions[0]!;
        const several = await store.query(read(false), [side, hash]);
        expect(await store.query(read(true), [side, hash])).toEqual(several);
        if (store.engine === "postgres") expect(await store.query(inOne, [side, hash])).toEqual(several);
      }
    }
    const [ann, bob, cat] = await store.query(read(true), ["outputs", first.transactions[0]!.hash]);
    expect(ann).toMatchObject({
      ...{ token: { id: native.id }, owner: { text: "address-of-ann" }, height: 0 },
      spent: { transactionHash: third.transactions[0]!.hash, height: 2, timestamp: third.timestamp },
    });
    expect(bob!.spent!.transactionHash).toBe(second.transactions[0]!.hash);
    expect([cat!.spent, cat!.isUnspendable]).toEqual([null, true]);
  });
});

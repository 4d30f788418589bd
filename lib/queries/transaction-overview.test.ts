import { expect, test } from "vitest";
import { at, hashOf, native } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store, U128_MAX, usd } from "#lib/testing/stores.ts";
import { transactionOverview } from "./transaction-overview.ts";

describeEngines(() => {
  test("a transaction has its block, and its outputs with what became of them", async () => {
    const first = ledger.block([
      {},
      {
        create: [
          { to: "ann", capacity: 7n },
          { to: "bob", token: usd, amount: U128_MAX, capacity: 142n },
          { to: "ann" },
        ],
      },
    ]);
    const second = ledger.block([{ spend: [at(first, 1, 0)], create: [{ to: "cat" }] }]);
    await feed(store, ledger.blocks);
    const { hash } = first.transactions[1]!;
    const { timestamp } = first;
    expect(await store.query(transactionOverview, { hash, from: 0, limit: 2 })).toMatchObject({
      place: { block: { height: 0, hash: first.hash, timestamp }, index: 1 },
      outputCount: 3,
      outputs: [
        {
          outputIndex: 0,
          owner: { text: "address-of-ann" },
          token: { id: native.id, symbol: "CKB" },
          amount: "7",
          capacity: "7",
          spent: { transactionHash: second.transactions[0]!.hash, height: 1, timestamp: second.timestamp },
        },
        {
          outputIndex: 1,
          owner: { text: "address-of-bob" },
          token: { id: usd.id },
          amount: String(U128_MAX),
          capacity: "142",
          spent: null,
        },
      ],
    });
    const rest = await store.query(transactionOverview, { hash, from: 2, limit: 9 });
    expect(rest!.outputs.map(({ outputIndex }) => outputIndex)).toEqual([2]);
    expect(await store.query(transactionOverview, { hash: hashOf("none"), from: 0, limit: 9 })).toBeNull();
  });
});

import { expect, test } from "vitest";
import { LEAST_END } from "#lib/contract/chain.ts";
import { Ledger } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { addressesLike, blocksStarting, transactionsStarting } from "./starts.ts";

describeEngines(() => {
  test("blocks, transactions in all segments of blocks, and addresses are found by their first characters", async () => {
    const early = new Ledger("early", [], 7);
    const first = early.block([{ create: [{ to: "ann", capacity: 5n }, { to: "anton" }] }]);
    // Another segment of blocks in SQLite's index.
    const late = new Ledger("late", [], 7 + 3 * 2 ** 17);
    const second = late.block([{ create: [{ to: "bob" }] }]);
    await feed(store, [second]);
    await feed(store, [first], { extendTip: false });

    for (const { hash, height, timestamp, transactions } of [first, second]) {
      for (const digits of [8, 9, 63]) {
        const start = hash.slice(2, 2 + digits);
        expect(await store.query(blocksStarting, { start, limit: 5 })).toEqual([{ height, hash, timestamp }]);
        const [transaction] = transactions;
        const wanted = { start: transaction!.hash.slice(2, 2 + digits), limit: 5 };
        expect(await store.query(transactionsStarting, wanted)).toEqual([transaction!.hash]);
        expect(await store.query(transactionsStarting, { start, limit: 5 })).toEqual([]);
      }
    }
    expect(await store.query(blocksStarting, { start: "", limit: 1 })).toHaveLength(1);
    expect(await store.query(transactionsStarting, { start: "", limit: 1 })).toHaveLength(1);
    const addresses = (start: string, limit = 5) => store.query(addressesLike, { start, end: "", limit });
    expect(await addresses("address-of-an")).toEqual(["address-of-ann", "address-of-anton"]);
    expect(await addresses("address-of-", 2)).toEqual(["address-of-ann", "address-of-anton"]);
    expect(await addresses("address-of-bob")).toEqual(["address-of-bob"]);
    expect(await addresses("address-of-bobby")).toEqual([]);
  });

  test("addresses are found by any of their ends, and by their starts and ends together", async () => {
    const names = ["left-to-reader", "right-to-reader", "right-to-writer"];
    await feed(store, [ledger.block([{ create: names.map((to) => ({ to })) }])]);
    const texts = names.map((name) => `address-of-${name}`);
    const like = (start: string, end: string, limit = 5) => store.query(addressesLike, { start, end, limit });
    for (const text of texts) {
      for (let at = 0; at <= text.length - LEAST_END; at++) {
        const end = text.slice(at);
        const sought = texts.filter((each) => each.endsWith(end));
        expect(await like("", end), end).toEqual(sought);
        const start = text.slice(0, 14);
        expect(await like(start, end), `${start}…${end}`).toEqual(
          sought.filter((each) => each.startsWith(start)),
        );
      }
    }
    expect(await like("", "reader", 1)).toHaveLength(1);
    expect(await like("", `longer-than-${texts[0]}`)).toEqual([]);
    expect(await like("", "_eader")).toEqual([]);
    expect(await like("address_of", "reader")).toEqual([]);
  });
});

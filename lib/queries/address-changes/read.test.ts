import { expect, test } from "vitest";
import { type Block, outPointText } from "#lib/contract/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { counted } from "#lib/testing/counted.ts";
import { keyOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import type { Rows } from "../walk.ts";
import { type ChangePlace, type ChangeRow, changesOfAddresses } from "./read.ts";

type Page = Rows<ChangeRow, ChangePlace>;

const created = (blocks: Block[]): string[] =>
  blocks.flatMap(({ transactions }) =>
    transactions.flatMap(({ hash: transactionHash, outputs }) =>
      outputs.map((_, outputIndex) => outPointText({ transactionHash, outputIndex })),
    ),
  );

describeEngines(() => {
  test("a page reads few rows of a hundred transactions with many outputs, and a whole list reads each row once", async () => {
    for (let i = 0; i < 100; i++) ledger.block([{ create: new Array(50).fill({ to: "ann" }) }]);
    await feed(store, ledger.blocks);
    const { query, rows } = counted(changesOfAddresses);
    const ask = (after?: ChangePlace) =>
      store.query(query, { addressKeys: [keyOf("ann")], after, limit: 100 });
    let page = await ask();
    expect(page.hasNext).toBe(true);
    expect(rows.read).toBeLessThan(1_000);
    const found = page.rows.map(outPointText);
    while (page.hasNext) {
      page = await ask(page.last!);
      found.push(...page.rows.map(outPointText));
    }
    expect(found).toEqual(created(ledger.blocks));
    // Each change is read once, and a few more rows for each page.
    expect(rows.read).toBeLessThan(1.5 * found.length);
  });

  test("changes of several addresses come in order, however unevenly they are used, and few rows are read", async () => {
    for (let i = 0; i < 400; i++) {
      const owners = ["ann", ...(i % 40 === 3 ? ["bob"] : []), ...(i > 390 ? ["cay", "dan"] : [])];
      ledger.block([{ create: owners.map((to) => ({ to })) }]);
    }
    await feed(store, ledger.blocks);
    const whole = created(ledger.blocks);
    const addressKeys = ["nobody", "cay", "bob", "ann", "dan"].map(keyOf);
    for (const order of [undefined, "desc"] as const) {
      const { query, rows } = counted(changesOfAddresses);
      const found: string[] = [];
      for (let page: Partial<Page> = { hasNext: true }; page.hasNext; ) {
        page = await store.query(query, { addressKeys, order, after: page.last ?? undefined, limit: 50 });
        found.push(...page.rows!.map(outPointText));
      }
      expect(found).toEqual(order ? whole.toReversed() : whole);
      // A change takes a touch, an output and a hash; a page begins anew, unless the one before has read ahead.
      expect(rows.read).toBeLessThan(5 * found.length);
    }
  });

  test("a whole list does not change when blocks are added, and fails when one of its blocks is replaced", async () => {
    for (let i = 0; i < 10; i++) ledger.block([{ create: new Array(50).fill({ to: "ann" }) }]);
    await feed(store, ledger.blocks);
    const whole = created(ledger.blocks);
    const ask = (limit: number, { last, asOf }: Partial<Page> = {}) =>
      store.query(changesOfAddresses, {
        addressKeys: [keyOf("ann")],
        after: last ?? undefined,
        state: asOf,
        limit,
      });
    const page = await ask(100);
    await feed(store, [ledger.block([{ create: [{ to: "ann" }] }])]);
    const rest = await ask(1_000, page);
    expect([...page.rows, ...rest.rows].map(outPointText)).toEqual(whole);
    const other = ledger.fork(4, "other");
    for (let i = 0; i < 10; i++) other.block([{ create: [{ to: "ann" }] }]);
    await store.write(revertTo, 4);
    await feed(store, other.blocks.slice(5));
    await expect(ask(100, page)).rejects.toMatchObject({ issues: [{ code: "replaced", height: 4 }] });
  });
});

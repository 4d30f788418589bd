import { expect, test } from "vitest";
import { counted } from "#lib/testing/counted.ts";
import { keyOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import { statementOfAddresses } from "./read.ts";

describeEngines(() => {
  test("a page of one line reads few transactions, even if its block has ten", async () => {
    const plan = { create: new Array(10).fill({ to: "ann" }) };
    for (let i = 0; i < 50; i++) ledger.block(new Array(10).fill(plan));
    await feed(store, ledger.blocks);
    const { query, rows } = counted(statementOfAddresses);
    const page = await store.query(query, {
      addressKeys: [keyOf("ann")],
      token: undefined,
      from: undefined,
      to: undefined,
      value: undefined,
      limit: 1,
    });
    expect([page.rows.length, page.hasNext]).toEqual([1, true]);
    expect(rows.read).toBeLessThan(1_000);
  });
});

import { expect, test } from "vitest";
import { asker } from "#lib/testing/ask.ts";
import { counted } from "#lib/testing/counted.ts";
import { at, keyOf, native } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store, usd } from "#lib/testing/stores.ts";
import { addressOf, addressText } from "#lib/testing/v0.ts";
import { statementOfAddresses } from "./address-statement/read.ts";

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

  test("a page of a wallet reads no further than it has lines", async () => {
    const owners = Array.from({ length: 20 }, (_, i) => `owner ${i}`);
    for (let i = 0; i < 400; i++) ledger.block([{ create: [{ to: owners[i % owners.length]! }] }]);
    await feed(store, ledger.blocks);
    const { query, rows } = counted(statementOfAddresses);
    const page = await store.query(query, { addressKeys: owners.map(keyOf), limit: 100 });
    expect([page.rows.length, page.hasNext]).toEqual([100, true]);
    // The touches of twice as many transactions, what these create, and the blocks of the lines.
    expect(rows.read).toBeLessThan(2 * 200 + 100 + 100);
  });

  test("outputs that nobody can ever spend have no lines", async () => {
    const live = { to: addressOf(1), capacity: 100n };
    const lost = { ...live, capacity: 7n, spendable: false } as const;
    const first = ledger.block([{ create: [live, lost, { ...lost, token: usd }] }]);
    ledger.block([{ create: [lost] }, { create: [{ ...lost, token: usd }] }]);
    ledger.block([{ spend: [at(first, 0, 0)], create: [lost, { ...live, capacity: 60n }] }]);
    await feed(store, ledger.blocks);
    const ask = await asker(store);
    const lines = [
      { height: 0, token: native.id, opening: "0", in: "100", out: "0", closing: "100" },
      { height: 2, token: native.id, opening: "100", in: "0", out: "40", closing: "60" },
    ];
    const address = addressText(1);
    for (const search of [{ per: "transaction" }, {}] as Record<string, string>[]) {
      const { result, holdings } = await ask("addressStatement", { address }, search);
      expect(result).toMatchObject(lines);
      expect(holdings).toEqual([{ token: native.id, amount: "60" }]);
      const newest = await ask("addressStatement", { address }, { ...search, order: "desc" });
      expect(newest.result).toMatchObject(lines.toReversed());
    }
  });
});

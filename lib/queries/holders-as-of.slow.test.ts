import { expect, test } from "vitest";
import { pauses } from "#lib/store/pause.ts";
import { at } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store, usd } from "#lib/testing/stores.ts";
import type { HolderPlace } from "./asset-holders/read.ts";
import { holdersAsOf, sharedHolders } from "./holders-as-of.ts";

const OUTPUTS = 40_000;
const HOLDERS = 10_000;
const each = <T>(length: number, of: (n: number) => T) => Array.from({ length }, (_, n) => of(n));

describeEngines(() => {
  test("holders before transactions of 40,000 inputs and outputs are read in pieces", {
    timeout: 300_000,
  }, async () => {
    ledger.block([{ create: [{ to: "ann", token: usd }] }]);
    const many = ledger.block([
      { create: each(OUTPUTS, (n) => ({ to: `holder ${n % HOLDERS}`, token: usd, amount: BigInt(n) })) },
    ]);
    ledger.block([
      { spend: each(OUTPUTS, (n) => at(many, 0, n)), create: each(OUTPUTS, (n) => ({ to: `other ${n}` })) },
    ]);
    await feed(store, ledger.blocks);
    const shared = sharedHolders();
    const amounts: string[] = [];
    let pieces = 0;
    await pauses.run(
      async () => void pieces++,
      async () => {
        for (let after: HolderPlace | undefined; ; ) {
          const query = { id: usd.id, at: { height: 1 }, after, limit: 1_000, shared };
          const page = (await store.query(holdersAsOf, query))!;
          amounts.push(...page.rows.map(({ amount }) => amount));
          if (!page.hasNext) break;
          after = page.last!;
        }
      },
    );
    const sums = each(HOLDERS, (n) => String(4 * n + (0 + 1 + 2 + 3) * HOLDERS)).reverse();
    expect(amounts).toEqual([...sums, "1"]);
    if (store.engine === "sqlite") expect(pieces).toBeGreaterThan((3 * OUTPUTS) / 10_000);
  });
});

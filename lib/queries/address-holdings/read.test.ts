import { expect, test } from "vitest";
import { encodeAddress, parseAddress } from "#lib/chains/ckb/address.ts";
import { account } from "#lib/chains/ckb/testing/cells.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { asker } from "#lib/testing/ask.ts";
import { tokenOf } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, store } from "#lib/testing/stores.ts";
import type { HoldingEntry } from "./contract.ts";

const address = encodeAddress(account("ann"), "testnet");

describeEngines(() => {
  test("a walk lists each holding with an unchanged value once while prices are loaded", async () => {
    const tokens = ["a", "b", "c", "d", "e", "f"].map((name) => tokenOf(name));
    const to = parseAddress(address, "testnet");
    const { timestamp: time } = ledger.block([{ create: tokens.map((token) => ({ to, token })) }]);
    await feed(store, ledger.blocks);
    const priced = (number: number, usd: bigint) =>
      store.write(loadPrices, [{ assetId: tokens[number]!.id, time, usd: usd * 10n ** 18n }]);
    for (const [number, usd] of [9n, 8n, 7n].entries()) await priced(number, usd);
    const ask = await asker(store);

    const walked: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await ask("addressHoldings", { address }, { pageSize: "2", cursor });
      walked.push(...(page.result as HoldingEntry[]).map(({ token }) => token));
      if (!page.hasNext) break;
      cursor = page.lastCursor;
      // One holding moves to the top of the list, and then the first one to its end.
      if (walked.length === 2) await priced(5, 100n);
      if (walked.length === 4) await priced(0, 0n);
    }
    const steady = [1, 2, 3, 4].map((number) => tokens[number]!.id);
    expect(walked.filter((id) => steady.includes(id)).sort()).toEqual(steady.sort());
  });
});

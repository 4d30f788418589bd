import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Session } from "#lib/store/postgres/session.ts";
import { replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { engines } from "#lib/testing/engines.ts";
import { Ledger, native, type TransactionPlan, tokenOf } from "#lib/testing/ledger.ts";
import { changeQuery, describeEngines, feed, ledger, store, utxoQuery } from "#lib/testing/stores.ts";
import { utxosOfAddress } from "./address-utxos/read.ts";
import { assetChangesOfBlock } from "./block-asset-changes/read.ts";
import type { AssetChangeRow } from "./change-rows.ts";
import type { ChangeFilters } from "./change-selection.ts";
import { assetChangesOfRange } from "./range-asset-changes/read.ts";
import { tokensByAssetId } from "./tokens.ts";

const tokens = Array.from({ length: 4 }, (_, i) => tokenOf(`t${i}`));
const gift = (to: string, i: number): TransactionPlan => ({
  create: [{ to, token: tokens[i]!, amount: 7n }],
});
/** Sorts as `orderKey=volume` does. */
const byVolume = <Row extends { amountUsd: string }>(rows: readonly Row[]) =>
  rows.toSorted((one, other) => Number(BigInt(other.amountUsd) - BigInt(one.amountUsd)));
/** Takes steps in any order. */
const takingAny = <Step>(
  step: fc.Arbitrary<Step>,
  length: fc.ArrayConstraints,
  take: (step: Step) => Promise<void>,
) =>
  fc.assert(
    fc.asyncProperty(fc.array(step, length), async (steps) => {
      for (const each of steps) await take(each);
    }),
    { numRuns: 20 },
  );
const renamed = (name: string) => tokens.map(({ id }) => ({ id, name }));

describeEngines(() => {
  test("pages show tokens as they are, whatever was read and written before", async () => {
    const step = fc.record({
      act: fc.constantFrom("pay", "rename", "outputs", "changes"),
      who: fc.constantFrom("ann", "bob"),
      token: fc.nat({ max: tokens.length - 1 }),
    });
    await feed(store, [ledger.block([gift("ann", 0), gift("ann", 1), gift("bob", 2), gift("bob", 3)])]);
    let names = 0;
    await takingAny(step, { maxLength: 12 }, async ({ act, who, token }) => {
      if (act === "pay") await feed(store, [ledger.block([gift(who, token)])]);
      if (act === "rename") await store.write(replaceRegistry, renamed(`Name ${names++}`));
      const now = await store.query(tokensByAssetId, [native.id, ...tokens.map(({ id }) => id)]);
      const { rows: outputs } = await store.query(utxosOfAddress, utxoQuery(who, { limit: 1 + token }));
      if (act === "outputs") for (const row of outputs) expect(row.token).toEqual(now.get(row.token.id));
      if (act !== "changes") return;
      const { rows: changes } = (await store.query(assetChangesOfBlock, changeQuery(ledger.tip!)))!;
      for (const { asset } of changes) expect(asset.name).toBe(now.get(asset.id)!.name);
    });
  });

  test("pages of a list in another order are of the newest state, however often they are read", async () => {
    const step = fc.record({
      act: fc.constantFrom("pay", "price", "rename", "read", "read", "read"),
      token: fc.nat({ max: tokens.length - 1 }),
      usd: fc.bigInt(1n, 9n),
      ranged: fc.boolean(),
      assetName: fc.constantFrom("", "1"),
      page: fc.nat({ max: 2 }),
    });
    const paid = ledger.block(tokens.map((_, i) => gift("ann", i)));
    await feed(store, [paid]);
    let times = 0;
    await takingAny(step, { minLength: 8, maxLength: 16 }, async (each) => {
      const { act, token, usd, ranged, assetName, page } = each;
      if (act === "pay") await feed(store, [ledger.block([gift("bob", token)])]);
      if (act === "rename") await store.write(replaceRegistry, renamed(`Name ${times++}`));
      const price = { assetId: tokens[token]!.id, time: times++, usd: usd * 10n ** 18n };
      if (act === "price") await store.write(loadPrices, [price]);
      if (act !== "read") return;
      const { blockHash, ...all } = { ...changeQuery(paid), assetName, limit: 10 };
      const ask = async (query: Pick<ChangeFilters, "offset" | "limit" | "volumeOrder">) =>
        ranged
          ? await store.query(assetChangesOfRange, { ...all, ...query })
          : (await store.query(assetChangesOfBlock, { ...all, ...query, blockHash }))!;
      const whole = await ask(all);
      const shown = await ask({ offset: 2 * page, limit: 2, volumeOrder: "desc" });
      expect(shown.rows).toEqual(byVolume<AssetChangeRow>(whole.rows).slice(2 * page, 2 * page + 2));
      expect(shown.total).toBe(whole.rows.length);
    });
  });
});

describe.each(engines.filter(({ name }) => name === "PostgreSQL"))("on $name", ({ open }) => {
  afterEach(() => void vi.restoreAllMocks());

  test("a page that lacks a token is of one state, even if the token changes meanwhile", async () => {
    const store = await open();
    const chain = new Ledger();
    await feed(store, [chain.block([gift("ann", 0), gift("bob", 0), gift("bob", 1)])]);
    const namesOf = async (to: string) => {
      const { rows } = await store.query(utxosOfAddress, utxoQuery(to));
      return rows.map(({ token }) => token.name);
    };
    expect(await namesOf("ann")).toEqual([""]);
    const { all } = Session.prototype;
    const spy = vi.spyOn(Session.prototype, "all").mockImplementation(async function (this: Session, query) {
      const rows = await all.call(this, query);
      spy.mockImplementation(all);
      await store.write(replaceRegistry, renamed("Renamed"));
      return rows as never[];
    });
    expect(await namesOf("bob")).toEqual(["Renamed", "Renamed"]);
    expect(spy.mock.calls.length).toBeGreaterThan(2);
    await store.close();
  });
});

import { expect, test } from "vitest";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { assetById } from "#lib/queries/assets/read.ts";
import { holdersAsOf, sharedHolders } from "#lib/queries/holders-as-of.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { run, statementWith } from "#lib/store/statement.ts";
import type { Store } from "#lib/store/store.ts";
import { at, keyOf, native, type OutputPlan } from "#lib/testing/ledger.ts";
import { describeEngines, feed, ledger, nft, store, U128_MAX, usd } from "#lib/testing/stores.ts";
import type { Holder } from "./contract.ts";

async function pages(
  of: Store,
  id: string,
  limit: number,
  between: () => Promise<unknown> = async () => {},
): Promise<Holder[]> {
  const rows: Holder[] = [];
  const shared = sharedHolders();
  for (let place = {}; ; ) {
    const page = (await of.query(holdersAsOf, { id, limit, shared, ...place }))!;
    rows.push(...page.rows);
    if (!page.hasNext) return rows;
    place = { after: page.last, state: page.asOf };
    await between();
  }
}

const amountOf = ({ amount }: Holder) => BigInt(amount);
const sum = (amounts: bigint[]) => amounts.reduce((all, one) => all + one, 0n);

/** Amounts around each size at which an engine stores them differently. */
const AMOUNTS = [
  ...[0n, 1n, 9n, 10n, 10n ** 18n, 10n ** 19n - 1n, 10n ** 19n, 10n ** 20n, U128_MAX / 4n],
  ...[2n ** 53n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 63n + 1n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 100n],
];

describeEngines(() => {
  test("holders come with the largest amount first, at any size, and add up to the supply", async () => {
    const create = AMOUNTS.flatMap((amount, n): OutputPlan[] =>
      ["ann", "bob", "cat"].map((name) => ({ to: `${name} ${n}`, token: usd, amount })),
    );
    await feed(store, [ledger.block([{ create }])]);
    const all = await pages(store, usd.id, 1000);
    const sorted = create.map(({ amount }) => amount!).sort((one, other) => (one < other ? 1 : -1));
    expect(all.map(amountOf)).toEqual(sorted);
    expect(new Set(all.map(({ address }) => address)).size).toBe(create.length);
    for (const limit of [1, 2, 3, 7]) expect(await pages(store, usd.id, limit)).toEqual(all);
    const { asset } = (await store.query(assetById, usd.id))!;
    expect(asset).toMatchObject({ holderCount: create.length, outputCount: create.length });
    expect(sum(all.map(amountOf)).toString()).toBe(asset.token.totalSupply);
  });

  test("the native asset's holders have the capacity of plain outputs", async () => {
    await feed(store, [
      ledger.block([
        {
          create: [
            { to: "ann", capacity: 7n },
            { to: "bob", capacity: 5n },
            { to: "bob", token: usd, capacity: 11n },
            { to: "bob", token: nft, capacity: 13n },
          ],
        },
      ]),
    ]);
    const holders = await pages(store, native.id, 10);
    expect(holders).toMatchObject([
      { address: "address-of-ann", amount: "7", capacity: "7", outputCount: 1 },
      { address: "address-of-bob", amount: "5", capacity: "5", outputCount: 1 },
    ]);
    expect(await pages(store, nft.id, 10)).toMatchObject([{ amount: "1", capacity: "13", outputCount: 1 }]);
    const { asset } = (await store.query(assetById, native.id))!;
    expect(asset).toMatchObject({ holderCount: 2, outputCount: 2, token: { totalSupply: "36" } });
  });

  test("an asset that no indexed block mentions has no list", async () => {
    await feed(store, [ledger.block()]);
    expect(await store.query(holdersAsOf, { id: usd.id, limit: 1, shared: sharedHolders() })).toBeNull();
    expect(await store.query(assetById, usd.id)).toBeNull();
  });

  test("a walk is of the state of its first page, whatever blocks come meanwhile", async () => {
    const still = Array.from({ length: 40 }, (_, n) => ({
      to: `still ${n}`,
      token: usd,
      amount: BigInt(n % 5) * 10n ** 18n * (n % 2 === 0 ? 1n : 7n) + 1n,
    }));
    const moving = ["a", "b", "c", "d"].map((name) => ({ to: name, token: usd, amount: 10n ** 18n + 1n }));
    const base = ledger.block([{ create: moving }, { create: still.toReversed() }]);
    await feed(store, [base]);
    for (const limit of [1, 3]) {
      const first = await pages(store, usd.id, 1000);
      let round = 0;
      const walked = await pages(store, usd.id, limit, async () => {
        const spend = limit === 1 && round < 40 ? [at(base, 1, round)] : [];
        round += 1;
        const amount = BigInt(round) * 10n ** 17n + 1n;
        const create = ["new", "a"].map((name) => ({ to: `${name} ${limit} ${round}`, token: usd, amount }));
        await feed(store, [ledger.block([{ spend, create }])]);
      });
      expect(walked).toEqual(first);
      expect(await verifyStore(store)).toEqual([]);
      const { asset } = (await store.query(assetById, usd.id))!;
      expect(asset.holderCount).toBe((await pages(store, usd.id, 1000)).length);
    }
    await store.write(revertTo, -1);
    expect(await store.query(assetById, usd.id)).toBeNull();
    expect(await verifyStore(store)).toEqual([]);
  });

  test("equal amounts come by their addresses' keys, the highest first, in any order of indexing", async () => {
    const names = Array.from({ length: 60 }, (_, n) => `holder ${n}`);
    const create = names.map((to, n) => ({ to, token: usd, amount: n % 3 === 0 ? 2n ** 70n : 5n }));
    const upper = { key: `0x${keyOf("like others").slice(2, 10)}${"f".repeat(56)}`, text: "upper" };
    const lower = { key: `0x${keyOf("like others").slice(2, 10)}${"0".repeat(56)}`, text: "lower" };
    const alike = [upper, lower, "like others"].map((to) => ({ to, token: usd, amount: 5n }));
    ledger.block([{ create: create.slice(0, 20) }]);
    ledger.block([{ create: create.slice(20, 40) }, { create: alike }]);
    ledger.block([{ create: create.slice(40) }]);
    const [first, second, third] = ledger.blocks;
    // An import may store the highest block first.
    for (const block of [third!, first!, second!]) await feed(store, [block], { extendTip: false });
    const keys = new Map([
      ...[...names, "like others"].map((name) => [`address-of-${name}`, keyOf(name)] as const),
      ...[upper, lower].map(({ text, key }) => [text, key] as const),
    ]);
    const all = await pages(store, usd.id, 1000);
    const sorted = all.toSorted((one, other) =>
      one.amount === other.amount
        ? keys.get(one.address)! < keys.get(other.address)!
          ? 1
          : -1
        : Number(BigInt(other.amount) - BigInt(one.amount)),
    );
    expect(all).toHaveLength(names.length + alike.length);
    expect(all).toEqual(sorted);
    for (const limit of [1, 2, 7]) expect(await pages(store, usd.id, limit)).toEqual(all);
    expect(await verifyStore(store)).toEqual([]);
    if (store.engine === "postgres") return;
    const disorder = statementWith(["token"])(
      "UPDATE holdings SET key_start = x'00' WHERE token_id = $token",
    );
    await store.write(({ db }) => run(db, disorder({ token: 2 })));
    expect(await verifyStore(store)).toContain(
      `${all.length} holdings that are not in the order of their addresses`,
    );
  });

  test("a walk whose block is replaced ends with the height up to which nothing changed", async () => {
    const pay = (name: string) => [{ create: [1, 2].map((n) => ({ to: `${name} ${n}`, token: usd })) }];
    await feed(store, [ledger.block(pay("ann")), ledger.block(pay("bob"))]);
    const walked = pages(store, usd.id, 1, () => store.write(revertTo, 0));
    await expect(walked).rejects.toMatchObject({ issues: [{ code: "replaced", height: 0 }] });
    expect(await pages(store, usd.id, 1)).toHaveLength(2);
  });
});

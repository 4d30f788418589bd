import { expect, test } from "vitest";
import { chain } from "#lib/chains/chain.ts";
import type { LatestBlocks, Moved, SinceVisit } from "#lib/client/home.ts";
import { addressOverview } from "#lib/queries/address-overview.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { at, identity, Ledger, native, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { servedStore } from "#lib/testing/serving.ts";
import { signedIn } from "#lib/testing/sign-in.ts";
import { newest } from "./home.ts";
import { shared } from "./shared.ts";

const ADDRESS =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdweufjpwk2rpmmjux3xjjkun7y3cjjenq0z62pa";
const ledger = new Ledger();

const served = servedStore(async (store) => {
  const to = chain.parseAddress(ADDRESS, identity.network);
  const first = ledger.block([{ create: [{ to }, { to, token: tokenOf("a") }] }]);
  ledger.block([{ spend: [at(first, 0, 0)], create: [{ to }] }]);
  await store.write(identify, identity);
  await storeBlocks(store, ledger.blocks);
  await store.write(loadPrices, [{ assetId: native.id, time: 0, usd: 10n ** 18n }]);
});

async function ask<Body>(cookie: string, path: string): Promise<Body> {
  const response = await served.ask(new Request(`http://aqs.example${path}`, { headers: { cookie } }));
  return (await response.json()) as Body;
}

test("the newest blocks come with the assets that they name", async () => {
  const { blocks, assets } = await ask<LatestBlocks>(await signedIn(served.store), "/latest-blocks");
  expect(blocks).toMatchObject([
    { height: 1, hash: ledger.tip!.hash, assetCount: 1, volumeUsd: "100" },
    { height: 0, assetCount: 2, largest: [{ id: native.id, volumeUsd: "200" }] },
  ]);
  expect(assets).toMatchObject({ [native.id]: { symbol: "CKB" } });
});

test("what moved most is given by period", async () => {
  const moved = await ask<Moved>(await signedIn(served.store), "/moved?period=24h");
  expect(moved).toMatchObject({ after: -1, tip: { height: 1 }, isWhole: false });
  expect(moved.rows).toMatchObject([{ asset: { id: native.id }, volumeUsd: "300", points: ["200", "100"] }]);
});

test("visits keep their order", async () => {
  const { height, hash } = ledger.blocks[0]!;
  const foreign = `bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4,${height},${hash}`;
  const visits = [`${ADDRESS},${height},${hash}`, foreign, `${ADDRESS},1,${ledger.tip!.hash}`];
  const query = new URLSearchParams(visits.map((visit) => ["of", visit]));
  const since = await ask<SinceVisit[]>(await signedIn(served.store, "utxos:read"), `/visits?${query}`);
  const nothing = { isReplaced: false, isMore: false, transactions: 0, created: 0, spent: 0 };
  expect(since).toEqual([
    { ...nothing, transactions: 1, created: 1, spent: 1 },
    { ...nothing, isMore: true },
    nothing,
  ]);
  const valued = `/visits?value=usd&of=${foreign}&of=${visits[2]}`;
  const [unknown, { valueUsd } = {}] = await ask<SinceVisit[]>(
    await signedIn(served.store, "utxos:read"),
    valued,
  );
  const addressKey = chain.parseAddress(ADDRESS, identity.network).key;
  expect(unknown).toMatchObject({ isMore: true, valueUsd: null });
  expect(valueUsd).toBe((await served.store.query(addressOverview, { addressKey, limit: 1 })).valueUsd);
});

test("a bad request is refused, and so is a reader without the scope", async () => {
  const full = await signedIn(served.store);
  const visit = `of=${ADDRESS},1,${ledger.tip!.hash}`;
  for (const path of [
    "/moved",
    "/moved?period=2h",
    "/moved?period=toString",
    "/visits?of=x",
    `/visits?of=${ADDRESS},-1,${ledger.tip!.hash}`,
    `/visits?of=${ADDRESS},1,0x12`,
    `/visits?${Array(7).fill(visit).join("&")}`,
  ]) {
    expect(await ask(full, path)).toMatchObject({ code: "BAD_REQUEST" });
  }
  const utxos = await signedIn(served.store, "utxos:read");
  expect(await ask(utxos, "/moved?period=1h")).toMatchObject({ code: "FORBIDDEN" });
  expect(await ask(utxos, "/latest-blocks")).toMatchObject({ code: "FORBIDDEN" });
  const changes = await signedIn(served.store, "asset-changes:read");
  expect(await ask(changes, `/visits?${visit}`)).toMatchObject({ code: "FORBIDDEN" });
});

test("figures are computed once for a version of the data, and again after a failure", async () => {
  let computed = 0;
  const figure = shared(async () => {
    computed += 1;
    if (computed === 3) throw new Error("no answer");
    return computed;
  });
  const { service } = served;
  const asked = await Promise.all([figure(service, "one"), figure(service, "one")]);
  expect([...asked, await figure(service, "one"), await figure(service, "two")]).toEqual([1, 1, 1, 2]);
  await expect(figure(service, "three")).rejects.toThrow("no answer");
  expect(await figure(service, "three")).toBe(4);
  expect([await figure(service, null), await figure(service, null)]).toEqual([5, 6]);
});

test("the newest assets go on until six have no flags", async () => {
  const { store, service } = served;
  const to = chain.parseAddress(ADDRESS, identity.network);
  const mint = (name: string, symbol: string) => {
    const token = tokenOf(name);
    const claim = { assetId: token.id, outputIndex: 0, name, symbol, decimals: 8 };
    return ledger.block([{ create: [{ to, token }], claims: [claim] }]);
  };
  const plain = Array.from({ length: 7 }, (_, at) => mint(`Plain ${at}`, `PL${at}`));
  const flagged = Array.from({ length: 20 }, (_, at) => mint(`Visit www.win${at}.example`, `W${at}`));
  await storeBlocks(store, [...plain, ...flagged]);
  const listed = await newest(service, null);
  expect(listed.map(({ flags }) => flags.length)).toEqual([
    ...Array.from({ length: 20 }, () => 1),
    ...Array.from({ length: 6 }, () => 0),
  ]);
});

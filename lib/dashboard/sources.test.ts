import { expect, test } from "vitest";
import { identify } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { hashOf, identity, Ledger, native, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { servedStore } from "#lib/testing/serving.ts";
import { signedIn } from "#lib/testing/sign-in.ts";

const usd = tokenOf("usd");
const ledger = new Ledger();

const served = servedStore(async (store) => {
  ledger.block([{ create: [{ to: "ann", token: usd }] }], 10_000);
  await store.write(identify, identity);
  await storeBlocks(store, ledger.blocks);
  await store.write(loadPrices, [
    { assetId: usd.id, time: 9_000, usd: 25n * 10n ** 16n },
    { assetId: usd.id, time: 10_001, usd: 1n },
  ]);
});

async function ask(cookie: string, parameters: Record<string, string>) {
  const url = `http://aqs.example/sources?${new URLSearchParams(parameters)}`;
  const response = await served.ask(new Request(url, { headers: { cookie } }));
  return { status: response.status, body: await response.json() };
}

test("a block comes with the price that the asset had at its time", async () => {
  const block = { height: 0, hash: ledger.tip!.hash, timestamp: 10_000 };
  const cookie = await signedIn(served.store);
  const of = (asset: string) => ask(cookie, { block: block.hash, asset });
  expect((await of(usd.id)).body).toEqual({ block, price: { usd: "0.25", time: 9_000 } });
  expect((await of(native.id)).body).toEqual({ block, price: null });
  expect((await ask(cookie, { height: "0" })).body).toEqual({ block, price: null });
});

test("a block that is not on the chain is 404, what names none is 400, and each way needs its scope", async () => {
  const full = await signedIn(served.store);
  const statusOf = async (cookie: string, parameters: Record<string, string>) =>
    (await ask(cookie, parameters)).status;
  expect(await statusOf(full, { block: hashOf("none") })).toBe(404);
  expect(await statusOf(full, { height: "7" })).toBe(404);
  const bad: Record<string, string>[] = [{}, { block: "0x12" }, { height: "-1" }, { height: "1e3" }];
  for (const parameters of bad) {
    expect(await statusOf(full, parameters)).toBe(400);
  }
  const utxos = await signedIn(served.store, "utxos:read");
  expect(await statusOf(utxos, { height: "0" })).toBe(200);
  expect(await statusOf(utxos, { block: ledger.tip!.hash })).toBe(403);
  expect(await statusOf("", { height: "0" })).toBe(401);
});

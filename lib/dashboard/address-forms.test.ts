import { expect, test } from "vitest";
import { identify } from "#lib/store/rules/ledger.ts";
import { identity, Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { servedStore } from "#lib/testing/serving.ts";
import { signedIn } from "#lib/testing/sign-in.ts";

/** RFC 21's short form, in the current form after it. */
const SHORT = "ckt1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jq5t63cs";
const CURRENT =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdnnw7qkdnnclfkg59uzn8umtfd2kwxceqgutnjd";
const MAINNET = "ckb1qyqt8xaupvm8837nv3gtc9x0ekkj64vud3jqfwyw5v";

const served = servedStore(async (store) => {
  await store.write(identify, identity);
  const ledger = new Ledger();
  ledger.block([]);
  await storeBlocks(store, ledger.blocks);
});

async function ask(cookie: string, addresses: string[]): Promise<[number, unknown]> {
  const query = new URLSearchParams(addresses.map((one) => ["address", one]));
  const url = `http://aqs.example/address-forms?${query}`;
  const answer = await served.ask(new Request(url, { headers: { cookie } }));
  return [answer.status, await answer.json()];
}

test("addresses come in their canonical form, in the order given, and null for other texts", async () => {
  const cookie = await signedIn(served.store, "utxos:read");
  expect(await ask(cookie, [SHORT, "x", CURRENT, MAINNET, SHORT.toUpperCase()])).toEqual([
    200,
    [CURRENT, null, CURRENT, null, CURRENT],
  ]);
  expect(await ask(cookie, [])).toEqual([200, []]);
});

test("more than a hundred are refused, and so is a reader without the scope", async () => {
  const cookie = await signedIn(served.store, "utxos:read");
  expect(await ask(cookie, Array(101).fill(SHORT))).toMatchObject([400, { code: "BAD_REQUEST" }]);
  const other = await signedIn(served.store, "asset-changes:read");
  expect(await ask(other, [SHORT])).toMatchObject([403, { code: "FORBIDDEN" }]);
  expect(await ask("", [SHORT])).toMatchObject([401, { code: "UNAUTHORIZED" }]);
});

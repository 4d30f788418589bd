import { expect, test } from "vitest";
import { chain } from "#lib/chains/chain.ts";
import type { Holding } from "#lib/client/holdings.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { identity, Ledger, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { servedStore } from "#lib/testing/serving.ts";
import { signedIn } from "#lib/testing/sign-in.ts";

const RATE_LIMIT = 20;
const ADDRESS =
  "ckt1qzda0cr08m85hc8jlnfp3zer7xulejywt49kt2rr0vthywaa50xwsqdweufjpwk2rpmmjux3xjjkun7y3cjjenq0z62pa";
const TOKENS = 11;

const served = servedStore(
  async (store) => {
    const to = chain.parseAddress(ADDRESS, identity.network);
    const ledger = new Ledger();
    const create = Array.from({ length: TOKENS }, (_, at) => ({
      to,
      token: tokenOf(`t${at}`),
      amount: 10n ** 20n,
    }));
    ledger.block([{ create }], 10_000);
    await store.write(identify, identity);
    await storeBlocks(store, ledger.blocks);
    await store.write(replaceRegistry, [{ id: tokenOf("t7").id, symbol: "TIDE", decimals: 8 }]);
    await store.write(loadPrices, [{ assetId: tokenOf("t7").id, time: 9_000, usd: 25n * 10n ** 16n }]);
  },
  { RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT) },
);

const signIn = (...scopes: Scope[]) => signedIn(served.store, ...scopes);

function ask(cookie: string, parameters: Record<string, string>): Promise<Response> {
  const url = `http://aqs.example/holdings?${new URLSearchParams(parameters)}`;
  return served.ask(new Request(url, { headers: { cookie } }));
}

interface Answer {
  result: Holding[];
  total: number;
}

test("pages together are all holdings, and say at which block they were read", async () => {
  const cookie = await signIn();
  const pages: Answer[] = [];
  for (const page of ["1", "2", "3"]) {
    const response = await ask(cookie, { address: ADDRESS, page, pageSize: "5" });
    expect(response.headers.get("x-tip-hash")).toBe((await served.store.query(chainTip))?.hash);
    pages.push((await response.json()) as Answer);
  }
  expect(pages.map(({ result }) => result.length)).toEqual([5, 5, 1]);
  expect(pages.map(({ total }) => total)).toEqual([TOKENS, TOKENS, TOKENS]);
  const all = pages.flatMap(({ result }) => result);
  expect(new Set(all.map(({ id }) => id)).size).toBe(TOKENS);
  expect(all[0]).toEqual({
    id: tokenOf("t7").id,
    name: "",
    symbol: "TIDE",
    standard: "xUDT",
    icon: "",
    decimals: 8,
    public: true,
    amount: (10n ** 20n).toString(),
    capacity: "100",
    outputCount: 1,
    price: "0.25",
    priceTime: 9_000,
    valueUsd: (25n * 10n ** 10n).toString(),
    collection: "",
    members: 1,
  });
  expect(all[1]).toMatchObject({ price: null, priceTime: null, valueUsd: null });
});

test("the response is not compressed", async () => {
  const headers = { cookie: await signIn(), "accept-encoding": "br, gzip" };
  const response = await served.ask(
    new Request(`http://aqs.example/holdings?address=${ADDRESS}`, { headers }),
  );
  expect(response.headers.get("content-encoding")).toBeNull();
  expect(await response.json()).toMatchObject({ total: TOKENS });
});

test("a search counts and lists only what matches", async () => {
  const response = await ask(await signIn(), { address: ADDRESS, search: "tide", pageSize: "1" });
  expect(await response.json()).toMatchObject({ result: [{ symbol: "TIDE" }], total: 1 });
});

test("takes a session, the scope of the list, and parameters within their bounds", async () => {
  const cookie = await signIn();
  for (const [code, asked] of [
    ["UNAUTHORIZED", ask("", { address: ADDRESS })],
    ["FORBIDDEN", ask(await signIn("asset-changes:read"), { address: ADDRESS })],
    ["BAD_REQUEST", ask(cookie, { address: "nonsense" })],
    ["BAD_REQUEST", ask(cookie, { address: ADDRESS, pageSize: "5001" })],
    ["BAD_REQUEST", ask(cookie, { address: ADDRESS, page: "0" })],
    ["BAD_REQUEST", ask(cookie, { address: ADDRESS, page: "1e3" })],
    ["BAD_REQUEST", ask(cookie, { address: ADDRESS, search: "x".repeat(201) })],
  ] as const) {
    expect(await (await asked).json()).toMatchObject({ code });
  }
});

test("asking is a request like any other of the token", async () => {
  const cookie = await signIn();
  const answer = await ask(cookie, { address: ADDRESS, pageSize: "1" });
  expect(answer.headers.get("ratelimit-remaining")).toBe(String(RATE_LIMIT - 1));
});

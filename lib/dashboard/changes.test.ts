import { expect, test } from "vitest";
import { outPointText } from "#lib/contract/ledger.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { generateDemo } from "#lib/demo/ckb/demo.ts";
import { loadDemo } from "#lib/demo/load.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { abandonedBlock, blockHashAt, chainTip } from "#lib/queries/chain.ts";
import { servedStore } from "#lib/testing/serving.ts";
import { signedIn } from "#lib/testing/sign-in.ts";

const RATE_LIMIT = 3;
let replacedBlock: string;
let forkHeight: number;
let about: { address: string; since: string };
/** Addresses that the replaced branch touched and did not touch, and its last block. */
let reorganised: { since: string; touched: string; untouched: string };

const served = servedStore(
  async (store) => {
    const demo = generateDemo();
    await loadDemo(store, demo);
    ({ forkHeight } = demo);
    replacedBlock = demo.fork[0]!.hash;
    const others = demo.notable.flatMap((one) => ("address" in one ? one.address : []));
    const untouched = others.find((address) => address !== demo.busyAddress)!;
    reorganised = { since: demo.fork.at(-1)!.hash, touched: demo.busyAddress, untouched };
    const tip = (await store.query(chainTip))!;
    about = { address: demo.busyAddress, since: tip.hash };
  },
  { RATE_LIMIT_PER_MINUTE: String(RATE_LIMIT) },
);

const signIn = (...scopes: Scope[]) => signedIn(served.store, ...scopes);

function ask(cookie: string, parameters: Record<string, string>): Promise<Response> {
  const url = `http://aqs.example/changes?${new URLSearchParams(parameters)}`;
  return served.ask(new Request(url, { headers: { cookie } }));
}

test("a list that was read at the tip has not changed; since earlier its outputs count, not the blocks", async () => {
  const cookie = await signIn();
  expect(await (await ask(cookie, about)).json()).toEqual({ kind: "none" });
  const { store } = served;
  const key = (await served.service.parseAddress(about.address)).key;
  const height = (await store.query(chainTip))!.height - 40;
  const since = (await store.query(blockHashAt, height))!;
  const listed = async (at: number, token?: string) => {
    const query = { addressKey: key, order: "asc", limit: 1e6, at: { height: at }, token } as const;
    return (await store.query(utxosOfAddress, query)).rows;
  };
  const news = async (token?: string) => {
    const [before, now] = await Promise.all(
      [height, height + 40].map(async (at) => new Set((await listed(at, token)).map(outPointText))),
    );
    const [came, left] = [now!.difference(before!).size, before!.difference(now!).size];
    expect(came + left).toBeGreaterThan(0);
    return { kind: "touched", came, left, passed: expect.any(Number), more: false };
  };
  expect(await (await ask(cookie, { ...about, since })).json()).toEqual(await news());
  const token = (await listed(height + 40)).findLast(({ token }) => token.standard !== "native")!.token.id;
  expect(await (await ask(cookie, { ...about, since, token })).json()).toEqual(await news(token));
  expect(await news(token)).not.toEqual(await news());
});

test("a reorganisation changed the list of an address only if the removed blocks touched it", async () => {
  const cookie = await signIn();
  const { since, touched, untouched } = reorganised;
  const read = (await served.store.query(abandonedBlock, since))!;
  const sinceThen = async (...addresses: string[]) => {
    const query = new URLSearchParams(addresses.map((address) => ["address", address]));
    const url = `http://aqs.example/changes?since=${since}&${query}`;
    return (await served.ask(new Request(url, { headers: { cookie } }))).json();
  };
  const fork = (await served.store.query(blockHashAt, forkHeight - 1))!;
  expect(await sinceThen(untouched)).toEqual(
    await (await ask(await signIn(), { address: untouched, since: fork })).json(),
  );
  expect(await sinceThen(touched)).toEqual({ kind: "replaced", height: read.height });
  expect(await sinceThen(untouched, touched)).toEqual({ kind: "replaced", height: read.height });
});

test("rows that were read at several blocks are compared with each of these", async () => {
  const cookie = await signIn();
  const { since, touched, untouched } = reorganised;
  const read = (await served.store.query(abandonedBlock, since))!;
  const low = (await served.store.query(blockHashAt, forkHeight - 3))!;
  const compared = async (address: string, ...sinces: string[]) => {
    const query = new URLSearchParams([["address", address], ...sinces.map((hash) => ["since", hash])]);
    const url = `http://aqs.example/changes?${query}`;
    return (await served.ask(new Request(url, { headers: { cookie } }))).json();
  };
  expect(await compared(touched, low, since)).toEqual({ kind: "replaced", height: read.height });
  expect(await compared(untouched, since, low)).toEqual(
    await (await ask(await signIn(), { address: untouched, since: low })).json(),
  );
  expect(await compared(untouched, ...Array(21).fill(low))).toMatchObject({ code: "BAD_REQUEST" });
});

test("a block is on the chain, with the next one, or was replaced by another", async () => {
  const cookie = await signIn();
  const { hash, height } = (await served.store.query(chainTip))!;
  const below = (await served.store.query(blockHashAt, height - 1))!;
  expect(await (await ask(cookie, { block: below })).json()).toEqual({ kind: "canonical", next: hash });
  expect(await (await ask(cookie, { block: hash })).json()).toEqual({ kind: "canonical", next: null });
  const other = await signIn();
  expect(await (await ask(other, { block: replacedBlock })).json()).toEqual({
    kind: "replaced",
    by: await served.store.query(blockHashAt, forkHeight),
  });
  expect(await (await ask(other, { block: `0x${"0".repeat(64)}` })).json()).toMatchObject({
    code: "NOT_FOUND",
  });
});

test("readers of outputs alone may ask for the state of a block, too", async () => {
  const answer = await ask(await signIn("utxos:read"), { block: about.since });
  expect(await answer.json()).toEqual({ kind: "canonical", next: null });
});

test("asking is a request like any other of the token", async () => {
  const cookie = await signIn();
  for (let i = 1; i <= RATE_LIMIT; i++) {
    expect((await ask(cookie, about)).headers.get("ratelimit-remaining")).toBe(String(RATE_LIMIT - i));
  }
  const refused = await ask(cookie, about);
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: "TOO_MANY_REQUESTS" }]);
  expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
});

test("takes a session, the scope of the list, and parameters that can be read", async () => {
  const cookie = await signIn();
  for (const [code, asked] of [
    ["UNAUTHORIZED", ask("", about)],
    ["FORBIDDEN", ask(await signIn("asset-changes:read"), about)],
    ["BAD_REQUEST", ask(cookie, { ...about, since: "0x12" })],
    ["BAD_REQUEST", ask(cookie, { ...about, address: "nonsense" })],
    ["BAD_REQUEST", ask(cookie, { address: about.address })],
    ["BAD_REQUEST", ask(await signIn(), { block: "0x12" })],
  ] as const) {
    expect(await (await asked).json()).toMatchObject({ code });
  }
});

import { describe, expect, test } from "vitest";
import type { SearchResults } from "#lib/client/search.ts";
import type { Scope } from "#lib/contract/operation.ts";
import { identify, replaceRegistry } from "#lib/store/rules/ledger.ts";
import { revertTo } from "#lib/store/rules/revert.ts";
import { at, hashOf, identity, Ledger, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { servedStore } from "#lib/testing/serving.ts";
import { signedIn } from "#lib/testing/sign-in.ts";
import { addressOf, addressText } from "#lib/testing/v0.ts";

const cluster = hashOf("cluster");
const apes = Array.from({ length: 60 }, (_, n) =>
  tokenOf(`ape ${n}`, { fungible: false, standard: "Spore", parentId: cluster }),
);
const names: [name: string, symbol: string][] = [
  ["USD Coin", "USDC"],
  ["UЅD Соіn", "FAKE"],
  ["coin", "CN"],
  ["Coinage", "CNG"],
  ["Coincidence", "CCD"],
  ["1 and 2", "12"],
  ["USD Coin", "USDC"],
  ...Array.from({ length: 21 }, (_, n): [string, string] => [`Flood ${String.fromCharCode(97 + n)}`, ""]),
];
const fungible = names.map((_, n) => tokenOf(`${n}`));
const [usdc, fake, coin, coinage, coincidence, numbered, clone] = fungible;

const ledger = new Ledger("main", [], 7);
/** With the first address, one more than a search lists. */
const paid = [2, 11, 12, 13, 14, 15, 16, 17].map((n) => ({ to: addressOf(n), capacity: 9n }));
const first = ledger.block([
  {
    create: [...fungible, ...apes].map((token) => ({ to: addressOf(1), token, amount: 5n })),
    claims: [
      ...names.map(([name, symbol], outputIndex) => {
        return { assetId: fungible[outputIndex]!.id, outputIndex, name, symbol, decimals: 2 };
      }),
      { assetId: cluster, outputIndex: 1_000, name: "Cool Apes", symbol: "", decimals: 0 },
    ],
  },
]);
ledger.block([{ spend: [at(first, 0, 1)], create: paid }]);
const abandoned = ledger.fork(8, "abandoned").block();
const [minting] = first.transactions;

const served = servedStore(async (store) => {
  await store.write(identify, identity);
  await storeBlocks(store, [...ledger.blocks, abandoned]);
  await store.write(revertTo, 8);
  await store.write(replaceRegistry, [{ id: usdc!.id }, { id: coincidence!.id }]);
});

async function respond(q: string, cookie: string) {
  const url = `http://aqs.example/find?${new URLSearchParams({ q })}`;
  return served.ask(new Request(url, { headers: { cookie } }));
}

async function find(q: string, ...scopes: Scope[]): Promise<SearchResults> {
  return (await respond(q, await signedIn(served.store, ...scopes))).json() as Promise<SearchResults>;
}

/** Results by their kind and page. */
const pages = ({ results }: SearchResults) => results.map(({ kind, href }) => [kind, href]);
const exact = ({ results }: SearchResults) => results.filter((result) => result.exact).length;
const assetPages = (...tokens: { id: string }[]) => tokens.map(({ id }) => ["asset", `/assets/${id}`]);

describe("a search", () => {
  test("for a name has what the text is exactly first, then the registry's, and imitations last", async () => {
    const found = await find(" coin ");
    expect(pages(found)).toEqual(assetPages(coin!, coincidence!, usdc!, coinage!, clone!));
    expect(pages(await find("us"))).toEqual(assetPages(usdc!, clone!));
    expect((await find("us")).results[1]).toMatchObject({
      flags: [{ kind: "look-alike", strong: true, label: "Look-alike of USDC" }],
    });
    expect((await find("uѕd")).results).toMatchObject([
      { asset: { id: fake!.id }, flags: [{ kind: "look-alike" }, { kind: "mixed-scripts" }] },
    ]);
    expect(exact(found)).toBe(0);
    const { results } = await find("usdc");
    expect(results[0]).toEqual({
      kind: "asset",
      asset: { id: usdc!.id, name: "USD Coin", symbol: "USDC", decimals: 2, icon: "", public: true },
      holders: 1,
      flags: [],
      href: `/assets/${usdc!.id}`,
      exact: false,
    });
  });

  test("says that it lists no more than some of very many", async () => {
    expect((await find("coin")).notes).toEqual([]);
    const { results, notes } = await find("flood");
    expect([results.length, notes]).toEqual([20, [expect.stringMatching("^More tokens have")]]);
  });

  test("has the members of a collection as one result, whatever their number", async () => {
    const collection = { kind: "collection", id: cluster, name: "Cool Apes", href: `/assets/${cluster}` };
    expect((await find("cool")).results).toEqual([{ ...collection, exact: false }]);
    expect((await find("apes")).results).toEqual([{ ...collection, exact: false }]);
    expect((await find(cluster)).results).toEqual([{ ...collection, exact: true }]);
    expect(pages(await find(apes[3]!.id))).toEqual(assetPages(apes[3]!));
  });

  test("for a height has its block, beside assets that are called so", async () => {
    const found = await find("8");
    expect(pages(found)).toEqual([["block", `/blocks/${ledger.blocks[1]!.hash}`]]);
    expect(found.results[0]).toMatchObject({ height: 8, exact: true });
    expect(pages(await find("1"))).toEqual(assetPages(numbered!));
    expect((await find("1")).notes).toEqual(["Block 1 is not indexed. Indexed blocks: 7–8."]);
    const beyond = "Block 1,107 is beyond the tip: the newest block is 8.";
    expect(await find("1107")).toEqual({ results: [], notes: [beyond] });
  });

  test("for a hash has the block, the replaced block, the transaction or the asset", async () => {
    const { hash } = first;
    expect((await find(hash.slice(2).toUpperCase())).results).toEqual([
      { kind: "block", height: 7, hash, timestamp: first.timestamp, href: `/blocks/${hash}`, exact: true },
    ]);
    expect((await find(abandoned.hash)).results).toMatchObject([
      { kind: "block", height: 9, timestamp: null, href: `/blocks/${abandoned.hash}` },
    ]);
    expect(pages(await find(usdc!.id))).toEqual(assetPages(usdc!));
    expect(pages(await find(`https://aqs.example/assets/${usdc!.id}?row=2`))).toEqual([
      ["asset", `/assets/${usdc!.id}?row=2`],
    ]);
    expect(pages(await find(usdc!.id.slice(0, 20)))).toEqual(assetPages(usdc!));
    expect(await find(hashOf("none"))).toEqual({
      results: [],
      notes: ["No block, transaction or asset with this id is indexed."],
    });
    expect((await find(minting!.hash)).results).toEqual([
      {
        ...{ kind: "transaction", hash: minting!.hash, outputCount: 88, exact: true },
        block: { hash, height: 7, timestamp: first.timestamp },
        href: `/transactions/${minting!.hash}`,
      },
    ]);
  });

  test("for the newest block has its page, and for a time the block of that time", async () => {
    const tip = { kind: "block", height: 8, hash: ledger.blocks[1]!.hash, exact: true };
    for (const text of ["tip", "Latest"]) {
      expect((await find(text)).results).toMatchObject([{ ...tip, href: "/blocks/tip" }]);
    }
    const time = (block: { timestamp: number }) => new Date(block.timestamp).toISOString();
    expect(pages(await find(time(first)))).toEqual([["block", `/blocks/${first.hash}`]]);
    expect((await find("2200-01-01")).results).toMatchObject([tip]);
    expect(await find("1999-12-31")).toEqual({
      results: [],
      notes: ["All indexed blocks are later than 1999-12-31 23:59:59 UTC."],
    });
  });

  test("for the start of a hash or an address has what starts so, and names it if that is all", async () => {
    const shortened = (text: string, length = 8) => text.slice(0, "0x".length + length);
    const block = ["block", `/blocks/${first.hash}`];
    for (const text of [shortened(first.hash), `"${shortened(first.hash, 63).slice(2).toUpperCase()}"`]) {
      const found = await find(text);
      expect([pages(found), exact(found), found.notes]).toEqual([[block], 1, []]);
    }
    const transaction = ["transaction", `/transactions/${minting!.hash}`];
    expect(pages(await find(shortened(minting!.hash)))).toEqual([transaction]);
    expect(pages(await find(addressText(2).slice(0, -1)))).toEqual([
      ["address", `/addresses/${addressText(2)}`],
    ]);
    const [long, other] = [addressText(2), addressText(11)];
    for (const text of [
      ...[long.slice(-10), long.slice(-30).toUpperCase(), `${long.slice(0, 10)}…${long.slice(-8)}`],
      ...[`${long.slice(0, 4)}...${long.slice(-6)}`, `${long.slice(0, 20)}..${long.slice(-10)}`],
    ]) {
      const found = await find(text);
      expect([pages(found), exact(found), found.notes], text).toEqual([
        [["address", `/addresses/${long}`]],
        1,
        [],
      ]);
    }
    expect(pages(await find(`${long.slice(0, 10)}…${other.slice(-8)}`))).toEqual([
      ["address", `/addresses/${other}`],
    ]);
    const unknown = `${long.slice(0, 10)}…${addressText(3).slice(-8)}`;
    expect(pages(await find(unknown))).toEqual([]);
    expect((await find(unknown)).notes[0]).toBe("No indexed address starts and ends with this.");
    const several = await find(addressText(1).slice(0, 10));
    expect(several.results.map(({ kind }) => kind)).toEqual(Array(8).fill("address"));
    expect([exact(several), several.notes]).toEqual([
      0,
      ["More blocks, transactions or addresses start or end with this. Type more characters."],
    ]);
    const asset = await find(shortened(usdc!.id));
    expect([pages(asset), exact(asset)]).toEqual([[["asset", `/assets/${usdc!.id}`]], 1]);
    const { notes } = await find(shortened(hashOf("none"), 63));
    expect(notes[0]).toBe("63 hex digits; a hash has 64.");
  });

  test("for an out point has its address, what it holds, and whether it is spent", async () => {
    const found = await find(`${minting!.hash}:0`);
    expect(found.results).toMatchObject([
      {
        kind: "output",
        outPoint: `${minting!.hash}:0`,
        address: addressText(1),
        amount: "5",
        asset: { id: usdc!.id },
        spentAt: null,
        href: `/transactions/${minting!.hash}#0`,
        exact: true,
      },
      { kind: "address", address: addressText(1), exact: false },
    ]);
    expect((await find(`${minting!.hash}:0x1`)).results[0]).toMatchObject({ spentAt: 8 });
    const none = await find(`${minting!.hash}#88`);
    expect([exact(none), none.notes]).toEqual([0, ["The transaction has no output 88."]]);
    expect(await find(`${hashOf("none")}:0`)).toEqual({
      results: [],
      notes: ["No such transaction is indexed."],
    });
  });

  test("for an address has it, with what it holds; of another network or misspelt, what is wrong", async () => {
    expect((await find(addressText(1))).results).toEqual([
      {
        ...{ kind: "address", address: addressText(1), outputs: 87, exact: true },
        href: `/addresses/${addressText(1)}`,
      },
    ]);
    expect((await find(addressText(3))).results).toMatchObject([{ outputs: 0 }]);
    expect((await find(addressOf(1).key)).results).toMatchObject([{ address: addressText(1), exact: true }]);
    const { results, notes } = await find(addressText(1).replace(/.$/, (last) => (last === "q" ? "p" : "q")));
    expect([results, notes]).toEqual([[], [expect.stringContaining("checksum")]]);
  });

  test("for what is neither says so plainly", async () => {
    expect(await find("")).toEqual({ results: [], notes: [] });
    expect((await find("zebra")).notes).toEqual([
      "No asset has a name, a symbol or an id that starts with this.",
    ]);
    expect((await find("0xabc")).notes).toEqual([
      "3 hex digits; a hash has 64.",
      "No asset has a name, a symbol or an id that starts with this.",
    ]);
  });

  test("finds for each access token what it may read, and says what it may not", async () => {
    const ofBlocks = (q: string) => find(q, "asset-changes:read");
    const ofAddresses = (q: string) => find(q, "utxos:read");
    expect((await ofBlocks(addressText(1))).notes).toEqual([
      "Your access token does not give access to addresses.",
    ]);
    expect((await ofBlocks(`${minting!.hash}:0`)).results).toEqual([]);
    expect((await ofBlocks(addressText(1).slice(0, 10))).results).toEqual([]);
    expect((await ofBlocks(addressText(1).slice(-10))).results).toEqual([]);
    expect((await ofAddresses(first.hash.slice(0, 20))).results).toEqual([]);
    expect((await ofAddresses("tip")).notes).toEqual(["Your access token does not give access to blocks."]);
    expect((await ofBlocks(addressOf(1).key)).results).toEqual([]);
    expect(pages(await ofBlocks(minting!.hash))).toEqual([
      ["transaction", expect.stringMatching(/^\/blocks\/0x[0-9a-f]{64}\?tab=transactions$/)],
    ]);
    expect((await ofAddresses("8")).notes).toEqual(["Your access token does not give access to blocks."]);
    expect((await ofAddresses(first.hash)).notes).toEqual([
      "No transaction or asset with this id is indexed.",
    ]);
    expect(pages(await ofAddresses("coina"))).toEqual(assetPages(coinage!));
    expect(pages(await ofBlocks("coina"))).toEqual(assetPages(coinage!));
  });

  test("needs a session, and refuses a text without end", async () => {
    expect((await respond("usd", "")).status).toBe(401);
    expect((await respond("u".repeat(8_001), await signedIn(served.store))).status).toBe(400);
  });
});

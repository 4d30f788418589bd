/** Checks every page and response on chains with the least data: no price, no name, no transfers, one block, gaps, or no block. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { issueToken } from "#lib/api/access-tokens.ts";
import { SESSION_COOKIE } from "#lib/api/authenticate.ts";
import { litecoin } from "#lib/chains/bitcoin/networks.ts";
import { regtestOf } from "#lib/chains/bitcoin/testing/regtest.ts";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import { account, udt } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { openStore } from "#lib/store/open.ts";
import { keepingBrotli } from "./brotli.ts";
import { root } from "./sites.ts";

const { startServer } = await keepingBrotli(() => import("#lib/testing/attacks/served-app.ts"));

/** Tokens without a name and a price. Two have only amounts of 0, one moves its whole supply, and one is a Spore. */
function ckbChain(): string[] {
  const chain = new ChainBuilder();
  const [ann, bob] = [account("ann"), account("bob")];
  const token = (series: number) => udt(ann, "xudt", series);
  const [one, other, something] = [token(1), token(2), token(3)];
  const ofNothing = [ann, bob].map((lock) => ({ lock, amount: 0n }));
  chain.mint({ token: one, to: ofNothing });
  chain.mint({ token: other, to: ofNothing });
  chain.block();
  chain.mint({ token: something, to: ann, amount: 5n });
  chain.spore({ to: bob });
  chain.block();
  chain.transfer({ token: something, from: ann, to: bob, amount: 2n });
  chain.block();
  chain.emptyBlocks(1);
  chain.burn({ token: something, from: bob, amount: 2n });
  chain.block();
  chain.mint({ token: one, to: ofNothing });
  chain.block();
  return chain.blocks.map((block) => JSON.stringify(block));
}

const ckb = ckbChain();
const { lines: coins, addresses } = regtestOf(litecoin);
/** A price of the native asset, in US dollars, before the first block. */
const price = "asset_id,time,usd\n0x80000135,2025-12-31T00:00:00Z,0.01\n";
const EMPTY_HEIGHT = 4;

interface Least {
  with: string;
  chain: "ckb" | "litecoin";
  blocks: string[];
  prices?: string;
}

const chains: Least[] = [
  { chain: "ckb", with: "no block", blocks: [] },
  { chain: "ckb", with: "one block", blocks: ckb.slice(0, 1) },
  { chain: "ckb", with: "no price and no name", blocks: ckb },
  { chain: "ckb", with: "a price of the native asset only", blocks: ckb, prices: price },
  { chain: "ckb", with: "a gap", blocks: ckb.filter((_, height) => height !== EMPTY_HEIGHT) },
  { chain: "litecoin", with: "no block", blocks: [] },
  { chain: "litecoin", with: "one block", blocks: coins.slice(0, 1) },
  { chain: "litecoin", with: "no price", blocks: coins },
  // No block below this one spends anything.
  { chain: "litecoin", with: "gaps", blocks: coins.slice(0, 100).filter((_, height) => height % 40 < 3) },
];

/** An address of these chains, used or not. */
const knownOf = (chain: Least["chain"]): string =>
  chain === "ckb" ? encodeAddress(account("ann"), "testnet") : addresses.shop;

/** A path of each kind that a reader can open, with every tab and choice. */
async function* pathsOf(chain: Least["chain"], ask: Ask): AsyncGenerator<string> {
  const known = knownOf(chain);
  yield* ["/", "/docs", "/blocks/tip", "/blocks/tip?tab=transactions", "/status", "/latest-blocks"];
  yield* ["/v0/assets", "/v0/asset-changes", "/openapi.json", "/llms.txt", "/opengraph-image"];
  for (const period of ["1h", "24h", "7d"]) yield* [`/?moved=${period}`, `/moved?period=${period}`];
  for (const text of ["", "0", "u", "nothing", known, none]) yield* [`/search?q=${text}`, `/find?q=${text}`];
  yield* [`/blocks/${none}`, `/blocks/${none}/opengraph-image`, `/assets/${none}`];
  const ranges = ["", "from=0", "to=0", "from=0&to=1", "from=2", "from=3&to=4", "shares=tags", "order=asc"];
  for (const range of ranges)
    yield* [`/blocks/range?${range}`, `/v0/asset-changes?${range}`, `/volume?${range}`];

  const hashes = new Set<string>();
  for (const block of [0, 1, 2, "tip"]) {
    const answer = await ask(`/v0/blocks/${block}/asset-changes`);
    if (answer.ok) hashes.add(answer.headers.get("x-block-hash")!);
  }
  for (const hash of hashes) {
    const block = `/blocks/${hash}`;
    const views = [
      "tab=transactions",
      "compare=parent",
      "compare=0",
      "shares=tags",
      "order=asc",
      "name=0x",
      "page=9",
    ];
    yield* [block, `${block}/opengraph-image`, ...views.map((view) => `${block}?${view}`)];
    yield* [`/v0${block}/asset-changes?orderKey=volume&include=kind`, `/volume?block=${hash}&search=0`];
  }

  const { result } = (await (await ask("/v0/assets")).json()) as { result: { id: string }[] };
  const assets = new Set(["0x80000135", "0x80000002", ...result.map(({ id }) => id)]);
  const owners = new Set([known]);
  for (const id of assets) {
    const holders = await ask(`/v0/assets/${id}/holders?pageSize=2`);
    yield* [`/assets/${id}`, `/assets/${id}?from=x`, `/v0/assets/${id}`, `/search?q=${id}`];
    if (!holders.ok) continue;
    const page = (await holders.json()) as { result: { address: string }[] };
    for (const { address } of page.result) owners.add(address);
  }
  const all = [...owners].map((owner) => `address=${encodeURIComponent(owner)}`).join("&");
  for (const tab of ["", "outputs", "holdings", "statement", "changes", "lock"])
    for (const at of ["", "&at=1", "&since=0", "&span=all"])
      yield* [`/wallet?address=${known}&tab=${tab}${at}`, `/wallet?${all}&tab=${tab}${at}`];
  yield* ["/wallet", `/wallet?address=${none}`, `/wallet?address=${known},${known}`];

  const transactions = new Set([none]);
  for (const owner of owners) {
    const moves = await ask(`/v0/addresses/${encodeURIComponent(owner)}/changes?pageSize=20`);
    if (!moves.ok) continue;
    const { result } = (await moves.json()) as { result: { changeTransaction: string }[] };
    for (const { changeTransaction } of result) transactions.add(changeTransaction);
  }
  for (const hash of transactions) {
    const path = `/transactions/${hash}`;
    for (const view of ["", "tab=inputs", "tab=outputs", "output=0&tab=outputs", "page=9", "drawing=whole"])
      yield `${path}?${view}`;
    for (const id of assets) yield `${path}?asset=${id}`;
    yield* [`${path}/opengraph-image`, `/v0${path}`, `/v0${path}/inputs?value=usd`, `/v0${path}/outputs`];
  }

  for (const owner of owners) {
    const address = `/addresses/${encodeURIComponent(owner)}`;
    yield* [address, `${address}?tab=holdings`, `/holdings?address=${owner}`];
    if (owner !== known) continue;
    yield `${address}/opengraph-image`;
    for (const tab of ["outputs", "holdings", "statement", "changes", "lock"])
      for (const at of ["", "1"]) yield `${address}?tab=${tab}${at && `&at=${at}`}`;
    for (const id of assets)
      yield* [`${address}?asset=${id}&span=all`, `${address}?token=${id}&tab=statement`];
    for (const view of ["span=24h", "span=all", "sort=value", "since=0&to=1", "order=desc"])
      yield `${address}?${view}`;
    for (const list of ["utxos?include=kind&value=usd", "changes", "statement?value=usd", "holdings"])
      yield `/v0${address}/${list}`;
  }
}

type Ask = (path: string) => Promise<Response>;
const none = `0x${"7".repeat(64)}`;
/** Marks a part of a page that failed after the status was sent. Other digests mean that nothing was found. */
const FAILED = /data-dgst="(?!NEXT_)|"digest":"(?!NEXT_)|could not be (loaded|read)/;
/** Text that no page may show on a chain without prices. */
const PRICED = /\d priced asset/;

for (const { chain, blocks, prices, ...least } of chains) {
  test(`every page and response is available on ${chain} with ${least.with}`, async () => {
    // It requests hundreds of pages, perhaps on a busy machine.
    test.setTimeout(600_000);
    const folder = mkdtempSync(join(tmpdir(), "aqs-least-"));
    const url = `sqlite:${join(folder, "aqs.db")}`;
    const env = { ...process.env, CHAIN: chain, DATABASE_URL: url };
    const aqs = (...words: string[]) =>
      execFileSync(process.execPath, ["lib/cli/main.ts", ...words], { cwd: root, env, stdio: "pipe" });
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    aqs("migrate");
    const network = chain === "ckb" ? ["--network", "testnet"] : [];
    if (blocks.length > 0) aqs("import", file("blocks", blocks.join("\n")), ...network);
    if (prices) aqs("prices", "load", file("prices.csv", prices));
    const lists = blocks.length === 0 ? [[]] : [[], ["--changes"], ["--statement", "--value", "usd"]];
    for (const list of lists) aqs("export", knownOf(chain), ...list, "--format", "csv");
    const store = await openStore(url);
    const issued = { name: "reader", scopes: [], expiresAt: null, now: Date.now() };
    const { token } = await issueToken(store, issued);
    await store.close();
    const server = await startServer(url, { CHAIN: chain, LOG_LEVEL: "warn" });
    const headers = { cookie: `${SESSION_COOKIE}=${token}`, authorization: `Bearer ${token}` };
    const ask: Ask = (path) => fetch(server.origin + path, { headers });
    try {
      const failed: string[] = [];
      for await (const path of pathsOf(chain, ask)) {
        const answer = await ask(path);
        const text = await answer.text();
        const [why = ""] = FAILED.exec(text) ?? (prices ? null : PRICED.exec(text)) ?? [];
        if (answer.status >= 500 || why !== "") failed.push(`${answer.status} ${path} ${why}`);
      }
      expect(failed).toEqual([]);
      // If the page shows a fallback, only the log reports a failed part.
      expect(server.log()).not.toContain('"level":50');
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true });
    }
  });
}

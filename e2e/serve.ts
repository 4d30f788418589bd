/** Fills the database of one site with `aqs`, as an operator would, then serves the built app: `serve.ts NAME`. */
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { issueToken } from "#lib/api/access-tokens.ts";
import { WorkQueue } from "#lib/api/work-queue.ts";
import { litecoin } from "#lib/chains/bitcoin/networks.ts";
import { regtestOf } from "#lib/chains/bitcoin/testing/regtest.ts";
import { encodeAddress } from "#lib/chains/ckb/address.ts";
import type { NodeScript } from "#lib/chains/ckb/schema.ts";
import {
  hasRecordedBlocks,
  recordedBlockFile,
  recordedBlocksOf,
  recordedCellsFile,
} from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { type DemoChain, demoChain } from "#lib/demo/ckb/demo-chain.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { databaseOf, type Facts, factsFile, root, type SiteName, sites } from "./sites.ts";

const DAY_MS = 86_400_000;

async function tokens(store: Store): Promise<Facts["tokens"]> {
  const now = Date.now();
  const issue = async (name: string, more: Partial<Parameters<typeof issueToken>[1]> = {}) =>
    (await issueToken(store, { name, scopes: [], expiresAt: null, now, ...more })).token;
  return {
    full: await issue("browser tests"),
    utxosOnly: await issue("outputs only", { scopes: ["utxos:read"] }),
    changesOnly: await issue("asset changes only", { scopes: ["asset-changes:read"] }),
    expired: await issue("long ago", { now: now - 2 * DAY_MS, expiresAt: now - DAY_MS }),
  };
}

/** The address with the second-longest list. */
function middling({ blocks, notable }: DemoChain): Facts["middling"] {
  const live = new Map<string, NodeScript>();
  for (const { transactions } of blocks) {
    for (const { hash, inputs, outputs } of transactions) {
      for (const { previous_output: spent } of inputs) live.delete(`${spent.tx_hash}:${Number(spent.index)}`);
      for (const [index, { lock }] of outputs.entries()) live.set(`${hash}:${index}`, lock);
    }
  }
  const counts = new Map<string, number>();
  for (const lock of live.values()) {
    const address = encodeAddress(lock, "testnet");
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  counts.delete(notable.busyAddress);
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  return { address: most?.[0] ?? "", cells: most?.[1] ?? 0 };
}

/** Runs a command of `aqs` on this site's database. */
function aqs(...words: string[]): void {
  execFileSync(process.execPath, ["lib/cli/main.ts", ...words], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const name = process.argv[2] as SiteName;
if (!(name in sites)) throw new Error(`No site is called ${name}`);
const file = databaseOf(name).slice("sqlite:".length);
mkdirSync(dirname(file), { recursive: true });
for (const stale of globSync(`${dirname(file)}/*`)) rmSync(stale);
const facts: Facts = {
  tokens: { full: "", utxosOnly: "", changesOnly: "", expired: "" },
  notable: {},
  middling: { address: "", cells: 0 },
};

if (name === "mainnet" && hasRecordedBlocks) {
  const files = recordedBlocksOf(name).map(({ height }) => recordedBlockFile(height));
  aqs("import", ...files, "--cells", recordedCellsFile, "--network", name);
}
if (name === "demo") {
  aqs("demo");
  const chain = demoChain();
  Object.assign(facts.notable, chain.notable);
  facts.middling = middling(chain);
}
if (name === "litecoin") {
  const now = Math.floor(Date.now() / 1000);
  const { lines, hashes, addresses } = regtestOf(litecoin, now);
  const [blocks, prices] = ["blocks", "prices.csv"].map((each) => `${dirname(file)}/${each}`) as [
    string,
    string,
  ];
  writeFileSync(blocks, lines.join("\n"));
  aqs("import", blocks);
  const { id } = litecoin.native;
  writeFileSync(prices, `asset_id,time,usd\n${id},${new Date(now * 1000 - DAY_MS).toISOString()},84.12\n`);
  aqs("prices", "load", prices);
  Object.assign(facts.notable, addresses, { blockHash: hashes.at(-1) });
}
const store = await openStore(databaseOf(name));
facts.tokens = await tokens(store);
await store.close();
writeFileSync(factsFile(name), JSON.stringify(facts));

// Browsers take processor time from the server, so requests may wait as long as a chunk of a stream.
WorkQueue.prototype.run = function (_caller, work) {
  return this.runPiece(work);
};
await import("#lib/server/production.ts");

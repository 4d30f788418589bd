/**
 * `npm run attack -- cluster-names`: an issuer makes a cluster with a very long name and 20,000 Spores, and transfers the
 * cluster on again and again. Size of the database, bytes of a page and time of a block must stay within limits. Takes
 * 20 seconds.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyBlock } from "#lib/chains/ckb/block.ts";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { scriptHash } from "#lib/chains/ckb/hashes.ts";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { account, treasury } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { resolveBlocks } from "#lib/indexer/resolve.ts";
import { verifyStore } from "#lib/indexer/verify/verify.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { addressUtxos } from "#lib/queries/address-utxos/response.ts";
import type { Context } from "#lib/queries/operation.ts";
import { openStore } from "#lib/store/open.ts";
import { applyBlocks, identify } from "#lib/store/rules/ledger.ts";

const NAME_BYTES = 10_000;
const SPORES = 20_000;
const SPORES_A_TRANSACTION = 500;
const TRANSFERS = 20;

const MAX_MEGABYTES = 60;
/** Maximum size of a page of 1,000 entries, as in docs/api.md. */
const MAX_ANSWER_MEGABYTES = 3.2;
const MAX_MILLISECONDS = 50;

const collector = account("collector");
const chain = new ChainBuilder();
const cluster = chain.cluster({ name: "N".repeat(NAME_BYTES), owner: treasury });
chain.block();
for (let made = 0; made < SPORES; made += SPORES_A_TRANSACTION) {
  const contents = Array.from({ length: SPORES_A_TRANSACTION }, () => "x");
  chain.spores({ contents, to: collector, cluster: cluster.cell });
  chain.block();
}
const before = chain.height;
let { cell } = cluster;
for (let i = 0; i < TRANSFERS; i++) {
  cell = chain.move({ cells: [cell], to: account(`owner ${i}`) }).cells[0]!;
  chain.block();
}

const folder = mkdtempSync(join(tmpdir(), "aqs-attack-"));
try {
  const file = join(folder, "attack.db");
  const store = await openStore(`sqlite:${file}`);
  await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: false });
  const add = async (node: NodeBlock) => {
    const block = verifyBlock(node, "testnet", "block");
    const resolved = await resolveBlocks([block], store, NATIVE_ASSET.id, async () => new Map());
    const began = performance.now();
    await store.write(applyBlocks, resolved, { extendTip: true });
    return performance.now() - began;
  };
  for (const node of chain.blocks.slice(0, before + 1)) await add(node);
  const times: number[] = [];
  for (const node of chain.blocks.slice(before + 1)) times.push(await add(node));
  const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;

  const page = await store.query(utxosOfAddress, {
    addressKey: scriptHash(collector),
    order: "asc",
    limit: 1000,
  });
  const { codec } = addressUtxos.implement({ base: "" } as Context);
  const answer = Buffer.byteLength(codec.json({ ...page, lastCursor: "" }));
  const faults = await verifyStore(store);
  await store.close();

  const megabytes = (bytes: number) => bytes / 1_000_000;
  const figures: [string, number, number, string][] = [
    ["database", megabytes(statSync(file).size), MAX_MEGABYTES, "MB"],
    ["page of 1,000 entries", megabytes(answer), MAX_ANSWER_MEGABYTES, "MB"],
    ["block that passes the cluster on", median, MAX_MILLISECONDS, "ms"],
  ];
  for (const [what, figure, most, unit] of figures) {
    console.log(`${what}: ${figure.toFixed(1)} ${unit}, at most ${most} ${unit}`);
  }
  console.log(faults.length === 0 ? "verify: agrees" : `verify: ${faults.slice(0, 3).join("; ")}`);
  if (page.rows.length !== 1000 || faults.length > 0) process.exitCode = 1;
  if (figures.some(([, figure, most]) => figure > most)) {
    console.log("The attack succeeds.");
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

/**
 * `npm run attack -- long-reader [CHANGES]`: a reader keeps one state of a SQLite database open while the chain grows.
 * Then a million values are computed again while the API answers. Takes some minutes and 2 GB of disk.
 *
 * `sync` must say why the WAL grows, the WAL must shrink when the reader ends, and the API must answer meanwhile.
 */
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NATIVE_ASSET } from "#lib/chains/ckb/constants.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { Database } from "#lib/store/sqlite/database.ts";
import { asker } from "#lib/testing/ask.ts";
import { Ledger, storeBlocks } from "#lib/testing/ledger.ts";
import { Aqs, aqs, check, inFolder, megabytes, quantile } from "./drill.ts";

/** The reader stays until the WAL has this size, in bytes. */
const WAL_SIZE = 600e6;
const CHANGES = Number(process.argv[2] ?? 1_000_000);
const BLOCKS_AT_ONCE = 2_000;
const ASKED_EVERY_MS = 20;

async function heldSnapshot(folder: string): Promise<void> {
  const file = join(folder, "held.db");
  const wal = () => statSync(`${file}-wal`).size;
  const store = await openStore(`sqlite:${file}`);
  await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: false });
  const ledger = new Ledger("held");
  const notices: string[] = [];
  const grow = async () => {
    const create = Array.from({ length: 5_000 }, (_, i) => ({ to: `owner ${ledger.blocks.length} ${i}` }));
    const blocks = [ledger.block([{ create }])];
    ledger.blocks.splice(0, ledger.blocks.length - 1);
    await storeBlocks(store, blocks);
    const notice = store.notice?.();
    if (notice) notices.push(notice.replace(`${folder}/`, ""));
  };
  await grow();
  const reader = new Database(file);
  reader.all("BEGIN");
  reader.all("SELECT count(*) FROM blocks");
  while (wal() < WAL_SIZE) await grow();
  const largest = wal();
  check(
    notices.length === 2,
    "a WAL that grows is told at 268 MB, and each time it doubles",
    `${megabytes(largest)}; ${notices[0]}`,
  );
  reader.all("COMMIT");
  reader.close();
  for (let i = 0; i < 3; i++) await grow();
  check(
    wal() < 100e6,
    "the space is given back when the reader ends",
    `${megabytes(wal())}; ${notices.at(-1)}`,
  );
  await store.close();
}

async function revaluing(folder: string): Promise<void> {
  const file = join(folder, "values.db");
  const store = await openStore(`sqlite:${file}`);
  await store.write(identify, { network: "testnet", native: NATIVE_ASSET, demo: false });
  const ledger = new Ledger("values");
  // One change a block: the native asset's.
  while (ledger.blocks.length === 0 || ledger.tip!.height < CHANGES - 1) {
    const from = ledger.blocks.length === 0 ? 0 : 1;
    for (let i = 0; i < BLOCKS_AT_ONCE; i++) ledger.block([{ create: [{ to: "holder" }] }]);
    await storeBlocks(store, ledger.blocks.slice(from));
    ledger.blocks.splice(0, ledger.blocks.length - 1);
  }
  const blockHash = ledger.tip!.hash;
  const ask = await asker(store);
  const measure = async (until: () => boolean) => {
    const times: number[] = [];
    while (!until()) {
      const began = performance.now();
      await ask("blockAssetChanges", { blockHash }, {});
      times.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, ASKED_EVERY_MS));
    }
    return times;
  };
  let left = 300;
  const before = await measure(() => left-- === 0);
  const prices = join(folder, "prices.csv");
  writeFileSync(prices, `asset_id,time,usd\n${NATIVE_ASSET.id},1600000000,0.5\n`);
  const load = new Aqs(["prices", "load", prices], file);
  const during = await measure(() => !load.running);
  const { code, seconds, peak } = await load.end();
  const shown = (times: number[]) =>
    `p50 ${quantile(times, 0.5).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`;
  const figures = `${CHANGES.toLocaleString("en-US")} values in ${seconds.toFixed(1)} s, ${peak} MB, WAL ${megabytes(statSync(`${file}-wal`).size)}; before: ${shown(before)}; during: ${shown(during)}, ${during.length} requests`;
  check(
    code === 0 && quantile(during, 0.99) < 100,
    "the API answers within 100 ms while a million values change",
    figures,
  );
  const after = (await ask("blockAssetChanges", { blockHash }, {})) as {
    result: { amountUsd: string }[];
  };
  check(Number(after.result[0]?.amountUsd) > 0, "and shows the new values when all are stored");
  await store.close();
  const verified = await aqs(["verify"], file);
  // This chain has invalid addresses, but there may be no other fault.
  const others = verified.lines.filter((line) => !/address/.test(line));
  check(
    others.length <= 1,
    "the values are right",
    `verify: ${verified.seconds.toFixed(1)} s, ${verified.peak} MB`,
  );
}

await inFolder(async (folder) => {
  await heldSnapshot(folder);
  await revaluing(folder);
});

/**
 * `npm run bench -- holders`: compares the first page of a token's holders as of a past block with the page of the present ones,
 * for 100,000 holders and a million outputs ever, in both engines. No past block is in a cache.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Block } from "#lib/contract/ledger.ts";
import { holdersAsOf, sharedHolders } from "#lib/queries/holders-as-of.ts";
import { openStore } from "#lib/store/open.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { at, identity, keyOf, Ledger, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { BENCH_SETTINGS, NO_POSTGRES, postgresBinaries, startPostgres } from "#lib/testing/postgres.ts";
import { median } from "./median.ts";

const HOLDERS = 100_000;
const BLOCKS = 1_000;
const TRANSACTIONS = 10;
/** Outputs that a transaction creates. A transaction of the next block spends all of them but these few. */
const CREATED = 100;
const KEPT = 10;
const SHARES = [0.1, 0.5, 0.9, 0.99];
const LIMIT = 100;
const BLOCKS_AT_ONCE = 10;

const token = tokenOf("held");
const print = (text: string) => process.stdout.write(`${text}\n`);

/** The owners take turns in an order without a pattern, since 7,919 is prime. */
const ownerOf = (n: number) => {
  const owner = `holder ${(n * 7_919) % HOLDERS}`;
  return { key: keyOf(owner), text: owner.padStart(97, "q") };
};

/** Each owner gets an output in each tenth of the chain, and keeps one of these ten. */
const isKept = (height: number, index: number) =>
  Math.floor(index / KEPT) === Math.floor((height * CREATED) / (BLOCKS * KEPT));

async function fill(store: Store): Promise<void> {
  await store.write(identify, identity);
  const ledger = new Ledger();
  let waiting: Block[] = [];
  for (let height = 0; height < BLOCKS; height++) {
    const before = ledger.tip;
    waiting.push(
      ledger.block(
        Array.from({ length: TRANSACTIONS }, (_, t) => ({
          spend: Array.from({ length: before ? CREATED : 0 }, (_, i) => i)
            .filter((i) => !isKept(before!.height, i))
            .map((i) => at(before!, t, i)),
          create: Array.from({ length: CREATED }, (_, i) => {
            const n = (height * TRANSACTIONS + t) * CREATED + i;
            return { to: ownerOf(n), token, amount: BigInt(n % 1_000_003), capacity: 14_200_000_000n };
          }),
        })),
      ),
    );
    ledger.blocks.splice(0, ledger.blocks.length - 1);
    if (waiting.length < BLOCKS_AT_ONCE) continue;
    await storeBlocks(store, waiting);
    waiting = [];
  }
}

/** Milliseconds of a first page, the median of several. */
async function timed(store: Store, runs: number, height?: number): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const began = performance.now();
    const named = height === undefined ? undefined : { height };
    await store.query(holdersAsOf, { id: token.id, at: named, limit: LIMIT, shared: sharedHolders() });
    times.push(performance.now() - began);
  }
  return median(times);
}

async function measure(engine: string, url: string, settled: () => Promise<void>): Promise<void> {
  const store = await openStore(url);
  try {
    await fill(store);
    await settled();
    const now = await timed(store, 200);
    print(`| ${engine} | now | ${now.toFixed(2)} ms | 1 |`);
    for (const share of SHARES) {
      const then = await timed(store, 3, BLOCKS * share);
      print(
        `| ${engine} | as of ${share * 100} % of the blocks | ${then.toFixed(0)} ms | ${(then / now).toFixed(0)} |`,
      );
    }
  } finally {
    await store.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), "aqs-bench-"));
try {
  print("| engine | holders | first page | × now |\n|---|---|---:|---:|");
  await measure("SQLite", `sqlite:${join(folder, "holders.db")}`, async () => {});
  if (postgresBinaries() === null) print(`PostgreSQL is left out: ${NO_POSTGRES}`);
  else {
    const server = startPostgres(BENCH_SETTINGS);
    try {
      await server.run("CREATE DATABASE bench");
      const url = server.url("bench");
      await measure("PostgreSQL", url, async () => {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query("VACUUM ANALYZE");
        await client.end();
      });
    } finally {
      await server.stop();
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * `npm run bench -- growth [MILLIONS]`: prints the bytes for each row that every table and index takes in both engines,
 * with 1 million live outputs, after two of three outputs were spent. It stores generated blocks in transactions like
 * those of `aqs sync`. Autovacuum is off, because a fast sync leaves it behind. A million takes over ten minutes and 7 GB
 * of disk.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import type { Block, OutPoint } from "#lib/contract/ledger.ts";
import { CACHE_MB } from "#lib/indexer/sync.ts";
import { openStore } from "#lib/store/open.ts";
import { PostgresStore } from "#lib/store/postgres/postgres-store.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import type { Store } from "#lib/store/store.ts";
import { identity, keyOf, Ledger, type OutputPlan, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { BENCH_SETTINGS, startPostgres } from "#lib/testing/postgres.ts";

const LIVE = Math.round(Number(process.argv[2] ?? 1) * 1_000_000);
const CREATED = LIVE * 3;
/** Number of outputs in a transaction, as of `aqs sync` while it catches up. */
const OUTPUTS_A_TRANSACTION = 10_000;
const TRANSACTIONS_A_BLOCK = 50;
const ADDRESSES = 100_000;
/** Outputs that each block of 100 spends. A third of all outputs stays live. */
const SPENT_A_BLOCK = 67;
/** Every second spent output is one of this many newest ones. */
const RECENT = 20_000;

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Numbers from 0 to 1, the same in each run (mulberry32). */
let seed: number;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n: number) => Math.floor(random() * n);

const tokens = Array.from({ length: 50 }, (_, i) => tokenOf(`t${i}`));
/** A fifth of the outputs go to one address; a quarter hold tokens. An address has as many characters as most of CKB's. */
const addressOf = (owner: string) => ({ key: keyOf(owner), text: owner.padStart(97, "q") });
const plan = (): OutputPlan => ({
  to: addressOf(below(5) === 0 ? "holder" : `address ${below(ADDRESSES)}`),
  capacity: 6_100_000_000n + BigInt(below(1e12)),
  ...(below(4) === 0 ? { token: tokens[below(tokens.length)]!, amount: BigInt(below(1e14)) } : {}),
});

/** Blocks of 100 outputs, one at a time, so that memory holds only what is live. */
function* generate(): Generator<Block> {
  seed = 7;
  const live: OutPoint[] = [];
  const ledger = new Ledger();
  for (let created = 0; created < CREATED; created += 2 * TRANSACTIONS_A_BLOCK) {
    const spend: OutPoint[] = [];
    for (let i = 0; i < SPENT_A_BLOCK && live.length > 1_000; i++) {
      const at = below(2) === 0 ? below(live.length) : live.length - 1 - below(Math.min(RECENT, live.length));
      spend.push(live[at]!);
      // The oldest of the newest takes the spent one's place, so the order stays close to the chain's.
      live[at] = live.at(-1)!;
      live.pop();
    }
    const block = ledger.block(
      Array.from({ length: TRANSACTIONS_A_BLOCK }, (_, i) => ({
        spend: spend.filter((_, n) => n % TRANSACTIONS_A_BLOCK === i),
        create: [plan(), plan()],
      })),
    );
    for (const { hash, outputs } of block.transactions) {
      for (const outputIndex of outputs.keys()) live.push({ transactionHash: hash, outputIndex });
    }
    ledger.blocks.splice(0, ledger.blocks.length - 1);
    yield block;
  }
}

interface Size {
  table: string;
  /** An index, or the table itself. */
  name: string;
  bytes: number;
}

const SQLITE_SIZES = `
  SELECT o.tbl_name AS "table", o.name, d.pgsize AS bytes
  FROM dbstat d JOIN sqlite_schema o ON o.name = d.name WHERE d.aggregate = TRUE`;
const POSTGRES_SIZES = `
  SELECT relname AS "table", relname AS name, pg_table_size(oid)::float8 AS bytes
  FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
  UNION ALL
  SELECT indrelid::regclass::text, indexrelid::regclass::text, pg_relation_size(indexrelid)::float8
  FROM pg_index WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)`;

/** Runs SQL on either engine. */
type Run = <Row>(sql: string) => Promise<Row[]>;

/** Prints tables and indexes of a megabyte or more, the largest table first. */
async function printSizes(title: string, sql: string, run: Run): Promise<void> {
  const tables = Object.values(Object.groupBy(await run<Size>(sql), ({ table }) => table))
    .map((sizes) => ({ sizes: sizes!, bytes: sizes!.reduce((sum, { bytes }) => sum + bytes, 0) }))
    .sort((a, b) => b.bytes - a.bytes);
  print(`${title}: ${(tables.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(0)} MB`);
  for (const { sizes, bytes } of tables.filter((table) => table.bytes >= 1e6)) {
    const { table } = sizes[0]!;
    const rows = Number(
      (await run<{ rows: number | string }>(`SELECT count(*) AS rows FROM ${table}`))[0]!.rows,
    );
    const parts = sizes.map((part) => `${part.name} ${(part.bytes / rows).toFixed(0)}`).join(", ");
    print(`  ${table}: ${rows} rows, ${(bytes / rows).toFixed(0)} bytes each: ${parts}`);
  }
}

/** Stores all blocks in an empty database. */
async function fill(store: Store): Promise<void> {
  await store.migrate();
  await store.write(identify, identity);
  const began = performance.now();
  let batch: Block[] = [];
  for (const block of generate()) {
    batch.push(block);
    if (batch.length * 2 * TRANSACTIONS_A_BLOCK < OUTPUTS_A_TRANSACTION) continue;
    await storeBlocks(store, batch);
    batch = [];
  }
  await storeBlocks(store, batch);
  print(`${CREATED} outputs stored in ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

async function sqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aqs-bench-"));
  const file = join(folder, "growth.db");
  try {
    const store = await openStore(`sqlite:${file}`, { cacheMb: CACHE_MB });
    await fill(store);
    await store.close();
    const db = new DatabaseSync(file);
    await printSizes("SQLite", SQLITE_SIZES, async <Row>(sql: string) => db.prepare(sql).all() as Row[]);
    db.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function postgres(): Promise<void> {
  // Pages that a checkpoint precedes are logged whole, as on a server that must survive a crash.
  const server = startPostgres({ ...BENCH_SETTINGS, full_page_writes: "on" });
  const store = new PostgresStore(server.url("postgres"), { statementTimeoutMs: 0 });
  const client = new pg.Client({ connectionString: server.url("postgres") });
  const run = async <Row>(sql: string) => (await client.query(sql)).rows as Row[];
  try {
    await client.connect();
    await fill(store);
    const [{ wal }] = (await run<{ wal: string }>("SELECT pg_current_wal_lsn() - '0/0' AS wal")) as [
      { wal: string },
    ];
    print(`PostgreSQL wrote ${(Number(wal) / 1e6).toFixed(0)} MB of WAL`);
    await printSizes("PostgreSQL, after storing", POSTGRES_SIZES, run);
    await client.query("VACUUM");
    await client.query("REINDEX DATABASE CONCURRENTLY postgres");
    await printSizes("PostgreSQL, after REINDEX", POSTGRES_SIZES, run);
  } finally {
    await client.end();
    await store.close();
    await server.stop();
  }
}

await sqlite();
await postgres();

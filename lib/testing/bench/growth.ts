/**
 * `npm run bench -- growth [MILLIONS]`: prints how large PostgreSQL's tables get with 1 million live outputs, after
 * two of three outputs were spent. It stores generated blocks in transactions like those of `aqs sync`. Autovacuum is
 * off, because a fast sync leaves it behind. A million takes over ten minutes and 4 GB of disk.
 */
import pg from "pg";
import type { Block, OutPoint } from "#lib/contract/ledger.ts";
import { PostgresStore } from "#lib/store/postgres/postgres-store.ts";
import { identify } from "#lib/store/rules/ledger.ts";
import { identity, Ledger, type OutputPlan, storeBlocks, tokenOf } from "#lib/testing/ledger.ts";
import { BENCH_SETTINGS, startPostgres } from "#lib/testing/postgres.ts";

const LIVE = Math.round(Number(process.argv[2] ?? 1) * 1_000_000);
const CREATED = LIVE * 3;
/** As `aqs sync` fills its transactions while it catches up. */
const OUTPUTS_A_TRANSACTION = 10_000;
const TRANSACTIONS_A_BLOCK = 50;
const ADDRESSES = 100_000;
/** Of the outputs of a block's second half; a third of all is created to stay. */
const SPENT_A_BLOCK = 67;
/** Every second spent output is one of this many newest ones. */
const RECENT = 20_000;

const print = (text: string) => process.stdout.write(`${text}\n`);

/** Numbers from 0 to 1, the same in each run (mulberry32). */
let seed = 7;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}
const below = (n: number) => Math.floor(random() * n);

const tokens = Array.from({ length: 50 }, (_, i) => tokenOf(`t${i}`));
/** A fifth of the outputs go to one address; a quarter hold tokens. */
const plan = (): OutputPlan => ({
  to: below(5) === 0 ? "holder" : `address ${below(ADDRESSES)}`,
  capacity: 6_100_000_000n + BigInt(below(1e12)),
  ...(below(4) === 0 ? { token: tokens[below(tokens.length)]!, amount: BigInt(below(1e14)) } : {}),
});

/** Blocks of 100 outputs, one at a time, so that memory holds only what is live. */
function* generate(): Generator<Block> {
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
  name: string;
  heap: string;
  indexes: string;
  /** Rows updated so far, and how many of them needed no new entry in an index (heap-only tuples). */
  updated: number;
  hot: number;
}

async function sizes(client: pg.Client, title: string): Promise<void> {
  const { rows } = await client.query<Size>(
    `SELECT relname AS name, pg_table_size(relid) AS heap, pg_indexes_size(relid) AS indexes,
            n_tup_upd::float8 AS updated, n_tup_hot_upd::float8 AS hot
     FROM pg_stat_user_tables ORDER BY pg_total_relation_size(relid) DESC LIMIT 6`,
  );
  const live = Number((await client.query("SELECT count(*) AS n FROM live_outputs")).rows[0].n);
  const perMillion = (bytes: string) => (Number(bytes) / live).toFixed(0);
  print(`${title}: ${live} live outputs; MB per million of them, table + indexes; updates`);
  for (const { name, heap, indexes, updated, hot } of rows) {
    const share = updated === 0 ? "none" : `${updated}, ${((hot / updated) * 100).toFixed(0)} % HOT`;
    print(
      `  ${name.padEnd(14)} ${perMillion(heap).padStart(5)} + ${perMillion(indexes).padStart(5)}; ${share}`,
    );
  }
}

async function main(): Promise<void> {
  const server = startPostgres(BENCH_SETTINGS);
  const store = new PostgresStore(server.url("postgres"), { statementTimeoutMs: 0 });
  const client = new pg.Client({ connectionString: server.url("postgres") });
  try {
    await client.connect();
    await store.migrate();
    await store.write(identify, identity);
    let batch: Block[] = [];
    let outputs = 0;
    let seconds = 0;
    let reported = 0;
    const append = async () => {
      const began = performance.now();
      await storeBlocks(store, batch);
      seconds += (performance.now() - began) / 1000;
      batch = [];
    };
    for (const block of generate()) {
      batch.push(block);
      outputs += 2 * TRANSACTIONS_A_BLOCK;
      if (outputs % OUTPUTS_A_TRANSACTION === 0) await append();
      if (outputs - reported >= CREATED / 6) {
        reported = outputs;
        await sizes(client, `${outputs} outputs stored in ${seconds.toFixed(1)} s`);
      }
    }
    if (batch.length > 0) await append();
    print(`stored: ${(outputs / seconds).toFixed(0)} outputs a second`);
    await sizes(client, "after storing");

    await client.query("VACUUM");
    await client.query("REINDEX TABLE CONCURRENTLY live_outputs");
    await client.query("REINDEX TABLE CONCURRENTLY outputs");
    await sizes(client, "after REINDEX");
  } finally {
    await client.end();
    await store.close();
    await server.stop();
  }
}

await main();

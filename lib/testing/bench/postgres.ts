/**
 * `npm run bench -- postgres [MILLIONS]`: prints plans, buffers, times and sizes of pages on a temporary PostgreSQL
 * with 5 million live outputs, a fifth of them at one address. That takes a few minutes and 6 GB of disk.
 */
import pg from "pg";
import { outputPageFor } from "#lib/queries/address-utxos/page-statement.ts";
import { utxosOfAddress } from "#lib/queries/address-utxos/read.ts";
import { assetChangesOfBlock, postgresPage } from "#lib/queries/block-asset-changes/read.ts";
import { blockHashAt } from "#lib/queries/chain.ts";
import { PostgresStore } from "#lib/store/postgres/postgres-store.ts";
import { READ_SETTINGS, set } from "#lib/store/postgres/settings.ts";
import type { Position } from "#lib/store/rows.ts";
import { type Statement, toBytes, valuesOf } from "#lib/store/statement.ts";
import { transactionId } from "#lib/store/transaction-id.ts";
import { BENCH_SETTINGS, startPostgres } from "#lib/testing/postgres.ts";

const OUTPUTS = Math.round(Number(process.argv[2] ?? 5) * 1_000_000);
const OUTPUTS_A_BLOCK = 100;
const BLOCKS = OUTPUTS / OUTPUTS_A_BLOCK;
const DEPTH = OUTPUTS / 10;
const LIMIT = 100;
const RUNS = 300;

const print = (text = "") => process.stdout.write(`${text}\n`);

/**
 * Rows in chain order, as the indexer writes them. A fifth of the outputs go to one address, the others to 100,000; a
 * quarter hold tokens.
 */
const FILL = [
  `INSERT INTO tokens (id, asset_id, standard, fungible, content_type, chain_parent_id, first_height, first_mint_height,
                       supply, name, name_folded, symbol, decimals)
   SELECT n, '0x' || encode(sha256(('token ' || n)::bytea), 'hex'), CASE n WHEN 1 THEN 'native' ELSE 'xUDT' END, true,
          '', '', 0, 0, 10::numeric ^ 20, 'Token ' || n, 'token ' || n, 'T' || n, 8
   FROM generate_series(1, 50) n`,
  `INSERT INTO blocks
   SELECT h, sha256(('block ' || h)::bytea), sha256(('block ' || h - 1)::bytea), 1700000000000 + h * 10000, 50, 20, ''
   FROM generate_series(0, ${BLOCKS - 1}) h`,
  `INSERT INTO addresses
   SELECT sha256(('address ' || n)::bytea), 'ckt1' || repeat('q', 92), 0 FROM generate_series(0, 100000) n`,
  `INSERT INTO transactions (id, hash)
   SELECT (h << 20) + t, sha256(('transaction ' || h || ' ' || t)::bytea)
   FROM generate_series(0, ${BLOCKS - 1}) h, generate_series(0, 49) t`,
  `INSERT INTO live_outputs (transaction_id, output_index, token_id, address_key, transaction_hash, amount, capacity)
   SELECT ((n / 100) << 20) + n % 100 / 2, n % 2,
     CASE WHEN n % 4 <> 3 THEN 1 WHEN n % 5 = 0 THEN 2 ELSE 2 + n / 7 % 49 END,
     sha256(('address ' || CASE WHEN n % 5 = 0 THEN 0 ELSE 1 + n * 7919 % 100000 END)::bytea),
     sha256(('transaction ' || n / 100 || ' ' || n % 100 / 2)::bytea),
     CASE WHEN n % 4 = 3 THEN n * 1000003 % 100000000000000 END, 6100000000 + n * 104729 % 100000000000
   FROM generate_series(0::bigint, ${OUTPUTS - 1}) n`,
  `INSERT INTO outputs (transaction_id, output_index, token_id, address_key, amount, capacity, kind)
   SELECT transaction_id, output_index, token_id, address_key, amount, capacity, 'plain'
   FROM live_outputs ORDER BY transaction_id, output_index`,
  `INSERT INTO holdings
   SELECT address_key, token_id, count(*), sum(coalesce(amount, capacity)), sum(capacity) FROM live_outputs GROUP BY 1, 2`,
  `INSERT INTO asset_changes (block_hash, ordinal, token_id, height, amount, amount_usd, transaction_count)
   SELECT hash, ordinal, 1 + (height + ordinal) % 50, height, 10::numeric ^ 10 + ordinal * 7919, ordinal * 7919 % 1000, 1
   FROM blocks, generate_series(0, 19) ordinal`,
];

/** Runs the prepared statement. Returns its plan, and the buffers that it and its index scan touched. */
async function explain(client: pg.Client, query: Statement) {
  const { rows } = await client.query<{ "QUERY PLAN": string }>(
    `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, COSTS OFF) ${query.postgres}`,
    valuesOf(query, "postgres"),
  );
  const lines = rows.map((row) => row["QUERY PLAN"]);
  const buffersFrom = (start: number) => {
    const line = lines.slice(Math.max(start, 0)).find((text) => text.includes("Buffers: shared")) ?? "";
    return [...line.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const scan = lines.findIndex((line) => /Scan .*using (live_outputs|asset_changes)/.test(line));
  return {
    plan: lines.join("\n"),
    buffers: `${buffersFrom(0)} buffers, ${buffersFrom(scan)} of them by the scan`,
  };
}

async function times(work: () => Promise<unknown>): Promise<string> {
  const all: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const began = performance.now();
    await work();
    all.push(performance.now() - began);
  }
  all.sort((a, b) => a - b);
  return `p50 ${all[RUNS / 2]!.toFixed(2)} ms, p95 ${all[Math.floor(RUNS * 0.95)]!.toFixed(2)} ms`;
}

async function main(): Promise<void> {
  // Vacuum runs by hand below, so that it does not disturb the measurement.
  const server = startPostgres(BENCH_SETTINGS);
  const store = new PostgresStore(server.url("postgres"));
  const client = new pg.Client({ connectionString: server.url("postgres") });
  try {
    await store.migrate();
    await client.connect();
    for (const sql of FILL) {
      const began = performance.now();
      const { rowCount } = await client.query(sql);
      print(
        `${rowCount} rows: ${/INTO (\w+)/.exec(sql)![1]}, ${((performance.now() - began) / 1000).toFixed(1)} s`,
      );
    }
    await client.query("VACUUM ANALYZE");
    await sizes(client);
    await measure(client, store);
  } finally {
    await client.end();
    await store.close();
    await server.stop();
  }
}

async function sizes(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; rows: string; heap: string; indexes: string }>(
    `SELECT relname AS name, reltuples::bigint AS rows, pg_table_size(oid) AS heap, pg_indexes_size(oid) AS indexes
     FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples > 1000 ORDER BY 3 DESC`,
  );
  print("\ntable            rows       MB     with indexes   bytes a row");
  let total = 0;
  for (const row of rows) {
    const all = Number(row.heap) + Number(row.indexes);
    total += all;
    const figures = [row.rows, (Number(row.heap) / 1e6).toFixed(0), (all / 1e6).toFixed(0)];
    print(
      `${row.name.padEnd(14)} ${figures.map((text) => text.padStart(9)).join(" ")}   ${(all / Number(row.rows)).toFixed(0)}`,
    );
  }
  print(
    `together ${(total / 1e6).toFixed(0)} MB: ${(((total / OUTPUTS) * 1e6) / 1e6).toFixed(0)} MB a million live outputs`,
  );
}

async function measure(client: pg.Client, store: PostgresStore): Promise<void> {
  const keyOf = async (n: number) =>
    (await client.query<{ key: string }>(`SELECT '0x' || encode(sha256('address ${n}'), 'hex') AS key`))
      .rows[0]!.key;
  const hashAt = async (height: number) => (await store.query(blockHashAt, height))!;
  const holder = await keyOf(0);
  await client.query(set(READ_SETTINGS, "connection"));

  /** The position after the holder's first `depth` outputs. */
  const positionAt = async (depth: number): Promise<Position> => {
    const { rows } = await client.query<{ id: string; index: string }>(
      `SELECT transaction_id AS id, output_index AS index FROM live_outputs WHERE address_key = '\\x${holder.slice(2)}'
       ORDER BY transaction_id, output_index OFFSET ${depth - 1} LIMIT 1`,
    );
    const height = Math.floor(Number(rows[0]!.id) / 2 ** 20);
    const hash = await hashAt(height);
    return {
      height,
      transactionIndex: Number(rows[0]!.id) % 2 ** 20,
      outputIndex: Number(rows[0]!.index),
      blockHash: hash,
      readAt: { height, hash },
    };
  };
  const found: string[] = [];
  for (const depth of [0, LIMIT, DEPTH / 10, DEPTH / 2, DEPTH, DEPTH + 50, OUTPUTS / 5 - 2 * LIMIT]) {
    const after = depth === 0 ? undefined : await positionAt(depth);
    const page = outputPageFor(
      "live",
      "asc",
      {},
    )({
      address: toBytes(holder),
      id: after ? transactionId(after.height, after.transactionIndex) : -1,
      index: after?.outputIndex ?? -1,
      limit: LIMIT + 1,
      end: Number.MAX_SAFE_INTEGER,
      positionHeight: after?.height ?? -1,
      tipHeight: after?.readAt.height ?? -1,
      write: "",
    });
    const { plan, buffers } = await explain(client, page);
    if (depth === 0 || depth === DEPTH) print(`\n--- ${LIMIT} outputs after ${depth}\n${plan}`);
    const query = { addressKey: holder, order: "asc" as const, limit: LIMIT, after };
    const took = await times(() => store.query(utxosOfAddress, query));
    found.push(`outputs after ${String(depth).padStart(7)}: ${buffers}; ${took}`);
  }
  const pageOfBlock = postgresPage({ filters: [], volumeOrder: undefined });
  for (const height of [10, Math.floor(BLOCKS / 2), BLOCKS - 10]) {
    const blockHash = await hashAt(height);
    const changes = pageOfBlock({ hash: toBytes(blockHash), limit: 10, offset: 0, write: "" });
    const { plan, buffers } = await explain(client, changes);
    if (height === 10) print(`\n--- 10 changes of block ${height}\n${plan}`);
    const query = { blockHash, assetName: "", tags: [], offset: 0, limit: 10 };
    const took = await times(() => store.query(assetChangesOfBlock, query));
    found.push(`changes of block ${String(height).padStart(5)}: ${buffers}; ${took}`);
  }
  print(`\n${found.join("\n")}`);
}

await main();

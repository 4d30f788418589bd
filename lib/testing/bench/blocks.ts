/**
 * `npm run bench -- blocks [litecoin|bitcoin] [BLOCKS]`: measures full blocks of 4,000 transactions, from a node's bytes to
 * the database: their time and their size there. A first process makes the blocks; each measurement has its own.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { addressOf } from "#lib/chains/bitcoin/address.ts";
import { merkleRoot, parseBlock } from "#lib/chains/bitcoin/block.ts";
import { ByteReader } from "#lib/chains/bitcoin/bytes.ts";
import { scryptHash, sha256d, toName } from "#lib/chains/bitcoin/hashes.ts";
import {
  bitcoin,
  type Currency,
  HEADER_BYTES,
  litecoin,
  networkNamed,
} from "#lib/chains/bitcoin/networks.ts";
import { fullBlocks } from "#lib/chains/bitcoin/testing/full-blocks.ts";
import { readTransaction } from "#lib/chains/bitcoin/transaction.ts";
import type { ChainSource } from "#lib/contract/source.ts";
import { CACHE_MB, sync } from "#lib/indexer/sync.ts";
import { openStore } from "#lib/store/open.ts";
import { nodeFlags } from "#lib/testing/node-flags.ts";
import { BENCH_SETTINGS, startPostgres } from "#lib/testing/postgres.ts";
import { median } from "./median.ts";

const TRANSACTIONS = 4_000;
const FIRST_HEIGHT = 1_000;
const currencies: Record<string, Currency> = { litecoin, bitcoin };
const regtest = (currency: Currency) => networkNamed(currency, "regtest");

// --- blocks in a file, each after its length -----------------------------------------------------------------

function record(currency: Currency, blocks: number, file: string): number {
  const handle = openSync(file, "w");
  const length = Buffer.alloc(4);
  let left = blocks;
  for (const { bytes } of fullBlocks(currency, TRANSACTIONS)) {
    length.writeUInt32LE(bytes.length);
    writeSync(handle, length);
    writeSync(handle, bytes);
    left -= 1;
    if (left === 0) break;
  }
  closeSync(handle);
  return blocks;
}

/** The recorded blocks, of which only the places are in memory. */
class Recorded {
  readonly hashes: string[] = [];
  readonly #handle: number;
  readonly #places: { at: number; length: number }[] = [];

  constructor(file: string) {
    this.#handle = openSync(file, "r");
    const start = Buffer.alloc(4 + HEADER_BYTES);
    for (let at = 0; readSync(this.#handle, start, { position: at }) > 0; ) {
      const length = start.readUInt32LE();
      this.#places.push({ at: at + 4, length });
      this.hashes.push(toName(sha256d(start.subarray(4))));
      at += 4 + length;
    }
  }

  bytes(index: number): Buffer {
    const { at, length } = this.#places[index]!;
    const bytes = Buffer.alloc(length);
    readSync(this.#handle, bytes, { position: at });
    return bytes;
  }
}

// --- the measured processes ----------------------------------------------------------------------------------

/** Milliseconds of processor time of all threads of this process. */
const cpuTime = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function timed(work: () => void): number {
  const before = cpuTime();
  work();
  return cpuTime() - before;
}

/** Milliseconds for each part of reading a block: medians of the full ones. */
function measureParsing(currency: Currency, file: string): Record<string, number> {
  const network = regtest(currency);
  const blocks = new Recorded(file);
  const parts: Record<string, number[]> = {};
  for (const index of blocks.hashes.keys()) {
    if (index === 0) continue;
    const bytes = blocks.bytes(index);
    const place = { currency, network, height: FIRST_HEIGHT + index, where: `block ${index}` };
    const header = bytes.subarray(0, HEADER_BYTES);
    const read = () => {
      const reader = new ByteReader(bytes, "block");
      reader.take(HEADER_BYTES);
      return Array.from({ length: reader.count(60) }, () => readTransaction(reader, currency));
    };
    const transactions = read();
    const scripts = transactions.flatMap(({ outputs }) => outputs.map(({ script }) => script));
    const measured = {
      "reading in all": timed(() => parseBlock(bytes, place)),
      "transactions and their hashes": timed(read),
      "Merkle trees": timed(() => {
        merkleRoot(transactions.map(({ id }) => id));
        merkleRoot(transactions.map(({ witnessId }) => witnessId));
      }),
      addresses: timed(() => {
        for (const script of scripts) addressOf(script, network);
      }),
      "proof of work": timed(() => (currency.proofOfWork === "scrypt" ? scryptHash : sha256d)(header)),
    };
    for (const [part, time] of Object.entries(measured)) {
      parts[part] = [...(parts[part] ?? []), time];
    }
  }
  return Object.fromEntries(Object.entries(parts).map(([part, times]) => [part, median(times)]));
}

interface Stored {
  /** Milliseconds of the clock, and of this process's processor time, for each full block. */
  clock: number;
  cpu: number;
  /** The part for reading the block. */
  reading: number;
  /** Processor time of a block near the tip, which has a transaction of its own. */
  nearTip: number;
  /** Peak resident set, in MB. */
  memory: number;
}

async function measureSync(currency: Currency, file: string, url: string): Promise<Stored> {
  const network = regtest(currency);
  const blocks = new Recorded(file);
  const tip = FIRST_HEIGHT + blocks.hashes.length - 1;
  let reading = 0;
  const source: ChainSource = {
    native: currency.native,
    identity: async () => ({ network: network.name, native: currency.native, demo: false }),
    tip: async () => ({ height: tip, hash: blocks.hashes.at(-1)! }),
    hashAt: async (height) => blocks.hashes[height - FIRST_HEIGHT] ?? null,
    async blocks(from, to) {
      const before = cpuTime();
      const read = Array.from({ length: to - from + 1 }, (_, i) => {
        const height = from + i;
        const place = { currency, network, height, where: `block ${height}` };
        return parseBlock(blocks.bytes(height - FIRST_HEIGHT), place);
      });
      reading += cpuTime() - before;
      return read;
    },
    outputs: async () => new Map(),
  };
  const store = await openStore(url, { cacheMb: CACHE_MB });
  const nearTip: number[] = [];
  const began = performance.now();
  const before = cpuTime();
  let last = { cpu: before, blocks: 0 };
  await sync(store, source, {
    once: true,
    from: FIRST_HEIGHT,
    log: (message) => console.error(message),
    onProgress({ blocks }) {
      const cpu = cpuTime();
      if (blocks === last.blocks + 1) nearTip.push(cpu - last.cpu);
      last = { cpu, blocks };
    },
  });
  const full = blocks.hashes.length - 1;
  const clock = (performance.now() - began) / full;
  const cpu = (cpuTime() - before) / full;
  await store.close();
  const memory = process.resourceUsage().maxRSS / 1024;
  return { clock, cpu, reading: reading / full, nearTip: median(nearTip), memory };
}

async function measure<T>(task: string[]): Promise<T> {
  const program = [...nodeFlags("aqs"), fileURLToPath(import.meta.url), ...task];
  const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${task[0]} ended with ${code}`);
  return JSON.parse(text) as T;
}

// --- the databases -------------------------------------------------------------------------------------------

/** Their rows exist as long as an output lives; those of all others stay. */
const LIVE_TABLES = ["live_outputs", "holdings", "kinds"];

interface Size {
  /** Bytes of the tables for live outputs, for each of them, and of all others, for each output that was created. */
  live: number;
  created: number;
}

function sizeOf(tables: { name: string; bytes: number }[], live: number, created: number): Size {
  const sum = (isLive: boolean) =>
    tables.reduce((total, { name, bytes }) => total + (LIVE_TABLES.includes(name) === isLive ? bytes : 0), 0);
  return { live: sum(true) / live, created: sum(false) / created };
}

const COUNTS =
  "SELECT (SELECT count(*) FROM live_outputs) AS live, (SELECT count(*) FROM outputs) AS created";

async function onSqlite(currency: string, file: string, folder: string): Promise<Stored & Size> {
  const database = join(folder, `${currency}.db`);
  const stored = await measure<Stored>(["sync", currency, file, `sqlite:${database}`]);
  const db = new DatabaseSync(database, { readOnly: true });
  const { live, created } = db.prepare(COUNTS).get() as { live: number; created: number };
  const tables = db.prepare(
    "SELECT tbl_name AS name, sum(pgsize) AS bytes FROM dbstat JOIN sqlite_schema USING (name) GROUP BY tbl_name",
  );
  const size = sizeOf(tables.all() as { name: string; bytes: number }[], live, created);
  db.close();
  return { ...stored, ...size };
}

/** Adds the processor time of the server, which Linux counts in hundredths of a second. */
async function onPostgres(currency: string, file: string, blocks: number): Promise<Stored & Size> {
  const server = startPostgres(BENCH_SETTINGS);
  const client = new pg.Client({ connectionString: server.url("postgres") });
  try {
    const main = readFileSync(join(server.folder, "data", "postmaster.pid"), "utf8").split("\n")[0];
    const ofServer = () => {
      const [, fields] = readFileSync(`/proc/${main}/stat`, "utf8").split(") ");
      return fields!
        .split(" ")
        .slice(11, 15)
        .reduce((total, ticks) => total + 10 * Number(ticks), 0);
    };
    const before = ofServer();
    const stored = await measure<Stored>(["sync", currency, file, server.url("postgres")]);
    stored.cpu += (ofServer() - before) / blocks;
    await client.connect();
    // Most outputs of this short chain are spent at once. Without this, their dead rows would dominate the size.
    await client.query("VACUUM FULL");
    const { live, created } = (await client.query(COUNTS)).rows[0];
    const tables = await client.query(
      "SELECT relname AS name, pg_total_relation_size(relid)::float8 AS bytes FROM pg_stat_user_tables",
    );
    return { ...stored, ...sizeOf(tables.rows, Number(live), Number(created)) };
  } finally {
    await client.end();
    await server.stop();
  }
}

async function main(only = "", blocks = 40): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aqs-bench-"));
  try {
    for (const currency of Object.keys(currencies).filter((name) => name.includes(only))) {
      const file = join(folder, currency);
      await measure(["record", currency, String(blocks + 1), file]);
      const parts = await measure<Record<string, number>>(["parse", currency, file]);
      console.log(`${currency}: processor time of a block of ${TRANSACTIONS} transactions`);
      for (const [part, time] of Object.entries(parts)) console.log(`  ${part}: ${time.toFixed(1)} ms`);
      for (const [engine, stored] of [
        ["SQLite", await onSqlite(currency, file, folder)],
        ["PostgreSQL", await onPostgres(currency, file, blocks)],
      ] as const) {
        const { clock, cpu, reading, nearTip, memory, live, created } = stored;
        const figures = [
          `${cpu.toFixed(0)} ms of processor time a block, ${reading.toFixed(0)} of them for reading it`,
          `${nearTip.toFixed(0)} near the tip`,
          `${clock.toFixed(0)} ms by the clock`,
          `peak ${memory.toFixed(0)} MB`,
          `${live.toFixed(0)} bytes a live output`,
          `${created.toFixed(0)} bytes a created one`,
        ];
        console.log(`${currency} into ${engine}: ${figures.join(", ")}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [task, ...args] = process.argv.slice(2) as [string?, ...string[]];
const [currency, file, url] = [currencies[args[0] ?? ""]!, args[1]!, args[2]!];
if (task === "record") console.log(record(currency, Number(args[1]), args[2]!));
else if (task === "parse") console.log(JSON.stringify(measureParsing(currency, file)));
else if (task === "sync") console.log(JSON.stringify(await measureSync(currency, file, url)));
else await main(task, args[0] === undefined ? undefined : Number(args[0]));

/**
 * `npm run bench -- long [BLOCKS] [FILE] [HISTORY]`: stores a long chain, 2 million blocks of 13 outputs, in SQLite as `aqs sync` does.
 * Prints for each 100,000 blocks how fast that was, by the processor time of the writing thread and by the clock, how many
 * bytes were written for each byte of the database, and the peak of the memory. Blocks are made of their heights alone, when
 * they are asked for: no node's work is in the figures, and no chain is in memory. To make a block is always the same work, so
 * the ratio to it distinguishes a slower database from a slower machine. An existing FILE is continued, and FILE stays.
 * HISTORY: as `aqs sync --history` has it.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Block, OutPoint, Output, Transaction } from "#lib/contract/ledger.ts";
import type { ChainSource } from "#lib/contract/source.ts";
import { CACHE_MB, sync } from "#lib/indexer/sync.ts";
import { openStore } from "#lib/store/open.ts";
import { hashOf, native, outputOf, tokenOf } from "#lib/testing/ledger.ts";
import { nodeFlags } from "#lib/testing/node-flags.ts";
import { written } from "./written.ts";

const BLOCKS = Number(process.argv[2] ?? 2_000_000);
const EVERY = Math.min(100_000, BLOCKS);
/** The first transaction of a block creates one output, the others two each. */
const TRANSACTIONS = 7;
const OUTPUTS = 2 * TRANSACTIONS - 1;
/** Addresses that get a quarter of the outputs. */
const BUSY = 500;
/** New addresses per block. The latest IN_USE of them get outputs. */
const NEW_A_BLOCK = 0.3;
const IN_USE = 28_000;
const tokens = Array.from({ length: 500 }, (_, i) => tokenOf(`t${i}`));
/** Number of blocks until an output is spent, as powers of 2. Three of ten outputs never are. */
const DELAYS = [0, 0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 15, 17, 18];
const CHOICES = 20;

/** A number below 2^32 that looks random and depends on these three alone. */
function drawn(height: number, place: number, purpose: number): number {
  let t =
    Math.imul(height + 1, 0x9e3779b1) ^ Math.imul(place + 1, 0x85ebca6b) ^ Math.imul(purpose, 0xc2b2ae35);
  t = Math.imul(t ^ (t >>> 16), 0x7feb352d);
  t = Math.imul(t ^ (t >>> 15), 0x846ca68b);
  return (t ^ (t >>> 16)) >>> 0;
}

/** Another height of the same run of 2^bits heights, and each of them for one. */
const scattered = (height: number, bits: number) => {
  const run = 2 ** bits;
  return Math.floor(height / run) * run + (((height & (run - 1)) * 40_503) % run);
};

const blockHash = (height: number) => hashOf(`block ${height}`);
const transactionHash = (height: number, index: number) => hashOf(`transaction ${height} ${index}`);

function ownerOf(height: number, place: number): string {
  const chance = drawn(height, place, 1) / 2 ** 32;
  if (chance < 0.25) return `busy ${Math.floor(chance * 4 * BUSY)}`;
  return `${Math.floor(height * NEW_A_BLOCK - ((chance - 0.25) / 0.75) ** 2 * IN_USE)}`;
}

function outputAt(height: number, place: number): Output {
  const token =
    drawn(height, place, 2) % 4 === 0 ? tokens[drawn(height, place, 3) % tokens.length]! : undefined;
  return outputOf({
    to: ownerOf(height, place),
    capacity: 6_100_000_000n + BigInt(drawn(height, place, 4)),
    ...(token && { token, amount: BigInt(drawn(height, place, 5)) }),
  });
}

function blockAt(height: number): Block {
  const spent: OutPoint[] = [];
  for (const [i, delay] of DELAYS.entries()) {
    const from = scattered(height - 2 ** delay, delay);
    if (from < 0) break;
    for (let place = 0; place < OUTPUTS; place++) {
      if (drawn(from, place, 6) % CHOICES !== i) continue;
      const index = Math.floor((place + 1) / 2);
      spent.push({ transactionHash: transactionHash(from, index), outputIndex: index && (place + 1) % 2 });
    }
  }
  const transactions = Array.from(
    { length: TRANSACTIONS },
    (_, i): Transaction => ({
      hash: transactionHash(height, i),
      inputs: i === 0 ? [] : spent.filter((_, n) => n % (TRANSACTIONS - 1) === i - 1),
      outputs: i === 0 ? [outputAt(height, 0)] : [outputAt(height, 2 * i - 1), outputAt(height, 2 * i)],
      claims: [],
    }),
  );
  return {
    height,
    hash: blockHash(height),
    parentHash: blockHash(height - 1),
    timestamp: 1_600_000_000_000 + height * 10_000,
    headerFacts: hashOf(`facts ${height}`).slice(0, 34),
    transactions,
  };
}

/** Milliseconds that making blocks took: always the same work, so it says how fast the machine was meanwhile. */
let making = 0;

const source: ChainSource = {
  native,
  identity: async () => ({ network: "testnet", native, demo: false }),
  tip: async () => ({ height: BLOCKS - 1, hash: blockHash(BLOCKS - 1) }),
  hashAt: async (height) => blockHash(height),
  async blocks(from, to) {
    const began = performance.now();
    const made = Array.from({ length: to - from + 1 }, (_, i) => blockAt(from + i));
    making += performance.now() - began;
    return made;
  },
  outputs: async () => new Map(),
};

const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

async function main(): Promise<void> {
  if (!process.execArgv.some((flag) => flag.startsWith("--max-semi-space-size"))) {
    const { status } = spawnSync(process.execPath, [...nodeFlags("aqs"), ...process.argv.slice(1)], {
      stdio: "inherit",
    });
    process.exitCode = status ?? 1;
    return;
  }
  // Sync commits by time: other programs that keep the processor must not make it commit more often.
  const began = process.threadCpuUsage();
  performance.now = () => {
    const { user, system } = process.threadCpuUsage(began);
    return (user + system) / 1000;
  };
  const folder = mkdtempSync(join(tmpdir(), "aqs-bench-"));
  const file = process.argv[3] ?? join(folder, "long.db");
  try {
    const store = await openStore(`sqlite:${file}`, { cacheMb: CACHE_MB });
    console.log(
      "    blocks  blocks/s (CPU)  work/making  blocks/s  file MB  written/file  largest WAL MB  peak MB",
    );
    let clock = Date.now();
    let cpu = performance.now();
    let done = 0;
    let wal = 0;
    const stored = bytesOf(file);
    await sync(store, source, {
      once: true,
      history: process.argv[4] ? Number(process.argv[4]) : undefined,
      log: (message) => console.error(message),
      onProgress({ blocks, height }) {
        wal = Math.max(wal, bytesOf(`${file}-wal`));
        if (blocks - done < EVERY && height + 1 < BLOCKS) return;
        const size = bytesOf(file);
        const cells = [
          [height + 1, 10],
          [((blocks - done) / (performance.now() - cpu - making)) * 1000, 16],
          [(performance.now() - cpu - making) / making, 13, 2],
          [((blocks - done) / (Date.now() - clock)) * 1000, 10],
          [size / 1e6, 9],
          [written() / (size - stored), 14, 1],
          [wal / 1e6, 16],
          [process.resourceUsage().maxRSS / 1024, 9],
        ] as const;
        console.log(
          cells.map(([value, width, digits = 0]) => value.toFixed(digits).padStart(width)).join(""),
        );
        clock = Date.now();
        cpu = performance.now();
        making = 0;
        done = blocks;
      },
    });
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await main();

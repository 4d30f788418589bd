/**
 * `npm run bench -- ingest`: how fast `aqs sync` catches up with a stand-in node, compared with how fast SQLite alone
 * writes the same rows (the floor): the same statements and values, in the same transactions, without node, hashing
 * and reads. Each measurement runs in its own process, to measure its memory.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { knownScript, type Network } from "#lib/chains/ckb/known-scripts.ts";
import { CkbNodeThread } from "#lib/chains/ckb/node-thread.ts";
import type { NodeBlock, NodeScript } from "#lib/chains/ckb/schema.ts";
import {
  account,
  type CellSpec,
  CKB,
  type LiveCell,
  lockKinds,
  sporeType,
  tokenStandards,
  treasury,
  udt,
} from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import {
  readRecordedBlock,
  readRecordedCells,
  recordedBlocks,
} from "#lib/chains/ckb/testing/recorded-blocks.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { Random } from "#lib/demo/ckb/random.ts";
import { CACHE_MB, sync } from "#lib/indexer/sync.ts";
import { openStore } from "#lib/store/open.ts";
import { addFunctions, Database } from "#lib/store/sqlite/database.ts";
import { nodeFlags } from "#lib/testing/node-flags.ts";
import { median } from "./median.ts";
import { written } from "./written.ts";

const RUNS = 3;

interface Workload {
  name: string;
  kind: "generated" | "recorded";
  /** Blocks, or repeats of the recorded ones. */
  size: number;
}

const workloads: Workload[] = [
  { name: "generated, 3,000 blocks", kind: "generated", size: 3_000 },
  { name: "generated, 9,000 blocks", kind: "generated", size: 9_000 },
  { name: "generated, 27,000 blocks", kind: "generated", size: 27_000 },
  { name: "generated, 54,000 blocks", kind: "generated", size: 54_000 },
  { name: "recorded shapes, 40 times", kind: "recorded", size: 40 },
  { name: "recorded shapes, 160 times", kind: "recorded", size: 160 },
];

// --- chains ----------------------------------------------------------------------------------------------

/** Blocks of about ten transactions between a thousand accounts: payments, forty kinds of tokens, Spores. */
function generatedChain(blocks: number): readonly NodeBlock[] {
  const random = new Random(7);
  const kinds = Object.keys(lockKinds) as (keyof typeof lockKinds)[];
  const accounts = Array.from({ length: 1000 }, (_, i) => account(`account ${i}`, kinds[i % kinds.length]));
  const tokens = Array.from({ length: 40 }, (_, i) => ({
    issuer: accounts[i]!,
    type: udt(accounts[i]!, "xudt", i),
  }));
  const chain = new ChainBuilder({
    genesis: accounts.flatMap((lock) => [1, 2, 3].map(() => ({ lock, capacity: 10n ** 6n * CKB }))),
  });
  while (chain.height < blocks) {
    for (let i = 0; i < 6; i++) {
      chain.transfer({ from: random.pick(accounts), to: random.pick(accounts), amount: 200n * CKB });
    }
    for (let i = 0; i < 2; i++) {
      const { issuer, type } = random.pick(tokens);
      const to = [1, 2, 3].map(() => ({ lock: random.pick(accounts), amount: BigInt(random.next()) }));
      chain.mint({ token: type, issuer, to });
    }
    for (let i = 0; i < 2; i++) {
      const { type } = random.pick(tokens);
      const from = random.pick(accounts);
      const amount = chain.balance(from, type);
      if (amount > 0n) chain.transfer({ token: type, from, to: random.pick(accounts), amount, payer: from });
    }
    if (chain.height % 10 === 0) chain.spore({ to: random.pick(accounts), payer: random.pick(accounts) });
    chain.block();
  }
  return chain.blocks;
}

interface RecordedTransaction {
  inputs: { previous_output: { tx_hash: string; index: string } }[];
  outputs: { capacity: string; lock: NodeScript; type: NodeScript | null }[];
  outputs_data: string[];
  witnesses: string[];
  hash: string;
}

type RecordedCells = Record<string, { output: RecordedTransaction["outputs"][number]; data: string }>;

/**
 * Repeats the recorded blocks. An output can be spent only once: a funding block creates cells like those that the
 * recorded inputs spent, and the next block spends them. Mainnet token scripts become their testnet counterparts.
 */
function recordedChain(times: number): readonly NodeBlock[] {
  const cells = readRecordedCells() as RecordedCells;
  const blocks = recordedBlocks.map(({ height, network }) => ({
    network,
    transactions: (readRecordedBlock(height) as { transactions: RecordedTransaction[] }).transactions.slice(
      1,
    ),
  }));

  const genesis = Array.from({ length: 10 }, () => ({ lock: treasury, capacity: 10n ** 10n * CKB }));
  const chain = new ChainBuilder({ genesis });
  for (let i = 0; i < times; i++) {
    for (const { network, transactions } of blocks) repeat(chain, transactions, cells, network);
  }
  return chain.blocks;
}

function repeat(
  chain: ChainBuilder,
  transactions: RecordedTransaction[],
  cells: RecordedCells,
  network: Network,
): void {
  const spec = (output: RecordedTransaction["outputs"][number], data: string): CellSpec => ({
    lock: output.lock,
    type: output.type && onTestnet(output.type, network),
    data,
    capacity: BigInt(output.capacity),
  });
  const own = new Set(transactions.map((transaction) => transaction.hash));
  const outside = transactions
    .flatMap((transaction) => transaction.inputs)
    .map(({ previous_output: { tx_hash: hash, index } }) => ({ hash, key: `${hash}:${index}` }))
    .filter(({ hash }) => !own.has(hash));
  const funding = chain.transaction({
    inputs: chain.liveCells(treasury),
    outputs: outside.map(({ key }) => spec(cells[key]!.output, cells[key]!.data)),
    change: treasury,
  });
  chain.block();
  const made = new Map<string, LiveCell>(outside.map(({ key }, i) => [key, funding.cells[i]!]));
  for (const { hash, inputs, outputs, outputs_data: data, witnesses } of transactions) {
    const { cells: created } = chain.transaction({
      inputs: inputs.map(({ previous_output: { tx_hash, index } }) => made.get(`${tx_hash}:${index}`)!),
      outputs: outputs.map((output, i) => spec(output, data[i]!)),
      witnesses,
    });
    for (const [i, cell] of created.entries()) made.set(`${hash}:0x${i.toString(16)}`, cell);
  }
  chain.block();
}

function onTestnet(type: NodeScript, network: Network): NodeScript {
  if (network === "testnet") return type;
  const role = knownScript(type, "mainnet")?.role;
  if (role === "udt") return { ...tokenStandards.xudtByData, args: type.args };
  return role === "nft" ? sporeType(type.args) : type;
}

// --- the node, in a thread of its own ----------------------------------------------------------------------

async function serveChain({ kind, size }: Workload): Promise<void> {
  const blocks = kind === "generated" ? generatedChain(size) : recordedChain(size);
  const node = await StandInNode.start({ blocks });
  const outputs = blocks.reduce((n, b) => n + b.transactions.reduce((m, t) => m + t.outputs.length, 0), 0);
  // Request every block once: the node caches the packed form, so no measured run waits for it.
  let bytes = 0;
  for (let at = 0; at < blocks.length; at += 100) {
    const body = blocks.slice(at, at + 100).map((_, i) => ({
      jsonrpc: "2.0",
      id: i,
      method: "get_block_by_number",
      params: [`0x${(at + i).toString(16)}`, "0x0"],
    }));
    const reply = await fetch(node.url, { method: "POST", body: JSON.stringify(body) });
    bytes += (await reply.text()).length / 2;
  }
  parentPort!.postMessage({ url: node.url, blocks: blocks.length, outputs, bytes });
}

interface Served {
  url: string;
  blocks: number;
  outputs: number;
  bytes: number;
  worker: Worker;
}

async function startNode(workload: Workload): Promise<Served> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: workload,
    // It holds the whole chain in memory.
    resourceLimits: { maxOldGenerationSizeMb: 8192 },
  });
  const [message] = await once(worker, "message");
  return { ...message, worker };
}

// --- the measured processes ----------------------------------------------------------------------------------

interface Measured {
  seconds: number;
  /** Processor time of the writing thread, in seconds: other work on the machine does not affect it. */
  cpu: number;
  /** Peak resident set, in MB. */
  memory: number;
  /** Bytes that the process wrote, and the size of the database afterwards. */
  written: number;
  size: number;
}

const cpuTime = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e6;
};
const peakMemory = () => process.resourceUsage().maxRSS / 1024;

async function measureSync(url: string, file: string): Promise<Measured> {
  const store = await openStore(`sqlite:${file}`, { cacheMb: CACHE_MB });
  const began = performance.now();
  const cpuBefore = cpuTime();
  const node = new CkbNodeThread(url);
  await sync(store, node, { once: true, log: (message) => console.error(message) });
  node.close();
  const seconds = (performance.now() - began) / 1000;
  const cpu = cpuTime() - cpuBefore;
  const memory = peakMemory();
  await store.close();
  return { seconds, cpu, memory, written: written(), size: statSync(file).size };
}

type Write = [statement: number, ...values: SQLInputValue[]];

/** Writes a sync's rows to a file of length-prefixed records: each write, and null for a commit. */
async function recordSync(url: string, file: string, log: string): Promise<void> {
  const handle = openSync(log, "w");
  const statements = new Map<string, number>();
  let writes: Write[] = [];
  const append = (value: unknown) => {
    const record = serialize(value);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(record.length);
    writeSync(handle, length);
    writeSync(handle, record);
  };
  const { transaction, transactionAsync } = Database.prototype;
  let within = false;
  const { run, get } = StatementSync.prototype;
  const note = ({ sourceSQL: sql }: StatementSync, values: SQLInputValue[]) => {
    if (/^\s*(SELECT|PRAGMA|WITH|BEGIN|COMMIT|SAVEPOINT|RELEASE)/.test(sql)) return;
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = statements.size;
      statements.set(sql, statement);
    }
    writes.push([statement, ...values]);
  };
  StatementSync.prototype.run = function (this: StatementSync, ...values: SQLInputValue[]) {
    note(this, values);
    return Reflect.apply(run, this, values);
  } as typeof run;
  StatementSync.prototype.get = function (this: StatementSync, ...values: SQLInputValue[]) {
    note(this, values);
    return Reflect.apply(get, this, values);
  } as typeof get;
  Database.prototype.transaction = function <T>(this: Database, work: () => T) {
    const result = transaction.call(this, work) as T;
    if (writes.length > 0) append(writes);
    writes = [];
    if (!within) append(null);
    return result;
  } as typeof transaction;
  Database.prototype.transactionAsync = async function <T>(this: Database, work: () => Promise<T>) {
    within = true;
    const result = (await transactionAsync.call(this, work)) as T;
    within = false;
    append(null);
    return result;
  } as typeof transactionAsync;
  await measureSync(url, file);
  append([...statements.keys()]);
  closeSync(handle);
}

function* records(log: string): Generator<unknown> {
  const handle = openSync(log, "r");
  const length = Buffer.alloc(4);
  while (readSync(handle, length) === 4) {
    const record = Buffer.alloc(length.readUInt32LE());
    readSync(handle, record);
    yield deserialize(record);
  }
  closeSync(handle);
}

function measureFloor(log: string, file: string): Measured {
  let sqls: string[] = [];
  for (const record of records(log)) sqls = record as string[];
  // Take the schema and the settings from a real store.
  const real = new Database(file);
  real.migrate();
  const settings = ["journal_mode", "synchronous", "cache_size", "temp_store", "wal_autocheckpoint"].map(
    (name) => `PRAGMA ${name} = ${Object.values(real.get(`PRAGMA ${name}`)!)[0]}`,
  );
  real.close();
  const database = new DatabaseSync(file);
  addFunctions(database);
  database.exec(settings.join(";"));
  const statements = sqls.map((sql) => database.prepare(sql));
  let milliseconds = 0;
  let cpu = 0;
  for (const record of records(log)) {
    if (Array.isArray(record) && typeof record[0] === "string") continue;
    const began = performance.now();
    const cpuBefore = cpuTime();
    if (record === null) {
      if (database.isTransaction) database.exec("COMMIT");
    } else {
      if (!database.isTransaction) database.exec("BEGIN IMMEDIATE");
      for (const [statement, ...values] of record as Write[]) statements[statement]!.run(...values);
    }
    milliseconds += performance.now() - began;
    cpu += cpuTime() - cpuBefore;
  }
  database.close();
  const size = statSync(file).size;
  return { seconds: milliseconds / 1000, cpu, memory: peakMemory(), written: written(), size };
}

/** Runs one measurement in a new process of this file. `profile`: a folder to write a CPU profile to. */
async function measure(task: string[], profile?: string): Promise<Measured> {
  const flags = [...nodeFlags("aqs"), ...(profile ? ["--cpu-prof", `--cpu-prof-dir=${profile}`] : [])];
  const child = spawn(process.execPath, [...flags, fileURLToPath(import.meta.url), ...task], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${task[0]} ended with ${code}`);
  return JSON.parse(text) as Measured;
}

// --- the report ----------------------------------------------------------------------------------------------

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");

const COLUMNS = [
  "workload",
  "blocks",
  "outputs",
  "MB",
  "sync s",
  "floor s",
  "floor/sync",
  "by CPU",
  "blocks/s",
  "outputs/s",
  "MB/s",
  "peak MB",
  "file MB",
  "written MB",
];

async function bench(workload: Workload, folder: string): Promise<string[]> {
  const node = await startNode(workload);
  const file = join(folder, "measured.db");
  const log = join(folder, "writes.log");
  const fresh = () => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  };
  fresh();
  await measure(["record", node.url, file, log]);
  const syncs: Measured[] = [];
  const floors: Measured[] = [];
  for (let run = 0; run < RUNS; run++) {
    fresh();
    syncs.push(await measure(["sync", node.url, file]));
    fresh();
    floors.push(await measure(["floor", log, file]));
  }
  await node.worker.terminate();
  const seconds = median(syncs.map((each) => each.seconds));
  const floor = median(floors.map((each) => each.seconds));
  const cpuRatio = median(floors.map((each) => each.cpu)) / median(syncs.map((each) => each.cpu));
  return [
    workload.name,
    whole(node.blocks),
    whole(node.outputs),
    (node.bytes / 1e6).toFixed(1),
    seconds.toFixed(2),
    floor.toFixed(2),
    (floor / seconds).toFixed(2),
    cpuRatio.toFixed(2),
    whole(node.blocks / seconds),
    whole(node.outputs / seconds),
    (node.bytes / 1e6 / seconds).toFixed(1),
    whole(median(syncs.map((each) => each.memory))),
    whole(median(syncs.map((each) => each.size)) / 1e6),
    whole(median(syncs.map((each) => each.written)) / 1e6),
  ];
}

/** @param words runs only the workloads whose names contain this text */
async function main(words = ""): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aqs-bench-"));
  try {
    console.log(
      `Medians of ${RUNS} runs, Node ${process.versions.node}, SQLite ${process.versions.sqlite}.\n`,
    );
    console.log(
      `| ${COLUMNS.join(" | ")} |\n|${COLUMNS.map((_, i) => (i === 0 ? "---" : "---:")).join("|")}|`,
    );
    for (const workload of workloads.filter(({ name }) => name.includes(words))) {
      console.log(`| ${(await bench(workload, folder)).join(" | ")} |`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PROFILED = ["generated, 9,000 blocks", "recorded shapes, 160 times"];

/** `--profile FOLDER`: profiles one sync of each of two workloads, to show where the time goes. */
async function profile(profiles: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aqs-bench-"));
  for (const workload of workloads.filter(({ name }) => PROFILED.includes(name))) {
    const node = await startNode(workload);
    const file = join(folder, `${workload.kind}.db`);
    console.log(workload.name, await measure(["sync", node.url, file], profiles));
    await node.worker.terminate();
  }
  rmSync(folder, { recursive: true });
}

const [task, ...args] = process.argv.slice(2) as [string?, ...string[]];
if (!isMainThread) await serveChain(workerData as Workload);
else if (task === "sync") console.log(JSON.stringify(await measureSync(args[0]!, args[1]!)));
else if (task === "floor") console.log(JSON.stringify(measureFloor(args[0]!, args[1]!)));
else if (task === "record") {
  await recordSync(args[0]!, args[1]!, args[2]!);
  console.log("{}");
} else if (task === "--profile") await profile(args[0]!);
else await main(task);

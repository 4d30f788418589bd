/**
 * `npm run attack -- crash-copies [COPIES] [TORN]`: copies a SQLite database and its WAL one after the other under a
 * running `aqs sync`, at random moments and with a checkpoint in between. Takes five minutes.
 *
 * A copy must be sound, or `aqs verify` must refuse it. The behaviour of `sync` and the server on a torn copy is only
 * printed.
 */
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { CkbNode } from "#lib/chains/ckb/node.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { Random } from "#lib/demo/ckb/random.ts";
import { sync } from "#lib/indexer/sync.ts";
import { blockHashAt, chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { canonicalDump } from "#lib/testing/dump.ts";
import { Aqs, aqs, check, grow, growingChain, heightOf, inFolder } from "./drill.ts";

const COPIES = Number(process.argv[2] ?? 12);
/** Number of torn copies of the chain's beginning, for each order of the files. */
const TORN = Number(process.argv[3] ?? 4);
const TORN_HEIGHT = 120;
const SUFFIXES = ["", "-wal", "-shm", "-sync"];
const random = new Random(11);
const chain = growingChain();
grow(chain, 1_500);

function remove(database: string): void {
  for (const suffix of SUFFIXES) rmSync(database + suffix, { force: true });
}

function copyFiles(from: string, to: string): void {
  remove(to);
  for (const suffix of ["", "-wal"]) {
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
}

/** The database's whole content, or the reason why it cannot be read. */
async function dumpOf(database: string): Promise<{ tip: number; dump: string } | { fault: string }> {
  try {
    const store = await openStore(`sqlite:${database}`);
    try {
      return { tip: (await store.query(chainTip))?.height ?? -1, dump: await canonicalDump(store) };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** The expected content of a database with the chain up to this block. */
async function rightDump(node: StandInNode, height: number): Promise<string> {
  node.setChain(chain.blocks.slice(0, height + 1));
  const store = await openStore("sqlite::memory:");
  if (height >= 0) await sync(store, new CkbNode(node.url), { once: true });
  const dump = await canonicalDump(store);
  await store.close();
  return dump;
}

/** Moves the WAL into the database file, as SQLite does when it is long; the next transaction writes it from the start. */
function checkpoint(database: string): void {
  const other = new DatabaseSync(database, { timeout: 10_000 });
  other.exec("PRAGMA wal_checkpoint(RESTART)");
  other.close();
}

/** Copies one file of a database between two checkpoints, and the other one after the second and more blocks. */
async function tear(folder: string, node: StandInNode, order: readonly string[]): Promise<string> {
  const database = join(folder, "live.db");
  const copy = join(folder, "torn.db");
  remove(database);
  remove(copy);
  const until = async (height: number) => {
    node.setChain(chain.blocks.slice(0, height + 1));
    while (run.running && (await heightOf(database).catch(() => -1)) < height) await wait(50);
    if (!run.running) throw new Error(`sync ended: ${run.lines.at(-1)}`);
  };
  const before = 30 + random.below(40);
  const between = before + 1 + random.below(40);
  node.setChain(chain.blocks.slice(0, before + 1));
  const run = new Aqs(["sync", "--rpc", node.url], database);
  while (run.running && !existsSync(database)) await wait(20);
  await until(Math.floor(before / 2));
  checkpoint(database);
  await until(before);
  copyFileSync(database + order[0]!, copy + order[0]!);
  checkpoint(database);
  await until(between);
  // If the WAL is the older file, the database file also has later blocks.
  if (order[1] === "") checkpoint(database);
  copyFileSync(database + order[1]!, copy + order[1]!);
  await run.end("SIGKILL");
  return copy;
}

async function tornCopies(folder: string, node: StandInNode, order: readonly string[], what: string) {
  const trial = join(folder, "trial.db");
  const verified = { sound: 0, refused: 0, wrong: 0 };
  const served = { right: 0, wrong: 0, refused: 0 };
  const synced = { right: 0, wrong: 0, refused: 0 };
  const words = new Set<string>();
  const say = (by: string, line: string) =>
    words.add(`${by}: ${line.replaceAll(`${folder}/`, "").replaceAll(/0x[0-9a-f]{8,}|\d+/g, "…")}`);
  const whole = await rightDump(node, TORN_HEIGHT);
  for (let n = 0; n < TORN; n++) {
    const copy = await tear(folder, node, order);

    copyFiles(copy, trial);
    const found = await dumpOf(trial);
    const isRight = "dump" in found && found.dump === (await rightDump(node, found.tip));
    if ("fault" in found) say("server", found.fault);
    served["fault" in found ? "refused" : isRight ? "right" : "wrong"] += 1;

    copyFiles(copy, trial);
    const check = await aqs(["verify"], trial);
    if (check.code !== 0) say("verify", check.lines[0] ?? "");
    verified[check.code !== 0 ? "refused" : isRight ? "sound" : "wrong"] += 1;

    copyFiles(copy, trial);
    node.setChain(chain.blocks.slice(0, TORN_HEIGHT + 1));
    const run = new Aqs(["sync", "--rpc", node.url, "--once"], trial);
    const waits = await run.line(/trying again/);
    const { code } = await run.end(waits === null ? undefined : "SIGTERM");
    const failed = waits ?? (code === 0 ? null : run.lines.at(-1)!);
    if (failed !== null) say("sync", failed.replace(/^\S+Z /, ""));
    const after = await dumpOf(trial);
    const goesOn = failed !== null ? "refused" : "dump" in after && after.dump === whole ? "right" : "wrong";
    synced[goesOn] += 1;
  }
  check(
    verified.wrong === 0,
    `${what}: no copy passes verify and is wrong`,
    `${TORN} copies: verify finds ${verified.sound} sound and refuses ${verified.refused}; ${verified.wrong} pass and are wrong`,
  );
  console.log(
    `        without verify: served right ${served.right}, wrong ${served.wrong}, with errors ${served.refused}; ` +
      `sync ends with the right database ${synced.right}, with a wrong one ${synced.wrong}, and cannot go on ${synced.refused}`,
  );
  for (const word of words) console.log(`        ${word}`);
}

await inFolder(async (folder) => {
  await using node = await StandInNode.start({ blocks: chain.blocks });
  const hashes = chain.blocks.map(({ header }) => header.hash);
  const counts = { sound: 0, refused: 0, wrong: 0 };
  const words = new Set<string>();
  for (let n = 0; n < COPIES; n++) {
    const database = join(folder, "live.db");
    const copy = join(folder, "copy.db");
    remove(database);
    remove(copy);
    const run = new Aqs(["sync", "--rpc", node.url, "--once"], database);
    while (run.running && !existsSync(`${database}-wal`)) await wait(5);
    await wait(random.below(1_500));
    // Copies the database and the WAL in either order, with some time in between.
    const order = random.below(2) === 0 ? ["", "-wal"] : ["-wal", ""];
    for (const suffix of order) {
      if (existsSync(database + suffix)) copyFileSync(database + suffix, copy + suffix);
      await wait(random.below(100));
    }
    await run.end("SIGKILL");
    const verified = await aqs(["verify"], copy);
    const synced = verified.code === 0 ? await aqs(["sync", "--rpc", node.url, "--once"], copy) : verified;
    if (synced.code !== 0) {
      counts.refused += 1;
      words.add((synced.lines.at(-1) ?? "").replaceAll(`${folder}/`, ""));
      if (synced.lines.some((line) => /^at /.test(line))) counts.wrong += 1;
      continue;
    }
    const again = await aqs(["verify"], copy);
    const store = await openStore(`sqlite:${copy}`);
    const stored = await Promise.all(hashes.map((_, height) => store.query(blockHashAt, height)));
    await store.close();
    const isRight =
      again.code === 0 &&
      (await heightOf(copy)) === chain.height &&
      stored.every((hash, i) => hash === hashes[i]);
    counts[isRight ? "sound" : "wrong"] += 1;
  }
  check(
    counts.wrong === 0,
    "no copy passes verify and is wrong",
    `${COPIES} copies: ${counts.sound} sound, ${counts.refused} refused, ${counts.wrong} wrong`,
  );
  for (const word of words) console.log(`        refused with: ${word}`);
  await tornCopies(folder, node, ["", "-wal"], "database before a checkpoint, WAL after it");
  await tornCopies(folder, node, ["-wal", ""], "WAL before a checkpoint, database after it");
});

/**
 * `node_modules/.bin/node lib/testing/attacks/disk.ts`: a full disk, a disk that refuses writes, a read-only file
 * system, and database files that are removed or cut, all under a running `aqs sync` into SQLite. It mounts small file
 * systems in memory in a mount namespace of its own: as root, or where users may make namespaces. About two minutes.
 *
 * The promises: `sync` waits for what can heal and goes on by itself, reads continue, nothing wrong is stored, and
 * whatever cannot heal ends it with exit code 1 and one line in words.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { openStore } from "#lib/store/open.ts";
import { Aqs, aqs, check, command, grow, growingChain, heightOf, inFolder, withMounts } from "./drill.ts";

const chain = growingChain();

/** A line for the operator: no stack, no bare result code. */
const inWords = (lines: readonly string[], words: RegExp): boolean =>
  lines.some((line) => words.test(line)) &&
  !lines.some((line) => /^\s+at |^at .*\.ts:|^at .*node:/.test(line));

const last = (lines: readonly string[]): string =>
  lines
    .at(-1)
    ?.replace(/^\S+Z /, "")
    .replaceAll(/\/tmp\/aqs-drill-\w+\//g, "") ?? "";

async function verified(database: string): Promise<boolean> {
  return (await aqs(["verify"], database)).code === 0;
}

async function fullDisk(folder: string, node: StandInNode): Promise<void> {
  const disk = join(folder, "small");
  mkdirSync(disk);
  command("mount", "-t", "tmpfs", "-o", "size=3m", "aqs", disk);
  const database = join(disk, "aqs.db");
  const run = new Aqs(["sync", "--rpc", node.url], database);
  const told = await run.line(/full/);
  check(
    told !== null && run.running,
    "sync waits while the disk is full",
    told ? last([told]) : last(run.lines),
  );
  const stuckAt = await heightOf(database).catch(() => -2);
  const store = await openStore(`sqlite:${database}`).catch((error: Error) => error.message);
  check(
    typeof store !== "string",
    "reads continue while the disk is full",
    typeof store === "string" ? store : `block ${stuckAt}`,
  );
  if (typeof store !== "string") await store.close();
  const load = join(folder, "prices.csv");
  writeFileSync(
    load,
    `asset_id,time,usd\n${Array.from({ length: 60_000 }, (_, i) => `0x${i.toString(16).padStart(64, "0")},${1_700_000_000 + i},1`).join("\n")}\n`,
  );
  const loaded = await aqs(["prices", "load", load], database);
  check(
    loaded.code === 1 && inWords(loaded.lines, /full/),
    "a load that does not fit is refused in words",
    last(loaded.lines),
  );
  const lines = run.lines.length;
  const freed = performance.now();
  command("mount", "-o", "remount,size=200m", disk);
  await run.line(/answers again/, lines);
  const waited = ((performance.now() - freed) / 1000).toFixed(1);
  while (run.running && (await heightOf(database)) < chain.height && performance.now() - freed < 90_000) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const height = await heightOf(database);
  check(
    height === chain.height,
    "sync goes on by itself when there is space again",
    `${waited} s later, from block ${stuckAt} to ${height}`,
  );
  const told2 = run.lines.filter((line) => /full/.test(line)).length;
  check(told2 >= 1 && told2 <= 3, "the full disk is told once, not with every attempt", `${told2} lines`);
  const { code } = await run.end("SIGTERM");
  check(code === 0 && (await verified(database)), "the database is sound afterwards");
  command("umount", disk);
}

async function refusedWrites(folder: string, node: StandInNode): Promise<void> {
  const database = join(folder, "refused.db");
  node.slowBlocks(2);
  const run = new Aqs(["sync", "--rpc", node.url], database);
  while (run.running && !(existsSync(database) && (await heightOf(database).catch(() => -1)) > 100)) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  // A process may have no file longer than this now: writes fail like those to a broken disk.
  command("prlimit", "--pid", String(run.child.pid), "--fsize=4096:unlimited");
  const told = await run.line(/I\/O|written|full/);
  check(
    told !== null && run.running,
    "sync waits while the disk refuses writes",
    told ? last([told]) : last(run.lines),
  );
  command("prlimit", "--pid", String(run.child.pid), "--fsize=unlimited:unlimited");
  const began = performance.now();
  while (run.running && (await heightOf(database)) < chain.height && performance.now() - began < 90_000) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  check((await heightOf(database)) === chain.height, "and goes on when it takes them again");
  const { code } = await run.end("SIGTERM");
  check(code === 0 && (await verified(database)), "the database is sound afterwards");
  node.slowBlocks(0);
}

async function readOnly(folder: string, node: StandInNode): Promise<void> {
  const disk = join(folder, "read-only");
  mkdirSync(disk);
  command("mount", "-t", "tmpfs", "-o", "size=200m", "aqs", disk);
  const database = join(disk, "aqs.db");
  await aqs(["sync", "--rpc", node.url, "--once"], database);
  for (const state of ["closed", "killed"] as const) {
    if (state === "killed") {
      // Leaves a WAL that is not in the database yet.
      const more = new Aqs(["sync", "--rpc", node.url], database);
      await more.line(/at the tip|answers|block/);
      await more.end("SIGKILL");
    }
    command("mount", "-o", "remount,ro", disk);
    for (const words of [
      ["sync", "--rpc", node.url, "--once"],
      ["token", "create", "--name", "x"],
      ["status"],
      ["verify"],
    ]) {
      const run = await aqs(words, database);
      const refused = run.code === 1 && inWords(run.lines, /read-only|must be writable/);
      check(
        refused || (run.code === 0 && words[0] === "status"),
        `${words[0]} on a read-only file system, database ${state} before: reads, or is refused in words`,
        `exit ${run.code} ${last(run.lines)}`,
      );
    }
    command("mount", "-o", "remount,rw", disk);
  }
  command("umount", disk);
}

/** What is done to the files of a database under a running sync, and what must be told. */
const damages: { what: string; words: RegExp; damage(database: string): void }[] = [
  { what: "the database file is removed", words: /removed or replaced/, damage: (file) => rmSync(file) },
  {
    what: "the database file is replaced by another",
    words: /removed or replaced/,
    damage: (file) => {
      renameSync(file, `${file}.old`);
      writeFileSync(file, "");
    },
  },
  { what: "the WAL is removed", words: /removed or replaced/, damage: (file) => rmSync(`${file}-wal`) },
  {
    what: "the database file is cut",
    words: /damaged|cut/,
    damage: (file) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096),
  },
  { what: "the WAL is cut", words: /damaged|cut/, damage: (file) => truncateSync(`${file}-wal`, 4096) },
];

async function damagedFiles(folder: string, node: StandInNode): Promise<void> {
  for (const { what, words, damage } of damages) {
    const name = what.replaceAll(" ", "-");
    const database = join(folder, `${name}.db`);
    node.setChain(chain.blocks);
    const run = new Aqs(["sync", "--rpc", node.url], database);
    while (
      run.running &&
      (!existsSync(database) || (await heightOf(database).catch(() => -1)) < chain.height)
    ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    damage(database);
    const began = performance.now();
    // The next blocks, which must not vanish with a file that has no name any more.
    node.setChain(grow(chain, 20));
    const told = await Promise.race([
      run.end(),
      new Promise<null>((resolve) => setTimeout(resolve, 15_000, null)),
    ]);
    const took = ((performance.now() - began) / 1000).toFixed(1);
    check(
      told?.code === 1 && inWords(run.lines, words),
      `${what}: sync stops and says so`,
      told ? `after ${took} s: ${last(run.lines)}` : "still running after 15 s, and says nothing",
    );
    if (!told) await run.end("SIGTERM");
  }
}

if (await withMounts()) {
  grow(chain, 1500);
  await using node = await StandInNode.start({ blocks: chain.blocks });
  await inFolder(async (folder) => {
    await fullDisk(folder, node);
    await refusedWrites(folder, node);
    await readOnly(folder, node);
    await damagedFiles(folder, node);
  });
}

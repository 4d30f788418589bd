/**
 * `npm run build && npm run attack -- disk`: under a running `aqs sync` into SQLite, and under a server, the disk gets
 * full, refuses writes, fails reads or becomes read-only, and database files are removed or cut. Takes four minutes,
 * and needs root or user namespaces for its mounts; only root may mount the ext4 that becomes read-only.
 *
 * `sync` must wait for temporary faults and continue by itself, reads must continue, and nothing wrong may be stored. Other
 * faults must end `sync` with 1 and one readable line, and the server must respond with 503.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { blockHashAt, blockHeights } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { loadPrices } from "#lib/store/rules/values.ts";
import { Aqs, aqs, check, command, grow, growingChain, heightOf, inFolder, withMounts } from "./drill.ts";
import { demoDatabase, startServer } from "./served-app.ts";

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

/** The disk has no room when sync starts, neither for a database nor for the files beside one. */
async function fullFromTheStart(folder: string, node: StandInNode): Promise<void> {
  const disk = join(folder, "full");
  mkdirSync(disk);
  command("mount", "-t", "tmpfs", "-o", "size=1m", "aqs", disk);
  const old = join(disk, "old.db");
  await aqs(["migrate"], old);
  /** Takes all of the space, to the last page. */
  const fill = (name: string) => spawnSync("dd", ["if=/dev/zero", `of=${join(disk, name)}`, "bs=4k"]);
  fill("filler");
  for (const [what, database] of [
    ["a new database", join(disk, "new.db")],
    ["a database in a new folder", join(disk, "folder", "new.db")],
    ["a database that it knows", old],
  ] as const) {
    const run = new Aqs(["sync", "--rpc", node.url], database);
    const told = await run.line(/trying again/);
    check(
      told !== null && run.running && inWords(run.lines, /full|cannot be read or written/),
      `sync that starts on a full disk waits, with ${what}`,
      last(told ? [told] : run.lines),
    );
    const files = () => readdirSync(`/proc/${run.child.pid}/fd`).length;
    const open = files();
    // Further attempts come after 0.5, 1, 2 and 4 seconds.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    check(
      faultLines(run).length === 1 && files() <= open,
      "and says so once, and keeps no files open",
      `${faultLines(run).length} lines, ${open} and ${files()} files`,
    );
    command("mount", "-o", "remount,size=200m", disk);
    check(
      await caughtUp(run, database),
      "and goes on by itself when there is space",
      `block ${chain.height}`,
    );
    const { code } = await run.end("SIGTERM");
    check(code === 0 && (await verified(database)), "the database is sound afterwards");
    for (const suffix of ["", "-wal", "-shm", "-sync", "-sync-wal", "-sync-shm"]) {
      rmSync(database + suffix, { force: true });
    }
    command("mount", "-o", "remount,size=1m", disk);
  }
  fill("more");
  const waiting = new Aqs(["sync", "--rpc", node.url], join(disk, "new.db"));
  await waiting.line(/trying again/);
  const { code } = await waiting.end("SIGTERM");
  check(code === 0, "sync that waits for space ends with 0 on SIGTERM", `exit ${code}`);
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

/** Commands that only read: they may succeed on a read-only file system. */
const READING = ["status", "verify"];

async function readOnly(folder: string, node: StandInNode): Promise<void> {
  const disk = join(folder, "read-only");
  mkdirSync(disk);
  command("mount", "-t", "tmpfs", "-o", "size=200m", "aqs", disk);
  const database = join(disk, "aqs.db");
  await aqs(["sync", "--rpc", node.url, "--once"], database);
  for (const state of ["closed", "killed"] as const) {
    if (state === "killed") {
      // The WAL is not in the database yet.
      const more = new Aqs(["sync", "--rpc", node.url], database);
      await more.line(/at the tip|answers|block/);
      await more.end("SIGKILL");
    }
    command("mount", "-o", "remount,ro", disk);
    const waiting = new Aqs(["sync", "--rpc", node.url, "--once"], database);
    const told = await waiting.line(/trying again/);
    const { code } = await waiting.end("SIGTERM");
    check(
      told !== null && code === 0 && inWords([told], /read-only|must be writable/),
      `sync that starts on a read-only file system waits, database ${state} before`,
      last(waiting.lines),
    );
    for (const words of [["token", "create", "--name", "x"], ["status"], ["verify"]]) {
      const run = await aqs(words, database);
      const refused = run.code === 1 && inWords(run.lines, /read-only|must be writable/);
      check(
        refused || (run.code === 0 && READING.includes(words[0]!)),
        `${words[0]} on a read-only file system, database ${state} before: reads, or is refused in words`,
        `exit ${run.code} ${last(run.lines)}`,
      );
    }
    command("mount", "-o", "remount,rw", disk);
  }
  command("umount", disk);
}

/** Waits until the sync has stored the chain. */
async function caughtUp(run: Aqs, database: string): Promise<boolean> {
  const began = performance.now();
  while (run.running && performance.now() - began < 90_000) {
    if (existsSync(database) && (await heightOf(database).catch(() => -1)) === chain.height) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

const faultLines = (run: Aqs): string[] => run.lines.filter((line) => /trying again/.test(line));

/** ext4 makes itself read-only when its disk fails; only an unmount ends that. */
async function becomesReadOnly(folder: string, node: StandInNode): Promise<void> {
  const disk = join(folder, "failing");
  const image = join(folder, "failing.img");
  mkdirSync(disk);
  writeFileSync(image, "");
  truncateSync(image, 256 * 1024 * 1024);
  command("mkfs.ext4", "-q", "-e", "remount-ro", image);
  if (spawnSync("mount", ["-o", "loop", image, disk]).status !== 0) {
    console.log("not run  a file system that becomes read-only: only root may mount a loop device");
    return;
  }
  const database = join(disk, "aqs.db");
  node.setChain(chain.blocks);
  const run = new Aqs(["sync", "--rpc", node.url], database);
  await caughtUp(run, database);
  const { status } = spawnSync("mount", ["-o", "remount,ro", disk]);
  check(status !== 0, "the system refuses to make a file system read-only while sync writes to it");
  // ext4 does this after a disk error.
  command("mount", "-o", "remount,abort", disk);
  const stored = chain.height;
  node.setChain(grow(chain, 20));
  const told = await run.line(/trying again/);
  check(
    told !== null && run.running && inWords(run.lines, /read-only|cannot be read or written/),
    "sync waits while the file system is read-only",
    told ? last([told]) : last(run.lines),
  );
  // Further attempts come after 0.5, 1 and 2 seconds.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  check(faultLines(run).length === 1, "and says so once", `${faultLines(run).length} lines`);
  const { code } = await run.end("SIGTERM");
  check(code === 0, "and ends with 0 on SIGTERM", `exit ${code}`);
  command("umount", disk);
  // 1: it repaired something, the journal of a file system that was not unmounted in order.
  const repaired = spawnSync("e2fsck", ["-p", "-f", image]).status;
  command("mount", "-o", "loop", image, disk);
  const kept = await heightOf(database);
  const again = await aqs(["sync", "--rpc", node.url, "--once"], database);
  check(
    again.code === 0 && (await heightOf(database)) === chain.height && (await verified(database)),
    "after the repair sync goes on, and the database is sound",
    `e2fsck ${repaired}; from block ${kept} (${stored} when it failed) to ${await heightOf(database)}`,
  );
  command("umount", disk);
  rmSync(image);
}

/**
 * Makes a process's system calls on a database's files fail until the returned function is called, as a bad disk would.
 * `fault` has the syntax of strace's `inject`.
 */
async function failing(pid: number, database: string, fault: string): Promise<() => Promise<void>> {
  const traced = () => !/^TracerPid:\s+0$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  const paths = ["", "-wal", "-shm"].flatMap((suffix) => ["-P", database + suffix]);
  const words = ["-qq", "-o", "/dev/null", "-p", String(pid), ...paths, "-e", `inject=${fault}`];
  const tracer = spawn("strace", words, { stdio: "ignore" });
  const detached = once(tracer, "close");
  while (!traced() && tracer.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
  return async () => {
    tracer.kill("SIGTERM");
    await detached;
  };
}

/** The error of a read-only file system. */
async function readOnlyForAWhile(folder: string, node: StandInNode): Promise<void> {
  const database = join(folder, "while.db");
  node.setChain(chain.blocks);
  const run = new Aqs(["sync", "--rpc", node.url], database);
  await caughtUp(run, database);
  const heal = await failing(run.child.pid!, database, "write,pwrite64,ftruncate,fallocate:error=EROFS");
  node.setChain(grow(chain, 20));
  const told = await run.line(/trying again/);
  check(
    told !== null && run.running && inWords(run.lines, /read-only|cannot be read or written/),
    "sync waits while writes get EROFS",
    told ? last([told]) : last(run.lines),
  );
  await heal();
  check(await caughtUp(run, database), "and goes on by itself when they work again", `block ${chain.height}`);
  check(faultLines(run).length === 1, "and says so once", `${faultLines(run).length} lines`);
  const { code } = await run.end("SIGTERM");
  check(code === 0 && (await verified(database)), "the database is sound afterwards");
}

/** Reads that sometimes fail, which SQLite reports as damage. */
async function failingReads(folder: string, node: StandInNode): Promise<void> {
  const database = join(folder, "reads.db");
  node.setChain(chain.blocks);
  await aqs(["sync", "--rpc", node.url, "--once"], database);
  // The second one has read little of the file when it waits at the tip.
  const run = new Aqs(["sync", "--rpc", node.url], database);
  const waits = Promise.withResolvers<void>();
  const stop = node.onRequest((method) => method === "get_tip_header" && waits.resolve());
  await waits.promise;
  stop();
  const heal = await failing(run.child.pid!, database, "pread64:error=EIO:when=3..4");
  node.setChain(grow(chain, 20));
  const told = await run.line(/the disk fails to read/);
  const caught = await caughtUp(run, database);
  await heal();
  check(
    told !== null && caught && inWords(run.lines, /answers again/),
    "sync goes on after two reads that failed with EIO",
    told ? last([told]) : last(run.lines),
  );
  const { code } = await run.end("SIGTERM");
  check(code === 0 && (await verified(database)), "the database is sound afterwards");
}

/** A server of the demo chain, with a writer that keeps a WAL, as a sync would. `statuses` counts its responses by status. */
async function serving() {
  const { url, token, notable, remove } = await demoDatabase();
  const writer = await openStore(url);
  await writer.write(loadPrices, [{ assetId: "0x80000135", time: 1, usd: 1n }]);
  const hashes = await Promise.all(
    (await writer.query(blockHeights, {})).map((height) => writer.query(blockHashAt, height)),
  );
  const server = await startServer(url, { CACHE_MB: "0", LOG_LEVEL: "error" });
  let turn = 0;
  const path = (): string => {
    turn += 1;
    if (turn % 10 === 0) return "/readyz";
    if (turn % 2 === 0) return `/v0/addresses/${notable.busyAddress}/utxos?pageSize=${(turn % 900) + 1}`;
    return `/v0/blocks/${hashes[(turn * 37) % hashes.length]}/asset-changes`;
  };
  const statuses = async (milliseconds: number) => {
    const counts: Record<number, number> = {};
    for (const end = performance.now() + milliseconds; performance.now() < end; ) {
      const answer = await fetch(server.origin + path(), { headers: { authorization: `Bearer ${token}` } });
      await answer.text();
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
    }
    return counts;
  };
  const end = async () => {
    await server.stop("SIGTERM");
    await writer.close();
    remove();
  };
  return { server, database: url.slice("sqlite:".length), statuses, end };
}

const counted = (counts: Record<number, number>): string =>
  Object.entries(counts)
    .map(([status, count]) => `${count} of ${status}`)
    .join(", ");

async function servedFailingReads(): Promise<void> {
  const { server, database, statuses, end } = await serving();
  const heal = await failing(server.pid, database, "pread64:error=EIO:when=50+50");
  const counts = await statuses(3_000);
  await heal();
  const right = Object.keys(counts).join() === "200" && !/damaged/.test(server.log());
  check(right, "a server answers though every 50th read of its file fails with EIO", counted(counts));
  await end();
}

/** Time after which the server must have noticed. */
const NOTICED_MS = 500;

async function servedLostFiles(): Promise<void> {
  for (const { what, damage } of damages) {
    const { server, database, statuses, end } = await serving();
    await statuses(500);
    damage(database);
    const first = await statuses(NOTICED_MS);
    const later = await statuses(3_000);
    const told = server.log().match(/was (removed|replaced|cut)/g)?.length ?? 0;
    check(
      !(500 in first) && Object.keys(later).join() === "503" && told === 1,
      `${what}: a server answers 503 and goes on doing so`,
      `${counted(first)} in the first ${NOTICED_MS} ms, then ${counted(later)}; ${told} lines`,
    );
    await end();
  }
}

/** Damage to the files of a database under a running sync, and the expected messages. */
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
  { what: "the WAL is cut to nothing", words: /cut/, damage: (file) => truncateSync(`${file}-wal`) },
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
    // The next blocks must not vanish with a file that has lost its name.
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
    await fullFromTheStart(folder, node);
    await refusedWrites(folder, node);
    await readOnly(folder, node);
    await becomesReadOnly(folder, node);
    if (spawnSync("strace", ["-V"]).status === 0) {
      await readOnlyForAWhile(folder, node);
      await failingReads(folder, node);
      await servedFailingReads();
    } else console.log("not run  a disk that fails for a while: strace is not installed");
    await damagedFiles(folder, node);
    await servedLostFiles();
  });
}

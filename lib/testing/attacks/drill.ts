/** Shared by the failure drills: a folder, `aqs` in a separate process, a growing chain, and figures. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NodeBlock } from "#lib/chains/ckb/schema.ts";
import { account, CKB, udt } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { chainTip } from "#lib/queries/chain.ts";
import { openStore } from "#lib/store/open.ts";
import { nodeFlags } from "#lib/testing/node-flags.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** A drill that waits longer than this for a line has failed. */
const MAX_WAIT_MS = 60_000;

/** Runs `work` in a folder of its own, and removes it. */
export async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "aqs-drill-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints whether a requirement holds, with its figures. A failed one makes the script exit with 1. */
export function check(holds: boolean, promise: string, figures = ""): void {
  console.log(`${holds ? "holds " : "BROKEN"}  ${promise}${figures && `: ${figures}`}`);
  if (!holds) process.exitCode = 1;
}

/** Resident memory of a process, now or at its peak. Throws an Error if it has ended. */
export function residentKb(pid: number | undefined, name: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
export const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

/** A quantile: 0.5 is the median. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;

/** One `aqs` command in a process of its own. */
export class Aqs {
  readonly child: ChildProcess;
  /** Lines on stderr so far. */
  readonly lines: string[] = [];
  readonly #began = performance.now();
  readonly #ended: Promise<number | null>;
  readonly #watch: NodeJS.Timeout;
  #rest = "";
  #arrived = Promise.withResolvers<void>();
  #peak = 0;
  #seconds = 0;

  constructor(words: string[], database: string, environment: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [...nodeFlags("aqs"), "lib/cli/main.ts", ...words], {
      cwd: ROOT,
      env: { ...process.env, DATABASE_URL: `sqlite:${database}`, ...environment },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      const parts = (this.#rest + text).split("\n");
      this.#rest = parts.pop()!;
      this.lines.push(...parts);
      this.#arrived.resolve();
      this.#arrived = Promise.withResolvers();
    });
    this.#ended = once(this.child, "close").then(([code]) => {
      clearInterval(this.#watch);
      this.#seconds = (performance.now() - this.#began) / 1000;
      this.#arrived.resolve();
      return code as number | null;
    });
    this.#watch = setInterval(() => this.#measure(), 100);
  }

  #measure(): void {
    try {
      this.#peak = Math.max(this.#peak, residentKb(this.child.pid, "VmHWM") / 1000);
    } catch {
      // The process has ended.
    }
  }

  /** Peak resident memory, in MB. */
  get peak(): number {
    return Math.round(this.#peak);
  }

  get running(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The first matching line from the given one on; null if the process ends or a timeout passes before. */
  async line(pattern: RegExp, from = 0): Promise<string | null> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, MAX_WAIT_MS);
    const end = performance.now() + MAX_WAIT_MS;
    try {
      for (;;) {
        const found = this.lines.slice(from).find((line) => pattern.test(line));
        if (found !== undefined) return found;
        if (!this.running || performance.now() > end) return null;
        await Promise.race([this.#arrived.promise, this.#ended, late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Sends the signal, if one is given, and waits for the end. */
  async end(signal?: NodeJS.Signals): Promise<{ code: number | null; seconds: number; peak: number }> {
    if (signal) this.child.kill(signal);
    const code = await this.#ended;
    return { code, seconds: this.#seconds, peak: this.peak };
  }
}

/** Runs a command to its end. */
export async function aqs(words: string[], database: string) {
  const run = new Aqs(words, database);
  return { ...(await run.end()), lines: run.lines };
}

/** A chain of payments and tokens between a hundred accounts. */
export function growingChain(): ChainBuilder {
  const accounts = Array.from({ length: 100 }, (_, i) => account(`account ${i}`));
  return new ChainBuilder({ genesis: accounts.map((lock) => ({ lock, capacity: 10n ** 7n * CKB })) });
}

/** Adds blocks of about six transactions. Returns the whole chain. */
export function grow(chain: ChainBuilder, blocks: number): readonly NodeBlock[] {
  for (let i = 0; i < blocks; i++) {
    for (let n = 0; n < 3; n++) {
      const [from, to] = [chain.height * 3 + n, chain.height * 7 + n * 31 + 1];
      chain.transfer({
        from: account(`account ${from % 100}`),
        to: account(`account ${to % 100}`),
        amount: 200n * CKB,
      });
    }
    const issuer = account(`account ${chain.height % 5}`);
    const token = udt(issuer, "xudt", 1);
    chain.mint({
      token,
      issuer,
      to: account(`account ${(chain.height * 11) % 100}`),
      amount: BigInt(chain.height) + 1n,
    });
    chain.block();
  }
  return chain.blocks;
}

/** The tip's height, or -1; read with a connection of its own. */
export async function heightOf(database: string): Promise<number> {
  const store = await openStore(`sqlite:${database}`);
  try {
    return (await store.query(chainTip))?.height ?? -1;
  } finally {
    await store.close();
  }
}

/**
 * Starts this script again in a mount namespace of its own, whose mounts go when it ends. Resolves to false in the
 * first process, which must then end, and to true in the second one.
 */
export async function withMounts(): Promise<boolean> {
  if (process.env.DRILL_MOUNTS === "own") return true;
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const probe = spawnSync("unshare", [...user, "--mount", "true"]);
  if (probe.status !== 0) {
    console.log("This system lets nobody but root mount a file system of a drill: run it as root.");
    process.exitCode = 1;
    return false;
  }
  const again = spawn("unshare", [...user, "--mount", process.execPath, ...process.argv.slice(1)], {
    env: { ...process.env, DRILL_MOUNTS: "own" },
    stdio: "inherit",
  });
  const [code] = await once(again, "close");
  process.exitCode = code ?? 1;
  return false;
}

/** Runs a system command that must succeed. */
export function command(name: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(name, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} ${words.join(" ")}: ${stderr}`);
}

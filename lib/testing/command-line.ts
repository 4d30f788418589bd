import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, vi } from "vitest";
import { account, CKB } from "#lib/chains/ckb/testing/cells.ts";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { run } from "#lib/cli/run.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a backup script of `deploy` that keeps two files; returns its exit code and the files that the folder then has. */
export async function backUp(script: string, folder: string, env: NodeJS.ProcessEnv) {
  const child = spawn("sh", [script, folder, "2"], { cwd: root, env, stdio: "ignore" });
  const [code] = await once(child, "exit");
  return { code, kept: readdirSync(folder) };
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
}

/** Runs commands of `aqs` for a test file. Each test has a database of its own, a file that does not exist yet. */
export function commandLine() {
  const folder = mkdtempSync(join(tmpdir(), "aqs-cli-"));
  let databases = 0;
  beforeEach(() => {
    databases += 1;
    cli.file = join(folder, `${databases}.db`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const cli = {
    folder,
    /** The database of the commands; a test may name another one. */
    file: "",
    env: { NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compiled") },

    /** Starts `aqs` in a process of its own, with a pipe in place of a terminal and nothing to read. */
    start: (...args: string[]): Running => cli.startOn(`sqlite:${cli.file}`, ...args),

    startOn(database: string, ...args: string[]): Running {
      const child = spawn(process.execPath, ["lib/cli/main.ts", ...args], {
        cwd: root,
        env: { ...process.env, ...cli.env, DATABASE_URL: database },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const output = { stdout: "", stderr: "" };
      for (const stream of ["stdout", "stderr"] as const) {
        child[stream]!.setEncoding("utf8").on("data", (text: string) => {
          output[stream] += text;
        });
      }
      const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...output }));
      return { child, ended };
    },

    aqs: (...args: string[]): Promise<Ended> => cli.start(...args).ended,

    /** Runs `aqs` in this process, for what needs none of its own: a process takes a third of a second to start. */
    async aqsHere(...args: string[]): Promise<Ended> {
      const output = { stdout: "", stderr: "" };
      vi.stubEnv("DATABASE_URL", `sqlite:${cli.file}`);
      const spies = (["stdout", "stderr"] as const).map((stream) =>
        vi.spyOn(process[stream], "write").mockImplementation((text, ...more) => {
          output[stream] += text;
          for (const done of more) if (typeof done === "function") done();
          return true;
        }),
      );
      try {
        return { code: await run(args), ...output };
      } finally {
        for (const spy of spies) spy.mockRestore();
        vi.unstubAllEnvs();
      }
    },

    /** Writes a file for a command to read: a text, or a value as JSON. */
    write(name: string, content: unknown): string {
      const path = join(folder, name);
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
  };
  return cli;
}

/** Resolves once the process has written the line. Throws if it ends without. */
export async function seen({ child, ended }: Running, line: RegExp): Promise<void> {
  let text = "";
  await new Promise<void>((resolve, reject) => {
    ended.then(() => reject(new Error(`The process ended without the line ${line}: ${text}`)), reject);
    child.stderr!.on("data", (part: string) => {
      text += part;
      if (line.test(text)) resolve();
    });
  });
}

/** Waits for `line`, ends the process, and returns its output. */
export async function endedAfter(running: Running, line: RegExp): Promise<Ended> {
  await Promise.race([seen(running, line), running.ended]);
  running.child.kill("SIGTERM");
  return running.ended;
}

/** The height of a SQLite database's tip; -1 while there is no block. */
export function tipOf(database: string): number {
  const db = new DatabaseSync(database, { readOnly: true, timeout: 10_000 });
  try {
    const blocks = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'blocks'").get();
    if (!blocks) return -1;
    return (db.prepare("SELECT max(height) AS tip FROM blocks").get() as { tip: number | null }).tip ?? -1;
  } finally {
    db.close();
  }
}

/** A chain of this height, each block of which pays ann. */
export function paying(height: number): ChainBuilder {
  const chain = new ChainBuilder();
  for (let i = 0; i < height; i++) {
    chain.transfer({ to: account("ann"), amount: 300n * CKB });
    chain.block();
  }
  return chain;
}

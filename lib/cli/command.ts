import { type ParseArgsConfig, parseArgs } from "node:util";
import { readConfig, storeOptions } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";

/** One command of `aqs`. */
export interface Command {
  /** What comes after `aqs`, for the help. */
  usage: string;
  summary: string;
  /** More lines for the command's own help. */
  details?: string;
  /** Resolves to the exit code: 0 done, 1 failed. Throws UsageError for wrong words. */
  run(args: string[]): Promise<number>;
}

/** The words of the call are wrong: exit 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Parses a command's words; what does not fit is a UsageError. */
export function parseWords<T extends NonNullable<ParseArgsConfig["options"]>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Opens the database of `DATABASE_URL` for the length of `work`. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const config = readConfig();
  const store = await openStore(config.DATABASE_URL, storeOptions(config));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

// Whoever reads the output may stop when it has enough: the command goes on. Output that has no place is a failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    if (stream === process.stdout) report(`The output cannot be written: ${error.message}`);
  });
}

/** Data: stdout. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);
/** Progress and faults: stderr. */
export const report = (text: string): void => void process.stderr.write(`${text}\n`);

import { type ParseArgsConfig, parseArgs } from "node:util";
import { readConfig, storeOptions } from "#lib/config.ts";
import { openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";

/** One command of `aqs`. */
export interface Command {
  /** The words after `aqs`, for the help. */
  usage: string;
  summary: string;
  /** More lines for the command's help. */
  details?: string;
  /** Resolves to the exit code: 0 success, 1 failure. Throws UsageError for wrong arguments. */
  run(args: string[]): Promise<number>;
}

/** The arguments are wrong: exit 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** Parses a command's arguments. Throws UsageError if they do not match the options. */
export function parseWords<T extends NonNullable<ParseArgsConfig["options"]>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Opens the database of `DATABASE_URL`, runs `work`, and closes it. */
export async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const config = readConfig();
  const store = await openStore(config.DATABASE_URL, storeOptions(config));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

// A reader may close the pipe early: the command continues. Output that cannot be written is a failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    if (stream === process.stdout) report(`The output cannot be written: ${error.message}`);
  });
}

/** Data: stdout. */
export const print = (text: string): void => void process.stdout.write(`${text}\n`);
/** Progress and errors: stderr. */
export const report = (text: string): void => void process.stderr.write(`${text}\n`);

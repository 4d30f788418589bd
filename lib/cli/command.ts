import { type ParseArgsConfig, parseArgs } from "node:util";
import { readConfig, storeOptions } from "#lib/config.ts";
import { plainLine } from "#lib/contract/plain-text.ts";
import type { Store } from "#lib/store/engine.ts";
import { openStore } from "#lib/store/open.ts";

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
    throw new UsageError((error as Error).message.replaceAll("\n", " "));
  }
}

/** Throws UsageError if the text is not a whole number in decimal. */
export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text))
    throw new UsageError(`${name} is a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

/** Runs work that needs the database, again if it has to be. By default, the first failure is the last. */
type Trying = <T>(work: () => Promise<T>) => Promise<T>;
const once: Trying = (work) => work();

/** Opens the database of `DATABASE_URL`, runs `work`, and closes it. */
export async function withStore<T>(work: (store: Store) => Promise<T>, trying = once): Promise<T> {
  const config = readConfig();
  const store = await trying(() => openStore(config.DATABASE_URL, storeOptions(config)));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Runs `work` as the one process that follows the chain into this database. Throws if another one does. */
export async function withSyncLock<T>(store: Store, work: () => Promise<T>, trying = once): Promise<T> {
  const lock = await trying(() => store.acquireSyncLock());
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // Why the work failed says more than why the lock could not be released.
    await lock.release().catch(() => {});
    throw error;
  }
  await lock.release();
  return result;
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Runs `work`; until it has ended, signals to end call `onSignal` instead of ending the process. */
export async function withSignals<T>(onSignal: () => void, work: () => Promise<T>): Promise<T> {
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
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

/** Most characters of one line on stderr. */
const MAX_REPORTED = 4_000;

function shortened(line: string): string {
  const left = line.length - MAX_REPORTED;
  return left > 0 ? `${line.slice(0, MAX_REPORTED)}… (${left} more characters)` : line;
}

/** One line, or a list of lines. Line breaks within a line are replaced like other control characters. */
type Lines = string | readonly string[];
const linesOf = (lines: Lines): readonly string[] => (typeof lines === "string" ? [lines] : lines);

// Only the functions below write to the terminal.

/** Data: stdout. */
export function print(lines: Lines): void {
  process.stdout.write(
    linesOf(lines)
      .map((line) => `${plainLine(line)}\n`)
      .join(""),
  );
}

/**
 * Whole lines of data, exactly, once the ones before are taken; only a terminal gets them without control characters.
 * False if nobody reads any more.
 */
export async function writeData(lines: string): Promise<boolean> {
  const { stdout } = process;
  const text = stdout.isTTY ? lines.split("\n").map(plainLine).join("\n") : lines;
  if (!stdout.writable) return false;
  if (!stdout.write(text)) {
    await new Promise<void>((resolve) => {
      const done = () => {
        stdout.off("drain", done).off("close", done);
        resolve();
      };
      stdout.once("drain", done).once("close", done);
    });
  }
  return stdout.writable;
}

/** Progress and errors: stderr. A very long line is shortened, and says so. */
export function report(lines: Lines): void {
  process.stderr.write(
    linesOf(lines)
      .map((line) => `${plainLine(shortened(line))}\n`)
      .join(""),
  );
}

/** Replaces the terminal's current line; "" clears it. */
export function showStatus(line: string): void {
  process.stderr.write(`\r\x1b[K${plainLine(line)}`);
}

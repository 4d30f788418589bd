import { type ParseArgsConfig, parseArgs } from "node:util";
import { readConfig, storeOptions } from "#lib/config.ts";
import { limitText } from "#lib/contract/texts.ts";
import { type OpenOptions, openExistingStore, openStore } from "#lib/store/open.ts";
import type { Store } from "#lib/store/store.ts";
import { plainLine } from "#lib/util/plain-text.ts";

export interface Command {
  /** The words after `aqs`, for the help. */
  usage: string;
  summary: string;
  details?: string;
  /** Resolves to the exit code: 0 success, 1 failure. Throws UsageError for wrong arguments. */
  run(args: string[]): Promise<number>;
}

/** The arguments are wrong: exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

type Options = NonNullable<ParseArgsConfig["options"]>;

function parseWords<T extends Options>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message.replaceAll("\n", " "));
  }
}

/** A command whose arguments are checked before it runs. */
interface Declaration<T extends Options> extends Omit<Command, "run"> {
  options?: T;
  /** How many words it takes beside its options, and what usage says if they are fewer or more; by default none. */
  takes?: [least: number, most: number, inWords: string];
  /** Resolves to the exit code, or to nothing for 0. */
  run(
    values: ReturnType<typeof parseWords<T>>["values"],
    ...words: string[]
  ): Promise<number> | Promise<void>;
}

export function command<const T extends Options>(declaration: Declaration<T>): Command {
  const { usage, options, takes: [least, most, inWords] = [0, 0, null], run } = declaration;
  const name = /^[a-z]+( [a-z]+)*/.exec(usage)?.[0];
  return {
    ...declaration,
    async run(args) {
      const { values, positionals } = parseWords(args, options ?? ({} as T));
      if (positionals.length < least || positionals.length > most) {
        throw new UsageError(inWords ? `${name} ${inWords}` : `Unexpected: ${positionals.join(" ")}`);
      }
      return (await run(values, ...positionals)) ?? 0;
    },
  };
}

/** A message repeats at most so many characters of a wrong value. */
const MAX_REPEATED = 100;

/** For an option or an argument that is not what it has to be. */
export const wrong = (name: string, expected: string, text: string): UsageError =>
  new UsageError(`${name} is ${expected}, not ${JSON.stringify(limitText(text, MAX_REPEATED))}`);

export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text !== undefined && !/^\d{1,10}$/.test(text)) {
    const length = /^\d+$/.test(text) ? " of at most 10 digits" : "";
    throw wrong(name, `a whole number${length}`, text);
  }
  return text === undefined ? undefined : Number(text);
}

export function oneOf<T extends string>(name: string, known: readonly T[], text: string): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw wrong(name, known.join(" or "), text);
  return found;
}

export async function closing<T extends { close(): unknown }, R>(
  opened: Promise<T>,
  work: (opened: T) => Promise<R>,
): Promise<R> {
  const open = await opened;
  try {
    return await work(open);
  } finally {
    await open.close();
  }
}

/** Runs work that needs the database, again if it has to be. By default, the first failure is the last. */
type Trying = <T>(work: () => Promise<T>) => Promise<T>;
const once: Trying = (work) => work();

const storeOpenedBy =
  (open: typeof openStore) =>
  async <T>(work: (store: Store) => Promise<T>, trying = once, options: OpenOptions = {}): Promise<T> => {
    const config = readConfig();
    const opened = trying(() => open(config.DATABASE_URL, { ...storeOptions(config), ...options }));
    return closing(opened, work);
  };

/** Opens the database of `DATABASE_URL`, which must exist, runs `work`, and closes the database. */
export const withStore = storeOpenedBy(openExistingStore);

/** Does the same for commands that fill a database, and creates it if there is none. */
export const withNewStore = storeOpenedBy(openStore);

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

const MAX_REPORTED = 4_000;

function shortened(line: string): string {
  const left = line.length - MAX_REPORTED;
  return left > 0 ? `${line.slice(0, MAX_REPORTED)}… (${left} more characters)` : line;
}

/** One line, or a list of lines. Line breaks within a line are replaced like other control characters. */
type Lines = string | readonly string[];
const plain = (lines: Lines): string =>
  [lines]
    .flat()
    .map((line) => `${plainLine(line)}\n`)
    .join("");

// Only the functions below write to the terminal.

/** Data: stdout. */
export function print(lines: Lines): void {
  process.stdout.write(plain(lines));
}

/** Progress and errors: stderr. A very long line is shortened, and says so. */
export function report(lines: Lines): void {
  process.stderr.write(plain([lines].flat().map(shortened)));
}

/**
 * Whole lines of data, or bytes; lines are exact but on a terminal. Resolves once they are taken: false if nobody reads any
 * more, or if they cannot be written.
 */
export async function writeData(data: string | Uint8Array): Promise<boolean> {
  const { stdout } = process;
  const isShown = stdout.isTTY && typeof data === "string";
  if (!stdout.writable) return false;
  return new Promise((resolve) => {
    stdout.write(isShown ? data.split("\n").map(plainLine).join("\n") : data, (error) => resolve(!error));
  });
}

/** Replaces the terminal's current line; "" clears it. */
export function showStatus(line: string): void {
  process.stderr.write(`\r\x1b[K${plainLine(line)}`);
}

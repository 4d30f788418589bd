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
  /** Number of words besides options, and the message if there are fewer or more. None by default. */
  takes?: [least: number, most: number, inWords: string];
  /** Resolves to the exit code, 0 by default. */
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
        throw new UsageError(
          inWords ? `${name} ${inWords}` : `Unexpected argument: ${positionals.join(" ")}`,
        );
      }
      return (await run(values, ...positionals)) ?? 0;
    },
  };
}

/** Maximum length to which a message quotes a wrong value, in characters. */
const MAX_REPEATED = 100;

/** Makes the error for an option or an argument with a wrong value. */
export const wrong = (name: string, expected: string, text: string): UsageError =>
  new UsageError(`${name} must be ${expected}, not ${JSON.stringify(limitText(text, MAX_REPEATED))}`);

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

/** Runs work that needs the database, and may repeat it. By default, it runs once. */
type Trying = <T>(work: () => Promise<T>) => Promise<T>;
const once: Trying = (work) => work();

/** Throws if the database holds another chain than the setting CHAIN names. */
async function requireChain(store: Store): Promise<void> {
  // It reads the settings when it is loaded, and a wrong one is an error of the command.
  const { chainIdentity } = await import("#lib/queries/chain.ts");
  await store.query(chainIdentity);
}

const storeOpenedBy =
  (open: typeof openStore, check = requireChain) =>
  async <T>(work: (store: Store) => Promise<T>, trying = once, options: OpenOptions = {}): Promise<T> => {
    const config = readConfig();
    const opened = trying(() => open(config.DATABASE_URL, { ...storeOptions(config), ...options }));
    return closing(opened, async (store) => {
      await trying(() => check(store));
      return work(store);
    });
  };

/** Opens the database of `DATABASE_URL`, which must exist, runs `work`, and closes the database. */
export const withStore = storeOpenedBy(openExistingStore);

/** Does the same for a command that itself reports a wrong chain. */
export const withStoreOfAnyChain = storeOpenedBy(openExistingStore, async () => {});

/** Does the same for commands that fill a database, and creates it if there is none. */
export const withNewStore = storeOpenedBy(openStore);

/** Runs `work` while no other process may follow the chain into this database. Throws if another one does. */
export async function withSyncLock<T>(store: Store, work: () => Promise<T>, trying = once): Promise<T> {
  const lock = await trying(() => store.acquireSyncLock());
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // The work's error matters more than one of releasing the lock.
    await lock.release().catch(() => {});
    throw error;
  }
  await lock.release();
  return result;
}

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Runs `work`. Meanwhile, SIGTERM and SIGINT call `onSignal` instead of ending the process. */
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

/** A line or lines. Line breaks within a line are replaced like other control characters. */
type Lines = string | readonly string[];
const plain = (lines: Lines): string =>
  [lines]
    .flat()
    .map((line) => `${plainLine(line)}\n`)
    .join("");

// Only the functions below write to the terminal.

/** Writes data to stdout. */
export function print(lines: Lines): void {
  process.stdout.write(plain(lines));
}

/** Writes progress and errors to stderr, and shortens very long lines. */
export function report(lines: Lines): void {
  process.stderr.write(plain([lines].flat().map(shortened)));
}

/**
 * Writes whole lines of data, or bytes, to stdout: unchanged, except on a terminal. Resolves once they are written, to false
 * if the reader has closed the pipe or writing fails.
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

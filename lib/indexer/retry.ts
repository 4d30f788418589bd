import { setTimeout } from "node:timers/promises";
import { SourceError } from "#lib/contract/source.ts";
import { isLost, isUnavailable, isUnreadable } from "#lib/store/errors.ts";

const FIRST_RETRY = 500;
const LAST_RETRY = 30_000;
/** Attempts before a file is taken for damaged; the fourth comes 3.5 seconds after the first. */
const UNREADABLE_ATTEMPTS = 4;

interface RetryOptions {
  signal: AbortSignal;
  /** Resolves early if the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  log(message: string): void;
  /** Hears what does not answer whenever that begins, and null when it ends. */
  onOutage?: ((of: Outage | null) => void) | undefined;
}

/** The cause that the work waits for. */
export type Outage = "node" | "database";

/** Tries again what fails because the node or the database cannot be used at this time. */
export class Retry {
  readonly #options: RetryOptions;
  #retryIn = FIRST_RETRY;
  #lastFault: { of: Outage; message: string } | null = null;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** Runs `work` until nothing is in its way. Throws its other errors; once aborted, what `isInterruption` recognises. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { signal, sleep, log } = this.#options;
    for (let unreadable = 0; ; ) {
      try {
        const result = await work();
        if (this.#lastFault) {
          log(`the ${this.#lastFault.of} answers again`);
          this.#options.onOutage?.(null);
        }
        this.#lastFault = null;
        this.#retryIn = FIRST_RETRY;
        return result;
      } catch (error) {
        if (!isPassing(error) || signal.aborted) throw error;
        if (isUnreadable(error) && ++unreadable === UNREADABLE_ATTEMPTS) throw error;
        this.#noteFault({ of: error instanceof SourceError ? "node" : "database", message: error.message });
        await sleep(this.#retryIn, signal);
        signal.throwIfAborted();
        this.#retryIn = Math.min(this.#retryIn * 2, LAST_RETRY);
      }
    }
  }

  /** Logs a new fault. The several faults of a database that restarts count as one, unless it lasts. */
  #noteFault(fault: { of: Outage; message: string }): void {
    const last = this.#lastFault;
    const passesOver = last?.of === fault.of && fault.of === "database" && this.#retryIn < LAST_RETRY;
    if (last?.message === fault.message || passesOver) return;
    this.#options.log(`${fault.message}; trying again`);
    this.#options.onOutage?.(fault.of);
    this.#lastFault = fault;
  }
}

const isPassing = (error: unknown): error is Error =>
  error instanceof SourceError || isUnreadable(error) || (isUnavailable(error) && !isLost(error));

/** The errors that a requested end can cause, or that it would otherwise be retried for. */
export const isInterruption = (error: unknown): boolean =>
  isPassing(error) || (error instanceof Error && error.name === "AbortError");

/** Resolves after a while, or as soon as the signal aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, null, { signal }).catch(() => {});
}

import { setTimeout } from "node:timers/promises";
import { SourceError } from "#lib/contract/source.ts";
import { isLost, isUnavailable, isUnreadable } from "#lib/store/errors.ts";

const FIRST_RETRY = 500;
const LAST_RETRY = 30_000;
/** Attempts before a file counts as damaged; the fourth comes 3.5 seconds after the first. */
const UNREADABLE_ATTEMPTS = 4;

interface RetryOptions {
  signal: AbortSignal;
  /** Resolves early if the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  log(message: string): void;
  /** Called when an outage begins, and with null when it ends. */
  onOutage?: ((outage: Outage | null) => void) | undefined;
}

/** The part that is unavailable. */
export type Outage = "node" | "database";

/** Repeats work that fails because the node or the database is temporarily unavailable. */
export class Retry {
  readonly #options: RetryOptions;
  #retryIn = FIRST_RETRY;
  #lastFault: { of: Outage; message: string } | null = null;

  constructor(options: RetryOptions) {
    this.#options = options;
  }

  /** Repeats `work` until it succeeds. Throws its other errors; once aborted, an error that `isInterruption` recognises. */
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
        if (!isTemporary(error) || signal.aborted) throw error;
        if (isUnreadable(error) && ++unreadable === UNREADABLE_ATTEMPTS) throw error;
        this.#noteFault({ of: error instanceof SourceError ? "node" : "database", message: error.message });
        await sleep(this.#retryIn, signal);
        signal.throwIfAborted();
        this.#retryIn = Math.min(this.#retryIn * 2, LAST_RETRY);
      }
    }
  }

  /** Logs a new fault. A restarting database has several different ones, which count as one unless they last. */
  #noteFault(fault: { of: Outage; message: string }): void {
    const last = this.#lastFault;
    const isRestart = last?.of === fault.of && fault.of === "database" && this.#retryIn < LAST_RETRY;
    if (last?.message === fault.message || isRestart) return;
    this.#options.log(`${fault.message}; trying again`);
    this.#options.onOutage?.(fault.of);
    this.#lastFault = fault;
  }
}

const isTemporary = (error: unknown): error is Error =>
  error instanceof SourceError || isUnreadable(error) || (isUnavailable(error) && !isLost(error));

/** True for errors that an abort causes, and for temporary ones, which are not retried after it. */
export const isInterruption = (error: unknown): boolean =>
  isTemporary(error) || (error instanceof Error && error.name === "AbortError");

/** Resolves after the given time, or as soon as the signal aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, null, { signal }).catch(() => {});
}

import { setImmediate as nextTurn } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import { ApiError, isApiError, serverIsBusy } from "#lib/contract/errors.ts";
import type { AccessToken } from "#lib/store/store.ts";
import { MINUTE, type RequestCounter, RequestCounts } from "./request-counts.ts";

/** How long work may go on before the event loop gets its turn, which health checks and refusals wait for. */
const SLICE_MS = 10;
/** How long the event loop may then go round: it takes one new connection each time. */
const ROUND_MS = 20;
/** So many times as long as the work itself a wait is while requests keep coming in. */
const WITH_ROUNDS = (SLICE_MS + ROUND_MS) / SLICE_MS;
/** How long a request may wait for its turn: long enough for a burst. */
const PATIENCE_MS = 500;
/** The same while the server is overloaded: what it answers then at all, it answers soon. */
const OVERLOADED_PATIENCE_MS = 200;
/** The server counts as overloaded for so long after more was asked of it than it can do. */
const OVERLOADED_MS = 1000;
/** Refusals take time, too, which what is in work and health checks wait for. */
const REFUSALS_A_ROUND = 50;
/** As many wait for their round; others go out at once, so that they take no memory. */
const MAX_REFUSALS = 2_000;
/** How much the last piece of work counts in the average that tells how long the next ones take. */
const WORK_WEIGHT = 0.05;

type Caller = Pick<AccessToken, "id" | "ratePerMinute">;

/** Response headers that tell a caller its quota; empty if there is none. */
export type Quota = Record<string, string>;

/** Keeps callers to their quota, and this process to what it can do. */
export class Limits {
  readonly #perMinute: number;
  readonly #requests: RequestCounter;
  readonly #inTurn: LimitFunction;
  /** Pieces of streams take at most half of what may be in work. */
  readonly #pieces: LimitFunction;
  #overloadedAt = Number.NEGATIVE_INFINITY;
  readonly #refusals: (() => void)[] = [];
  #arrived = 0;
  /** On average, in milliseconds, how soon one piece of work is done after another. */
  #workMs = 0;
  /** When the last one was done; null if the event loop has gone round since. */
  #lastDone: number | null = null;
  /** When the event loop's current round began to work; null before it has any. */
  #sliceStart: number | null = null;
  #nextSlice: Promise<void> | null = null;

  /**
   * @param perMinute requests in a minute of an access token without a rate of its own; 0: no limit
   * @param inWork requests in work at once; the others wait. One thread makes all answers: with more of them in work,
   *   more are in memory, and none is ready sooner
   * @param requests counts the requests of each caller
   */
  constructor(perMinute: number, inWork: number, requests: RequestCounter = new RequestCounts()) {
    this.#perMinute = perMinute;
    this.#requests = requests;
    this.#inTurn = pLimit(inWork);
    this.#pieces = pLimit(Math.ceil(inWork / 2));
  }

  /**
   * Counts a request of the caller and runs `work`. An ApiError of `work` gets the quota's headers. Throws
   * TOO_MANY_REQUESTS instead of running `work` if the quota is used up.
   */
  async counted<T>(caller: Caller, now: number, work: (quota: Quota) => Promise<T>): Promise<T> {
    const quota = await this.#count(caller, now);
    try {
      return await work(quota);
    } catch (error) {
      if (isApiError(error)) Object.assign(error.headers, quota);
      throw error;
    }
  }

  /** The quota after one more request. */
  async #count({ id, ratePerMinute }: Caller, now: number): Promise<Quota> {
    const perMinute = ratePerMinute ?? this.#perMinute;
    if (perMinute === 0) return {};
    const { start, used } = await this.#requests.count(id, now);
    const reset = Math.max(1, Math.ceil((start + MINUTE - now) / 1000));
    const headers = {
      "RateLimit-Limit": String(perMinute),
      "RateLimit-Remaining": String(Math.max(0, perMinute - used)),
      "RateLimit-Reset": String(reset),
    };
    if (used > perMinute) {
      throw new ApiError("TOO_MANY_REQUESTS", [], { ...headers, "Retry-After": String(reset) });
    }
    return headers;
  }

  /**
   * Runs `work` when its turn comes. Throws SERVICE_UNAVAILABLE instead if that will probably take too long, or has: the
   * server is asked for more than it can do.
   */
  async admit<T>(work: () => Promise<T>): Promise<T> {
    const asked = performance.now();
    this.#arrived += 1;
    const waiting = this.#inTurn.pendingCount;
    // Clients that are refused come back: how long all of them would wait tells whether any need be.
    if ((waiting + this.#refusals.length) * this.#workMs > PATIENCE_MS) this.#overloadedAt = asked;
    if (this.#isOverloaded(asked) && waiting * this.#workMs * WITH_ROUNDS > OVERLOADED_PATIENCE_MS) {
      await this.refusalTurn();
      throw serverIsBusy();
    }
    return this.#inTurn(async () => {
      await this.turn();
      const now = performance.now();
      const waited = now - asked;
      if (waited > PATIENCE_MS) this.#overloadedAt = now;
      if (waited > (this.#isOverloaded(now) ? OVERLOADED_PATIENCE_MS : PATIENCE_MS)) throw serverIsBusy();
      return this.#timed(work);
    });
  }

  /**
   * Runs the next piece of a stream when its turn comes, however late. However many streams there are, few of their
   * pieces are in the queue with the requests at the same time.
   */
  piece<T>(work: () => Promise<T>): Promise<T> {
    return this.#pieces(() =>
      this.#inTurn(async () => {
        await this.turn();
        return this.#timed(work);
      }),
    );
  }

  async #timed<T>(work: () => Promise<T>): Promise<T> {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      this.#noteWork(begun, performance.now());
    }
  }

  #isOverloaded(now: number): boolean {
    return now - this.#overloadedAt < OVERLOADED_MS;
  }

  /**
   * Learns how soon one piece of work follows another: as soon as they share the time if they wait for a database, one
   * after the other if they keep this thread busy.
   */
  #noteWork(begun: number, done: number): void {
    const shared = (done - begun) / this.#inTurn.concurrency;
    const alone = done - (this.#lastDone ?? this.#sliceStart ?? done);
    this.#workMs += (Math.max(shared, alone) - this.#workMs) * WORK_WEIGHT;
    this.#lastDone = done;
  }

  /**
   * Resolves when the next refusal may go out: in this round of the event loop or a later one. Clients that ask again at
   * once would otherwise keep the event loop from anything else.
   */
  refusalTurn(): Promise<void> {
    if (this.#refusals.length >= MAX_REFUSALS) return Promise.resolve();
    return new Promise((resolve) => {
      if (this.#refusals.push(resolve) === 1) setImmediate(this.#refuseSome);
    });
  }

  readonly #refuseSome = (): void => {
    for (const refuse of this.#refusals.splice(0, REFUSALS_A_ROUND)) refuse();
    if (this.#refusals.length > 0) setImmediate(this.#refuseSome);
  };

  /** Requests of the API in work, and those that wait for their turn. */
  get queue() {
    return { working: this.#inTurn.activeCount, waiting: this.#inTurn.pendingCount };
  }

  /** Lets the event loop go round if this round has worked for long enough. */
  async turn(): Promise<void> {
    while (performance.now() - (this.#sliceStart ?? this.#beginSlice()) >= SLICE_MS) {
      this.#nextSlice ??= this.#goRound();
      await this.#nextSlice;
    }
  }

  /** Until the event loop goes round. */
  #beginSlice(): number {
    setImmediate(() => {
      this.#sliceStart = null;
      this.#lastDone = null;
    });
    this.#sliceStart = performance.now();
    return this.#sliceStart;
  }

  /** As long as requests come in, others may be waiting behind them: health checks, and what must be refused. */
  async #goRound(): Promise<void> {
    const end = performance.now() + ROUND_MS;
    let before: number;
    do {
      before = this.#arrived;
      await nextTurn();
      await nextTurn();
    } while (this.#arrived > before && performance.now() < end);
    this.#beginSlice();
    this.#nextSlice = null;
  }
}

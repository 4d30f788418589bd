import { setImmediate as nextTick } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import { serverIsBusy } from "#lib/contract/errors.ts";
import { pauses } from "#lib/store/pause.ts";

/** Maximum time to work before yielding to the event loop: health checks and refusals wait for that. */
const SLICE_MS = 10;
/** Maximum time that work waits for the event loop while requests keep arriving. */
const DRAIN_MS = 20;
/** The same while connections keep arriving: the event loop accepts one of them in each tick. */
const CONNECTING_MS = 100;
/** How long requests wait in a queue, in milliseconds. */
export interface Patience {
  usual: number;
  /** The same under overload, so that the few requests that are answered are answered quickly. */
  overloaded: number;
}
/** Enough for a burst. */
const PATIENCE: Patience = { usual: 500, overloaded: 200 };
/** Overload lasts this long after a request has waited for the usual time. */
const OVERLOADED_MS = 5_000;
/** More refusals in one tick would delay running work and health checks. */
const REFUSALS_PER_TICK = 50;

/** Yields to the event loop between pieces of work and between refusals. */
export class EventLoopTicks {
  #connections = 0;
  #requests = 0;
  /** When work began in this tick; null if none has. */
  #sliceStart: number | null = null;
  #begun = 0;
  #nextSlice: Promise<void> | null = null;
  readonly #refusals: (() => void)[] = [];

  /** Notes a new connection: others may wait behind it. */
  connected(): void {
    this.#connections += 1;
  }

  /** Notes a new request. */
  arrived(): void {
    this.#requests += 1;
  }

  /** Yields if work has gone on for `SLICE_MS`, or if this tick has begun `most` pieces of work. */
  async yieldIfDue(most = Number.POSITIVE_INFINITY): Promise<void> {
    while (performance.now() - (this.#sliceStart ?? this.#beginSlice()) >= SLICE_MS || this.#begun >= most) {
      this.#nextSlice ??= this.#awaitTick();
      await this.#nextSlice;
    }
    this.#begun += 1;
  }

  /** Resolves when the next refusal may be sent. Clients that retry at once would otherwise fill the event loop. */
  refusal(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#refusals.push(resolve) === 1) void this.#refuse();
    });
  }

  async #refuse(): Promise<void> {
    while (this.#refusals.length > 0) {
      await this.#drain();
      for (const refuse of this.#refusals.splice(0, REFUSALS_PER_TICK)) refuse();
    }
  }

  #beginSlice(): number {
    this.#begun = 0;
    setImmediate(() => {
      this.#sliceStart = null;
    });
    this.#sliceStart = performance.now();
    return this.#sliceStart;
  }

  async #awaitTick(): Promise<void> {
    await this.#drain();
    this.#beginSlice();
    this.#nextSlice = null;
  }

  /** Resolves once nothing arrives any more, or after the longest time above. */
  async #drain(): Promise<void> {
    const begun = performance.now();
    for (;;) {
      const [connections, requests] = [this.#connections, this.#requests];
      await nextTick();
      await nextTick();
      const passed = performance.now() - begun;
      const isConnecting = this.#connections > connections && passed < CONNECTING_MS;
      const isAsking = this.#requests > requests && passed < DRAIN_MS;
      if (!isConnecting && !isAsking) return;
    }
  }
}

/** The caller that all pieces of streams belong to. */
const STREAMS = "streams";

interface Waiting {
  since: number;
  begin(): void;
  refuse(error: Error): void;
}

interface Caller {
  working: number;
  waiting: Waiting[];
}

/**
 * Limits how many pieces of work run at once. Callers take turns. Of more than two places, a caller gets at most half, rounded
 * up.
 */
export class WorkQueue {
  readonly #places: number;
  readonly #placesPerCaller: number;
  readonly #ticks: EventLoopTicks;
  readonly #patience: Patience;
  /** Keeps the further pieces of streams out of `load.waiting`, for which running work would pause. */
  readonly #pieces: LimitFunction;
  /** Callers with work that runs or waits. The first of them has the next turn. */
  readonly #callers = new Map<string, Caller>();
  readonly load = { working: 0, waiting: 0 };
  #timer: NodeJS.Timeout | undefined;
  #overloadedAt = Number.NEGATIVE_INFINITY;

  /** @param places pieces of work that run at once. One thread does all of them, so more would only take memory */
  constructor(places: number, ticks: EventLoopTicks, patience = PATIENCE) {
    this.#places = places;
    this.#patience = patience;
    this.#placesPerCaller = Math.max(Math.min(places, 2), Math.ceil(places / 2));
    this.#ticks = ticks;
    this.#pieces = pLimit(Math.ceil(places / 2));
  }

  /** Runs `work` when its turn comes. Throws SERVICE_UNAVAILABLE if that takes too long. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const asked = performance.now();
    await this.#enter(caller, asked);
    try {
      await this.#ticks.yieldIfDue();
      const begun = performance.now();
      const waited = begun - asked;
      const { usual, overloaded } = this.#patience;
      if (waited > usual) this.#overloadedAt = begun;
      const isOverloaded = begun - this.#overloadedAt < OVERLOADED_MS;
      if (waited > (isOverloaded ? overloaded : usual)) throw serverIsBusy();
      return await this.#runInPieces(caller, work);
    } finally {
      this.#leave(caller);
    }
  }

  /** Runs the next piece of a stream when its turn comes, however late. All streams count as one caller. */
  runPiece<T>(work: () => Promise<T>): Promise<T> {
    return this.#pieces(async () => {
      await this.#enter(STREAMS, Number.POSITIVE_INFINITY);
      try {
        await this.#ticks.yieldIfDue();
        return await this.#runInPieces(STREAMS, work);
      } finally {
        this.#leave(STREAMS);
      }
    });
  }

  /** Runs work that may pause. Whenever it does, it waits for its caller's next turn. */
  async #runInPieces<T>(caller: string, work: () => Promise<T>): Promise<T> {
    let paused: Promise<void> | undefined;
    let isOver = false;
    const pause = () => {
      if (isOver) return nextTick();
      // Parts of the work that run side by side have one place together.
      paused ??= this.#yieldPlace(caller).finally(() => {
        paused = undefined;
      });
      return paused;
    };
    try {
      return await pauses.run(pause, work);
    } finally {
      isOver = true;
      await paused;
    }
  }

  /** Gives the place to the next caller and waits for another one, ahead of this caller's work that has not begun. */
  async #yieldPlace(caller: string): Promise<void> {
    if (this.load.waiting > 0) {
      const placed = this.#wait(caller, Number.POSITIVE_INFINITY, "first");
      this.#leave(caller);
      await placed;
    }
    await this.#ticks.yieldIfDue();
  }

  /** @param since when the wait began, in milliseconds; infinite for work that is never refused */
  #enter(name: string, since: number): Promise<void> | undefined {
    const caller = this.#callerOf(name);
    if (!this.#mayStart(caller)) return this.#wait(name, since, "last");
    this.#start(caller);
    return undefined;
  }

  #callerOf(name: string): Caller {
    const caller = this.#callers.get(name) ?? { working: 0, waiting: [] };
    this.#callers.set(name, caller);
    return caller;
  }

  #mayStart({ working }: Caller): boolean {
    return this.load.working < this.#places && working < this.#placesPerCaller;
  }

  #start(caller: Caller): void {
    this.load.working += 1;
    caller.working += 1;
  }

  #leave(caller: string): void {
    this.load.working -= 1;
    this.#callers.get(caller)!.working -= 1;
    this.#startNext();
    this.#forgetIdle(caller);
  }

  #wait(name: string, since: number, place: "first" | "last"): Promise<void> {
    return new Promise((begin, refuse) => {
      this.#callerOf(name).waiting[place === "first" ? "unshift" : "push"]({ since, begin, refuse });
      this.load.waiting += 1;
      this.#timer ??= setTimeout(() => this.#refuseLate(), this.#patience.usual).unref();
    });
  }

  /** Fills free places. A caller that gets one goes to the end of the queue. */
  #startNext(): void {
    while (this.load.waiting > 0) {
      const next = this.#callers
        .entries()
        .find(([, caller]) => caller.waiting.length > 0 && this.#mayStart(caller));
      if (!next) return;
      const [name, caller] = next;
      this.#callers.delete(name);
      this.#callers.set(name, caller);
      this.#start(caller);
      this.load.waiting -= 1;
      caller.waiting.shift()!.begin();
    }
  }

  /** Refuses what has waited too long, even if no running work ends. */
  #refuseLate(): void {
    const now = performance.now();
    for (const [name, caller] of this.#callers) {
      const isLate = ({ since }: Waiting) => now - since >= this.#patience.usual;
      const late = caller.waiting.filter(isLate);
      caller.waiting = caller.waiting.filter((waiting) => !isLate(waiting));
      this.load.waiting -= late.length;
      for (const { refuse } of late) refuse(serverIsBusy());
      this.#forgetIdle(name);
    }
    const again = this.load.waiting > 0;
    this.#timer = again ? setTimeout(() => this.#refuseLate(), this.#patience.usual).unref() : undefined;
  }

  #forgetIdle(name: string): void {
    const caller = this.#callers.get(name);
    if (caller?.working === 0 && caller.waiting.length === 0) this.#callers.delete(name);
  }
}

import { setImmediate as nextRound } from "node:timers/promises";
import pLimit, { type LimitFunction } from "p-limit";
import { serverIsBusy } from "#lib/contract/errors.ts";
import { pauses } from "#lib/store/giving-way.ts";

/** Work goes on for so long before the event loop goes round: health checks and refusals wait for that. */
const SLICE_MS = 10;
/** The event loop then goes round for so long at most while requests arrive. */
const DRAIN_MS = 20;
/** The same while connections arrive: the event loop takes one of them each time. */
const CONNECTING_MS = 100;
/** While requests keep arriving, a wait lasts this many times the work. */
const WITH_DRAINING = (SLICE_MS + DRAIN_MS) / SLICE_MS;
/** A request waits for its turn for so long at most: long enough for a burst. */
const MAX_WAIT_MS = 500;
/** The same while the server is overloaded: whom it answers then, it answers soon. */
const OVERLOADED_MAX_WAIT_MS = 200;
/** The server counts as overloaded for so long after it was asked for more than it can do. */
const OVERLOADED_MS = 1000;
/** Sending refusals delays running work and health checks. */
const REFUSALS_PER_TICK = 50;
/** The weight of the last piece of work in the average that predicts the next ones. */
const WORK_WEIGHT = 0.05;

/** Lets the event loop of this process go round between pieces of work and between refusals. */
export class EventLoopTicks {
  #connections = 0;
  #requests = 0;
  /** When the current round began to work; null before it has any. */
  #sliceStart: number | null = null;
  #begun = 0;
  /** When a piece of work was done last; null if the event loop has gone round since. */
  #lastDone: number | null = null;
  #nextSlice: Promise<void> | null = null;
  readonly #refusals: (() => void)[] = [];

  /** Call it for each connection: others may wait behind it. */
  connected(): void {
    this.#connections += 1;
  }

  /** Call it for each request. */
  arrived(): void {
    this.#requests += 1;
  }

  /** Lets the event loop go round if this round has worked for long enough, or has begun `most` pieces of work. */
  async yieldIfDue(most = Number.POSITIVE_INFINITY): Promise<void> {
    while (performance.now() - (this.#sliceStart ?? this.#beginSlice()) >= SLICE_MS || this.#begun >= most) {
      this.#nextSlice ??= this.#awaitTick();
      await this.#nextSlice;
    }
    this.#begun += 1;
  }

  /** Notes that a piece of work is done. Returns the milliseconds since the one before, or since the round began. */
  done(now: number): number {
    const since = now - (this.#lastDone ?? this.#sliceStart ?? now);
    this.#lastDone = now;
    return since;
  }

  /** Resolves when the next refusal may go out: clients that ask again at once would take the whole event loop. */
  refusal(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#refusals.push(resolve) === 1) void this.#refuse();
    });
  }

  get refusals(): number {
    return this.#refusals.length;
  }

  async #refuse(): Promise<void> {
    while (this.#refusals.length > 0) {
      await this.#quiet();
      for (const refuse of this.#refusals.splice(0, REFUSALS_PER_TICK)) refuse();
    }
  }

  /** Until the event loop goes round. */
  #beginSlice(): number {
    this.#begun = 0;
    setImmediate(() => {
      this.#sliceStart = null;
      this.#lastDone = null;
    });
    this.#sliceStart = performance.now();
    return this.#sliceStart;
  }

  async #awaitTick(): Promise<void> {
    await this.#quiet();
    this.#beginSlice();
    this.#nextSlice = null;
  }

  /** Until nothing comes in any more, for a while at most. */
  async #quiet(): Promise<void> {
    const begun = performance.now();
    for (;;) {
      const [connections, requests] = [this.#connections, this.#requests];
      await nextRound();
      await nextRound();
      const passed = performance.now() - begun;
      const isConnecting = this.#connections > connections && passed < CONNECTING_MS;
      const isAsking = this.#requests > requests && passed < DRAIN_MS;
      if (!isConnecting && !isAsking) return;
    }
  }
}

/** All pieces of streams count as those of this caller. */
const STREAMS = "streams";

interface Waiting {
  since: number;
  begin(): void;
  refuse(error: Error): void;
}

/** Limits how much work of one kind runs at once. Callers take turns, so one who asks for much delays no other. */
export class WorkQueue {
  readonly #inWork: number;
  readonly #ticks: EventLoopTicks;
  /** Pieces of streams take at most half of what may be in work. */
  readonly #pieces: LimitFunction;
  /** What waits, by caller. The next turn is the first one's. */
  readonly #callers = new Map<string, Waiting[]>();
  readonly load = { working: 0, waiting: 0 };
  #timer: NodeJS.Timeout | undefined;
  #overloadedAt = Number.NEGATIVE_INFINITY;
  /** On average, in milliseconds, how soon one piece of work is done after another. */
  #workMs = 0;

  /**
   * @param inWork pieces of work at once. One thread does all of them: more would take memory and be no faster
   */
  constructor(inWork: number, ticks: EventLoopTicks) {
    this.#inWork = inWork;
    this.#ticks = ticks;
    this.#pieces = pLimit(Math.ceil(inWork / 2));
  }

  /** Runs `work` when its turn comes. Throws SERVICE_UNAVAILABLE if that takes too long, or probably will. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T> {
    const asked = performance.now();
    // Refused clients come back, so they count as waiting.
    if ((this.load.waiting + this.#ticks.refusals) * this.#workMs > MAX_WAIT_MS) this.#overloadedAt = asked;
    const wait = this.#before(caller) * this.#workMs * WITH_DRAINING;
    if (this.#isOverloaded(asked) && wait > OVERLOADED_MAX_WAIT_MS) throw serverIsBusy();
    await this.#place(caller);
    try {
      await this.#ticks.yieldIfDue();
      const begun = performance.now();
      const waited = begun - asked;
      if (waited > MAX_WAIT_MS) this.#overloadedAt = begun;
      if (waited > (this.#isOverloaded(begun) ? OVERLOADED_MAX_WAIT_MS : MAX_WAIT_MS)) throw serverIsBusy();
      return await this.#timed(caller, work);
    } finally {
      this.#next();
    }
  }

  /** Runs the next piece of a stream when its turn comes, however late. All streams share the turns of one caller. */
  runPiece<T>(work: () => Promise<T>): Promise<T> {
    return this.#pieces(async () => {
      await this.#place(STREAMS, Number.POSITIVE_INFINITY);
      try {
        await this.#ticks.yieldIfDue();
        return await this.#timed(STREAMS, work);
      } finally {
        this.#next();
      }
    });
  }

  /** Long work that gives way is several pieces, each with a turn of its own. */
  async #timed<T>(caller: string, work: () => Promise<T>): Promise<T> {
    let begun = performance.now();
    let paused: Promise<void> | undefined;
    let isOver = false;
    const pause = async () => {
      this.#noteWork(begun, performance.now());
      await this.#giveWay(caller);
      begun = performance.now();
      paused = undefined;
    };
    const pauseOnce = () => {
      if (isOver) return nextRound();
      // Parts of the work that run side by side have one place together.
      paused ??= pause();
      return paused;
    };
    try {
      return await pauses.run(pauseOnce, work);
    } finally {
      isOver = true;
      await paused;
      this.#noteWork(begun, performance.now());
    }
  }

  /** Gives the place to the next caller, and waits for another one, before all that this caller has not begun. */
  async #giveWay(caller: string): Promise<void> {
    if (this.load.waiting > 0) {
      const placed = this.#wait(caller, Number.POSITIVE_INFINITY, "first");
      this.#next();
      await placed;
    }
    await this.#ticks.yieldIfDue();
  }

  /** How many pieces of work come before the next request of this caller. */
  #before(caller: string): number {
    const own = this.#callers.get(caller)?.length ?? 0;
    return Math.min(this.load.waiting, (own + 1) * this.#callers.size);
  }

  /** @param since when its patience began */
  #place(caller: string, since = performance.now()): Promise<void> | undefined {
    if (this.load.working < this.#inWork) {
      this.load.working += 1;
      return;
    }
    return this.#wait(caller, since);
  }

  #wait(caller: string, since: number, place: "first" | "last" = "last"): Promise<void> {
    return new Promise((begin, refuse) => {
      const waiting = { since, begin, refuse };
      const own = this.#callers.get(caller);
      if (!own) this.#callers.set(caller, [waiting]);
      else if (place === "last") own.push(waiting);
      else own.unshift(waiting);
      this.load.waiting += 1;
      this.#timer ??= setTimeout(() => this.#refuseLate(), MAX_WAIT_MS).unref();
    });
  }

  /** Refuses what has waited too long, even if nothing in work comes to its end. */
  #refuseLate(): void {
    const now = performance.now();
    for (const [caller, waiting] of this.#callers) {
      const { late = [], patient = [] } = Object.groupBy(waiting, ({ since }) =>
        now - since >= MAX_WAIT_MS ? "late" : "patient",
      );
      if (patient.length === 0) this.#callers.delete(caller);
      else this.#callers.set(caller, patient);
      this.load.waiting -= late.length;
      for (const { refuse } of late) refuse(serverIsBusy());
    }
    const again = this.load.waiting > 0;
    this.#timer = again ? setTimeout(() => this.#refuseLate(), MAX_WAIT_MS).unref() : undefined;
  }

  /** Gives the free place to the next caller, who then goes to the end of the queue. */
  #next(): void {
    const [next] = this.#callers;
    if (!next) {
      this.load.working -= 1;
      return;
    }
    const [caller, waiting] = next;
    const { begin } = waiting.shift()!;
    this.#callers.delete(caller);
    if (waiting.length > 0) this.#callers.set(caller, waiting);
    this.load.waiting -= 1;
    begin();
  }

  #isOverloaded(now: number): boolean {
    return now - this.#overloadedAt < OVERLOADED_MS;
  }

  /** Learns how soon one piece of work follows another: they share the time, or keep this thread busy in turn. */
  #noteWork(begun: number, done: number): void {
    const shared = (done - begun) / this.#inWork;
    this.#workMs += (Math.max(shared, this.#ticks.done(done)) - this.#workMs) * WORK_WEIGHT;
  }
}

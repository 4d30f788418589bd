import { setImmediate as nextTick } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { pause } from "#lib/store/pause.ts";
import { EventLoopTicks, WorkQueue } from "./work-queue.ts";

describe("the work queue", () => {
  const MANY = 200;
  afterEach(() => vi.restoreAllMocks());

  /** Work that takes so long and does not wait for anything, as reading SQLite does. */
  function blockingWork(milliseconds: number): () => Promise<void> {
    let clock = 0;
    vi.spyOn(performance, "now").mockImplementation(() => clock);
    return async () => {
      clock += milliseconds;
    };
  }

  /** Number of event-loop ticks meanwhile. */
  async function ticksDuring(work: () => Promise<unknown>): Promise<number> {
    let isOver = false;
    let ticks = 0;
    const count = () => {
      ticks++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await work();
    isOver = true;
    return ticks;
  }

  test("yields to the event loop after every few pieces of work", async () => {
    const queue = new WorkQueue(10, new EventLoopTicks());
    const work = blockingWork(5);
    const ticks = await ticksDuring(() =>
      Promise.all(Array.from({ length: 80 }, () => queue.run("a", work))),
    );
    expect(ticks).toBeGreaterThanOrEqual(4);
  });

  test("yields to the event loop between requests that follow each other in one tick", async () => {
    const queue = new WorkQueue(10, new EventLoopTicks());
    const work = blockingWork(5);
    const ticks = await ticksDuring(async () => {
      for (let i = 0; i < 80; i++) await queue.run("a", work);
    });
    expect(ticks).toBeGreaterThanOrEqual(4);
  });

  test("begins a limited number of pieces in one tick", async () => {
    const ticks = new EventLoopTicks();
    vi.spyOn(performance, "now").mockReturnValue(0);
    let begun = 0;
    const work = () =>
      Promise.all(Array.from({ length: MANY }, () => ticks.yieldIfDue(10).then(() => begun++)));
    expect(await ticksDuring(work)).toBeGreaterThanOrEqual(MANY / 10);
    expect(begun).toBe(MANY);
  });

  test("lets another caller in while long work pauses, and the caller's own work only after it", async () => {
    const queue = new WorkQueue(1, new EventLoopTicks());
    const order: string[] = [];
    const work = (name: string, pieces: number) => async () => {
      for (let piece = 1; piece <= pieces; piece++) {
        order.push(`${name} ${piece}`);
        if (piece < pieces) await pause();
      }
    };
    await Promise.all([
      queue.run("a", work("long", 4)),
      queue.run("a", work("own", 1)),
      queue.run("b", work("other", 2)),
    ]);
    expect(order).toEqual(["long 1", "long 2", "other 1", "long 3", "other 2", "long 4", "own 1"]);
    expect(queue.load).toEqual({ working: 0, waiting: 0 });
  });

  test("gives back one place for work whose parts pause side by side, even if one of them fails", async () => {
    const queue = new WorkQueue(1, new EventLoopTicks());
    const parts = () =>
      Promise.all([pause(), pause(), pause().then(() => Promise.reject(new Error("part")))]);
    const failing = queue.run("a", parts);
    const other = queue.run("b", async () => queue.load.working);
    await expect(failing).rejects.toThrow("part");
    expect(await other).toBe(1);
    expect(queue.load).toEqual({ working: 0, waiting: 0 });
  });

  test("refuses what would wait too long", async () => {
    const queue = new WorkQueue(10, new EventLoopTicks());
    const work = blockingWork(10);
    for (let i = 0; i < 20; i++) await queue.run("a", work);
    let refused = 0;
    await Promise.all(Array.from({ length: 3_000 }, () => queue.run("a", work).catch(() => refused++)));
    expect(refused).toBeGreaterThan(2_900);
  });

  test("a queue with more patience refuses nothing of a burst", async () => {
    const queue = new WorkQueue(10, new EventLoopTicks(), { usual: 5_000, overloaded: 5_000 });
    const work = blockingWork(10);
    const done = Array.from({ length: 100 }, () => queue.run("a", work));
    expect(await Promise.all(done)).toHaveLength(100);
  });

  test("serves one caller after another: who asks for little waits for little", async () => {
    const queue = new WorkQueue(2, new EventLoopTicks());
    const work = blockingWork(10);
    const order: string[] = [];
    const ask = (caller: string) => queue.run(caller, work).then(() => order.push(caller));
    const asked = [...Array.from({ length: 40 }, () => ask("greedy")), ask("modest"), ask("other")];
    await Promise.all(asked);
    expect(order.length).toBe(42);
    expect(order.slice(0, 6).sort()).toEqual(["greedy", "greedy", "greedy", "greedy", "modest", "other"]);
  });

  test("keeps a place free for another caller, however much one asks for", async () => {
    const queue = new WorkQueue(4, new EventLoopTicks());
    const held = Promise.withResolvers<void>();
    const long = Array.from({ length: 8 }, () => queue.run("greedy", () => held.promise));
    expect(queue.load).toEqual({ working: 2, waiting: 6 });
    expect(await queue.run("modest", async () => 5)).toBe(5);
    held.resolve();
    await Promise.all(long);
    expect(queue.load).toEqual({ working: 0, waiting: 0 });
  });

  test("refuses the caller who asks for too much, and no other", async () => {
    const queue = new WorkQueue(10, new EventLoopTicks());
    const work = blockingWork(10);
    const refused: string[] = [];
    const ask = (caller: string) => queue.run(caller, work).catch(() => refused.push(caller));
    for (let i = 0; i < 20; i++) await ask("greedy");
    const greedy = Array.from({ length: 3_000 }, () => ask("greedy"));
    for (let i = 0; i < 20; i++) await ask(`modest ${i}`);
    await Promise.all(greedy);
    expect(refused.length).toBeGreaterThan(2_900);
    expect(new Set(refused)).toEqual(new Set(["greedy"]));
  });

  test("refuses what has waited for half a second, and takes work again afterwards", async () => {
    const queue = new WorkQueue(10, new EventLoopTicks());
    const work = blockingWork(10);
    const results = await Promise.allSettled(Array.from({ length: MANY }, () => queue.run("a", work)));
    const refused = results.filter((result) => result.status === "rejected");
    expect(Math.abs(MANY - 50 - refused.length)).toBeLessThan(20);
    expect(refused[0]?.reason).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      headers: { "Retry-After": "1" },
    });
    expect(await queue.run("a", async () => 5)).toBe(5);
  });

  test("lets a request in before all but a few pieces of streams, and refuses no piece", async () => {
    const queue = new WorkQueue(4, new EventLoopTicks());
    const work = blockingWork(10);
    let done = 0;
    const ticks = await ticksDuring(async () => {
      const pieces = Array.from({ length: MANY }, () =>
        queue.runPiece(async () => work().then(() => done++)),
      );
      // They are in the queue by then.
      await nextTick();
      const before = done;
      expect((await queue.run("a", async () => done)) - before).toBeLessThanOrEqual(2);
      await Promise.all(pieces);
    });
    expect(done).toBe(MANY);
    expect(ticks).toBeGreaterThanOrEqual(100);
  });

  test("takes pieces of streams between the requests of one caller and another", async () => {
    const queue = new WorkQueue(1, new EventLoopTicks());
    const work = blockingWork(1);
    const order: string[] = [];
    const ask = (caller: string) => queue.run(caller, work).then(() => order.push(caller));
    const asked = Array.from({ length: 20 }, () => ask("greedy"));
    const piece = () => queue.runPiece(work).then(() => order.push("piece"));
    await Promise.all([...asked, piece(), piece(), ask("modest")]);
    expect(
      order
        .slice(0, 7)
        .filter((one) => one !== "greedy")
        .sort(),
    ).toEqual(["modest", "piece", "piece"]);
  });

  /**
   * Clients that send their next request as soon as the last one is answered, for nine seconds of this clock. Resolves to
   * when each request was asked and ended, and how.
   */
  async function crowd(clients: number, workMs: (now: number) => number) {
    const ticks = new EventLoopTicks();
    const queue = new WorkQueue(10, ticks);
    let clock = 0;
    vi.spyOn(performance, "now").mockImplementation(() => clock);
    const asked: { at: number; ended: number; answered: boolean }[] = [];
    async function client(): Promise<void> {
      while (clock < 9_000) {
        const at = clock;
        ticks.arrived();
        const work = async () => {
          clock += workMs(clock);
          return true;
        };
        const refused = async () => {
          await ticks.refusal();
          clock += 0.1;
          return false;
        };
        const answered = await queue.run("a", work).catch(refused);
        asked.push({ at, ended: clock, answered });
      }
    }
    await Promise.all(Array.from({ length: clients }, client));
    return asked;
  }

  test("answers few requests under overload, but most of them quickly", async () => {
    const asked = await crowd(200, () => 5);
    const late = asked.filter(({ at, answered }) => answered && at > 2500);
    expect(late.length).toBeGreaterThan(100);
    const times = late.map(({ at, ended }) => ended - at).sort((one, other) => one - other);
    expect(times[Math.floor(times.length * 0.9)]).toBeLessThanOrEqual(250);
    expect(times.at(-1)).toBeLessThanOrEqual(510);
  });

  test("refuses nothing if it can answer everybody within half a second", async () => {
    const asked = await crowd(80, () => 5);
    expect(asked.filter(({ answered }) => !answered)).toEqual([]);
  });

  test("refuses nothing any more when work has become short enough to answer everybody", async () => {
    const asked = await crowd(80, (now) => (now < 1000 ? 20 : 4));
    const refusedAt = asked.filter(({ answered }) => !answered).map(({ at }) => at);
    expect(refusedAt.length).toBeGreaterThan(0);
    expect(Math.max(...refusedAt)).toBeLessThan(7_000);
  });
});

describe("refusals", () => {
  /** Counts the refusals that go out in each event-loop tick, while `arrivals` says how many requests come in. */
  async function refusalsByTick(count: number, arrivals: () => number): Promise<number[]> {
    const ticks = new EventLoopTicks();
    const gone: number[] = [];
    let left = count;
    for (let i = 0; i < count; i++) {
      void ticks.refusal().then(() => {
        gone[gone.length - 1]! += 1;
        left -= 1;
      });
    }
    while (left > 0) {
      gone.push(0);
      for (let i = arrivals(); i > 0; i--) ticks.arrived();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return gone;
  }

  test("go out so many in each event-loop tick", async () => {
    const gone = await refusalsByTick(500, () => 0);
    expect(Math.max(...gone)).toBe(50);
    expect(gone.length).toBeLessThan(50);
  });

  test("wait for what comes in, but not for long", async () => {
    let left = 40;
    const gone = await refusalsByTick(50, () => Number(left-- > 0));
    expect(gone.findIndex((count) => count > 0)).toBeGreaterThanOrEqual(40);
    await refusalsByTick(50, () => 1);
  });
});

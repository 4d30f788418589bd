import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "#lib/contract/errors.ts";
import { Limits } from "./limits.ts";

const quotaOf = (limits: Limits, caller: string, now: number) =>
  limits.counted({ id: caller, ratePerMinute: null }, now, async (quota) => quota);

const failureOf = (limits: Limits, now: number, work: () => Promise<unknown>) =>
  limits
    .counted({ id: "a", ratePerMinute: null }, now, work)
    .catch((error: ApiError) => error) as Promise<ApiError>;

describe("limits", () => {
  test("refuse a caller over its quota until the minute is over, and tell when that is", async () => {
    const limits = new Limits(2, 10);
    expect(await quotaOf(limits, "a", 0)).toEqual({
      "RateLimit-Limit": "2",
      "RateLimit-Remaining": "1",
      "RateLimit-Reset": "60",
    });
    await quotaOf(limits, "a", 10_000);
    const work = vi.fn<() => Promise<void>>();
    const error = await failureOf(limits, 15_000, work);
    expect([error.code, error.status, error.headers["Retry-After"]]).toEqual([
      "TOO_MANY_REQUESTS",
      429,
      "45",
    ]);
    expect(work).not.toHaveBeenCalled();
    expect((await quotaOf(limits, "b", 15_000))["RateLimit-Remaining"]).toBe("1");
    expect((await quotaOf(limits, "a", 60_000))["RateLimit-Remaining"]).toBe("1");
  });

  test("is a token's own, if it has one", async () => {
    const limits = new Limits(1, 10);
    const own = { id: "own", ratePerMinute: 3 };
    const limitOf = (caller: typeof own) =>
      limits.counted(caller, 0, async (quota) => quota["RateLimit-Limit"]);
    for (let i = 0; i < 3; i++) expect(await limitOf(own)).toBe("3");
    await expect(limitOf(own)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
    const unlimited = new Limits(0, 10);
    const quota = await unlimited.counted(own, 0, async (given) => given);
    expect(quota["RateLimit-Remaining"]).toBe("2");
  });

  test("start a new minute when the clock is set back, instead of refusing until it has caught up", async () => {
    const limits = new Limits(1, 10);
    const day = 86_400_000;
    await quotaOf(limits, "a", day);
    expect((await quotaOf(limits, "a", 0))["RateLimit-Remaining"]).toBe("0");
  });

  test("count what fails too, and tell the quota with it", async () => {
    const limits = new Limits(2, 10);
    const error = await failureOf(limits, 0, () => Promise.reject(new ApiError("NOT_FOUND")));
    expect([error.code, error.headers["RateLimit-Remaining"]]).toEqual(["NOT_FOUND", "1"]);
    expect((await quotaOf(limits, "a", 0))["RateLimit-Remaining"]).toBe("0");
  });

  test("of 0 are none", async () => {
    const limits = new Limits(0, 10);
    for (let i = 0; i < 1000; i++) expect(await quotaOf(limits, "a", 0)).toEqual({});
  });
});

describe("the queue of requests", () => {
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

  /** How often the event loop goes round meanwhile. */
  async function roundsDuring(work: () => Promise<unknown>): Promise<number> {
    let isOver = false;
    let rounds = 0;
    const count = () => {
      rounds++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await work();
    isOver = true;
    return rounds;
  }

  test("lets the event loop go round after every few pieces of work", async () => {
    const limits = new Limits(0, 10);
    const work = blockingWork(5);
    const turns = await roundsDuring(() => Promise.all(Array.from({ length: 80 }, () => limits.admit(work))));
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  test("lets the event loop go round between requests that are answered one after another in one round", async () => {
    const limits = new Limits(0, 10);
    const work = blockingWork(5);
    const turns = await roundsDuring(async () => {
      for (let i = 0; i < 80; i++) await limits.admit(work);
    });
    expect(turns).toBeGreaterThanOrEqual(4);
  });

  test("refuses at once what would wait too long, so many in each round of the event loop", async () => {
    const limits = new Limits(0, 10);
    const work = blockingWork(10);
    for (let i = 0; i < 20; i++) await limits.admit(work);
    let refused = 0;
    const turns = await roundsDuring(() =>
      Promise.all(Array.from({ length: 3_000 }, () => limits.admit(work).catch(() => refused++))),
    );
    expect(refused).toBeGreaterThan(2_900);
    expect(turns).toBeGreaterThanOrEqual(10);
  });

  test("refuses what has waited for half a second, and takes work again afterwards", async () => {
    const limits = new Limits(0, 10);
    const work = blockingWork(10);
    const results = await Promise.allSettled(Array.from({ length: MANY }, () => limits.admit(work)));
    const refused = results.filter((result) => result.status === "rejected");
    expect(Math.abs(MANY - 50 - refused.length)).toBeLessThan(20);
    expect(refused[0]?.reason).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
      headers: { "Retry-After": "1" },
    });
    expect(await limits.admit(async () => 5)).toBe(5);
  });

  test("lets a request in before all but a few pieces of streams, and refuses no piece", async () => {
    const limits = new Limits(0, 4);
    const work = blockingWork(10);
    let done = 0;
    const turns = await roundsDuring(async () => {
      const pieces = Array.from({ length: 200 }, () => limits.piece(async () => work().then(() => done++)));
      // They are in the queue by then.
      await nextTurn();
      const before = done;
      expect((await limits.admit(async () => done)) - before).toBeLessThanOrEqual(2);
      await Promise.all(pieces);
    });
    expect(done).toBe(200);
    expect(turns).toBeGreaterThanOrEqual(100);
  });

  test("lets refusals go at once when as many wait for their round as may", async () => {
    const limits = new Limits(0, 10);
    let gone = 0;
    const refusals = Array.from({ length: 2_001 }, () => limits.refusalTurn().then(() => gone++));
    await refusals.at(-1);
    expect(gone).toBe(1);
    await Promise.all(refusals);
    expect(gone).toBe(2_001);
  });

  /**
   * Clients that send their next request as soon as the last one is answered, for five seconds of this clock. Resolves to
   * when each request was asked and ended, and how.
   */
  async function crowd(clients: number, workMs: (now: number) => number) {
    const limits = new Limits(0, 10);
    let clock = 0;
    vi.spyOn(performance, "now").mockImplementation(() => clock);
    const asked: { at: number; ended: number; answered: boolean }[] = [];
    async function client(): Promise<void> {
      while (clock < 5000) {
        const at = clock;
        const work = async () => {
          clock += workMs(clock);
          return true;
        };
        const refused = () => {
          clock += 0.1;
          return false;
        };
        const answered = await limits.admit(work).catch(refused);
        asked.push({ at, ended: clock, answered });
      }
    }
    await Promise.all(Array.from({ length: clients }, client));
    return asked;
  }

  test("answers soon what it answers at all while it has to refuse requests", async () => {
    const asked = await crowd(200, () => 5);
    const late = asked.filter(({ at, answered }) => answered && at > 2500);
    expect(late.length).toBeGreaterThan(100);
    expect(Math.max(...late.map(({ at, ended }) => ended - at))).toBeLessThanOrEqual(250);
  });

  test("refuses nothing if it can answer everybody within half a second", async () => {
    const asked = await crowd(80, () => 5);
    expect(asked.filter(({ answered }) => !answered)).toEqual([]);
  });

  test("refuses nothing any more when work has become short enough to answer everybody", async () => {
    const asked = await crowd(80, (now) => (now < 1000 ? 20 : 4));
    const refusedAt = asked.filter(({ answered }) => !answered).map(({ at }) => at);
    expect(refusedAt.length).toBeGreaterThan(0);
    expect(Math.max(...refusedAt)).toBeLessThan(3500);
  });
});

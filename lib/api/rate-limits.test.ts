import { describe, expect, test, vi } from "vitest";
import { ApiError } from "#lib/contract/errors.ts";
import { RateLimits } from "./rate-limits.ts";

const headersFor = (limits: RateLimits, caller: string, now: number) =>
  limits.counted({ id: caller, ratePerMinute: null }, now, async (headers) => headers);

const failureOf = (limits: RateLimits, now: number, work: () => Promise<unknown>) =>
  limits
    .counted({ id: "a", ratePerMinute: null }, now, work)
    .catch((error: ApiError) => error) as Promise<ApiError>;

describe("rate limits", () => {
  test("refuse a caller over its limit until the minute is over, and say when that is", async () => {
    const limits = new RateLimits(2);
    expect(await headersFor(limits, "a", 0)).toEqual({
      "RateLimit-Limit": "2",
      "RateLimit-Remaining": "1",
      "RateLimit-Reset": "60",
    });
    await headersFor(limits, "a", 10_000);
    const work = vi.fn<() => Promise<void>>();
    const error = await failureOf(limits, 15_000, work);
    expect([error.code, error.status, error.headers["Retry-After"]]).toEqual([
      "TOO_MANY_REQUESTS",
      429,
      "45",
    ]);
    expect(work).not.toHaveBeenCalled();
    expect((await headersFor(limits, "b", 15_000))["RateLimit-Remaining"]).toBe("1");
    expect((await headersFor(limits, "a", 60_000))["RateLimit-Remaining"]).toBe("1");
  });

  test("is a token's own, if it has one", async () => {
    const limits = new RateLimits(1);
    const own = { id: "own", ratePerMinute: 3 };
    const limitOf = (caller: typeof own) =>
      limits.counted(caller, 0, async (headers) => headers["RateLimit-Limit"]);
    for (let i = 0; i < 3; i++) expect(await limitOf(own)).toBe("3");
    await expect(limitOf(own)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
    const unlimited = new RateLimits(0);
    const headers = await unlimited.counted(own, 0, async (given) => given);
    expect(headers["RateLimit-Remaining"]).toBe("2");
  });

  test("start a new minute when the clock is set back, instead of refusing until it has caught up", async () => {
    const limits = new RateLimits(1);
    const day = 86_400_000;
    await headersFor(limits, "a", day);
    expect((await headersFor(limits, "a", 0))["RateLimit-Remaining"]).toBe("0");
  });

  test("count failed requests, too, and include the headers", async () => {
    const limits = new RateLimits(2);
    const error = await failureOf(limits, 0, () => Promise.reject(new ApiError("NOT_FOUND")));
    expect([error.code, error.headers["RateLimit-Remaining"]]).toEqual(["NOT_FOUND", "1"]);
    expect((await headersFor(limits, "a", 0))["RateLimit-Remaining"]).toBe("0");
  });

  test("of 0 are none", async () => {
    const limits = new RateLimits(0);
    for (let i = 0; i < 1000; i++) expect(await headersFor(limits, "a", 0)).toEqual({});
  });
});

import { describe, expect, test, vi } from "vitest";
import { ApiError } from "#lib/contract/errors.ts";
import { Limits } from "./limits.ts";

const quotaOf = (limits: Limits, caller: string, now: number) =>
  limits.counted({ id: caller, ratePerMinute: null }, now, async (quota) => quota);

const failureOf = (limits: Limits, now: number, work: () => Promise<unknown>) =>
  limits
    .counted({ id: "a", ratePerMinute: null }, now, work)
    .catch((error: ApiError) => error) as Promise<ApiError>;

describe("limits", () => {
  test("refuse a caller over its quota until the minute is over, and say when that is", async () => {
    const limits = new Limits(2);
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
    const limits = new Limits(1);
    const own = { id: "own", ratePerMinute: 3 };
    const limitOf = (caller: typeof own) =>
      limits.counted(caller, 0, async (quota) => quota["RateLimit-Limit"]);
    for (let i = 0; i < 3; i++) expect(await limitOf(own)).toBe("3");
    await expect(limitOf(own)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
    const unlimited = new Limits(0);
    const quota = await unlimited.counted(own, 0, async (given) => given);
    expect(quota["RateLimit-Remaining"]).toBe("2");
  });

  test("start a new minute when the clock is set back, instead of refusing until it has caught up", async () => {
    const limits = new Limits(1);
    const day = 86_400_000;
    await quotaOf(limits, "a", day);
    expect((await quotaOf(limits, "a", 0))["RateLimit-Remaining"]).toBe("0");
  });

  test("count failed requests, too, and include the quota", async () => {
    const limits = new Limits(2);
    const error = await failureOf(limits, 0, () => Promise.reject(new ApiError("NOT_FOUND")));
    expect([error.code, error.headers["RateLimit-Remaining"]]).toEqual(["NOT_FOUND", "1"]);
    expect((await quotaOf(limits, "a", 0))["RateLimit-Remaining"]).toBe("0");
  });

  test("of 0 are none", async () => {
    const limits = new Limits(0);
    for (let i = 0; i < 1000; i++) expect(await quotaOf(limits, "a", 0)).toEqual({});
  });
});

import { describe, expect, test, vi } from "vitest";
import { ApiError } from "#lib/contract/errors.ts";
import { Limits } from "./limits.ts";

const quotaOf = (limits: Limits, caller: string, now: number) =>
  limits.counted(caller, now, async (quota) => quota);

const failureOf = (limits: Limits, now: number, work: () => Promise<unknown>) =>
  limits.counted("a", now, work).catch((error: ApiError) => error) as Promise<ApiError>;

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

  test("turn new work away while too much is under way, and take it again afterwards", async () => {
    const limits = new Limits(0, 1);
    let finish = () => {};
    const running = limits.admit(() => new Promise<void>((resolve) => (finish = resolve)));
    const refused = await limits.admit(async () => {}).catch((error: ApiError) => error);
    expect(refused).toMatchObject({ code: "SERVICE_UNAVAILABLE", headers: { "Retry-After": "1" } });
    finish();
    await running;
    expect(await limits.admit(async () => 5)).toBe(5);
  });
});

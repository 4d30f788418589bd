import { describe, expect, test } from "vitest";
import type { ApiError } from "#lib/contract/errors.ts";
import { Limits } from "./limits.ts";

function refusal(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("was not refused");
}

describe("limits", () => {
  test("refuse a caller over its quota until the minute is over, and tell when that is", () => {
    const limits = new Limits(2, 10);
    expect(limits.count("a", 0)).toEqual({
      "RateLimit-Limit": "2",
      "RateLimit-Remaining": "1",
      "RateLimit-Reset": "60",
    });
    limits.count("a", 10_000);
    const error = refusal(() => limits.count("a", 15_000));
    expect([error.code, error.status, error.headers["Retry-After"]]).toEqual([
      "TOO_MANY_REQUESTS",
      429,
      "45",
    ]);
    expect(limits.count("b", 15_000)["RateLimit-Remaining"]).toBe("1");
    expect(limits.count("a", 60_000)["RateLimit-Remaining"]).toBe("1");
  });

  test("of 0 are none", () => {
    const limits = new Limits(0, 10);
    for (let i = 0; i < 1000; i++) expect(limits.count("a", 0)).toEqual({});
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

import { describe, expect, test } from "vitest";
import { type CursorPage, mergePages, refuseRepeatedCursor, retryDelay, shouldRetry } from "./queries.ts";
import { type Fetched, RequestError } from "./request.ts";

function page(ids: string[], lastCursor = "", hasNext = false): Fetched<CursorPage<{ id: string }>> {
  return { data: { result: ids.map((id) => ({ id })), hasNext, lastCursor }, tip: null, requestId: "r" };
}

describe("pages of an endless list", () => {
  test("keep their order, and an entry only at its first place", () => {
    const rows = mergePages([page(["a:0", "a:1"]), page(["a:1", "b:0"]), page([])], ({ id }) => id);
    expect(rows.map(({ id }) => id)).toEqual(["a:0", "a:1", "b:0"]);
  });

  test("stop with an error if the cursor does not advance", () => {
    expect(() => refuseRepeatedCursor(page([], "c1", true), "c1", undefined)).toThrow(RequestError);
  });

  test("stop with an error if an earlier cursor comes again", () => {
    expect(() => refuseRepeatedCursor(page([], "c1", true), "c2", ["", "c1", "c2"])).toThrow(
      "does not advance",
    );
  });

  test("may end with the cursor that was sent", () => {
    expect(() => refuseRepeatedCursor(page([], "c1", false), "c1", undefined)).not.toThrow();
  });
});

describe("a failed page", () => {
  test("is requested again three times if waiting may help", () => {
    const limited = new RequestError("TOO_MANY_REQUESTS", "Too many requests", {
      status: 429,
      retryAfter: 12,
    });
    expect([0, 1, 2, 3].map((count) => shouldRetry(count, limited))).toEqual([true, true, true, false]);
    expect(retryDelay(0, limited)).toBe(12_000);
  });

  test.each(["BAD_REQUEST", "UNAUTHORIZED", "FORBIDDEN", "NOT_FOUND", "CURSOR_REPEATED"] as const)(
    "is not asked for again after %s",
    (code) => {
      expect(shouldRetry(0, new RequestError(code, "", { status: 400 }))).toBe(false);
    },
  );

  test("is reported at once after a timeout", () => {
    expect(shouldRetry(0, new RequestError("TIMEOUT", ""))).toBe(false);
  });

  test("waits longer each time if the server names no time", () => {
    const unreachable = new RequestError("UNREACHABLE", "");
    expect([0, 1, 2, 9].map((count) => retryDelay(count, unreachable))).toEqual([
      1_000, 2_000, 4_000, 30_000,
    ]);
  });
});

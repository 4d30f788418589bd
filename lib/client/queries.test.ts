import { describe, expect, test } from "vitest";
import type { UtxoEntry } from "#lib/contract/endpoints.ts";
import { mergeUtxos, refuseRepeatedCursor, retryDelay, shouldRetry, type UtxoPages } from "./queries.ts";
import { type Answer, RequestError } from "./request.ts";

function page(
  outPoints: string[],
  lastCursor = "",
  hasNext = false,
): Answer<UtxoPages["pages"][number]["data"]> {
  const result = outPoints.map((outPoint) => ({ outPoint }) as UtxoEntry);
  return { data: { result, hasNext, lastCursor }, tip: null, requestId: "r" };
}

describe("pages of an endless list", () => {
  test("keep their order, and an out point only where it came first", () => {
    const rows = mergeUtxos([page(["a:0", "a:1"]), page(["a:1", "b:0"]), page([])]);
    expect(rows.map((row) => row.outPoint)).toEqual(["a:0", "a:1", "b:0"]);
  });

  test("stop with an error where the cursor does not advance", () => {
    expect(() => refuseRepeatedCursor(page([], "c1", true), "c1", undefined)).toThrow(RequestError);
  });

  test("stop with an error where an earlier cursor comes again", () => {
    const loaded = { pages: [], pageParams: ["", "c1", "c2"] };
    expect(() => refuseRepeatedCursor(page([], "c1", true), "c2", loaded)).toThrow("does not advance");
  });

  test("may end with the cursor that was sent", () => {
    expect(() => refuseRepeatedCursor(page([], "c1", false), "c1", undefined)).not.toThrow();
  });
});

describe("a failed page", () => {
  test("is asked for again three times where waiting may help", () => {
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

  test("is told at once where the server had its whole time to answer", () => {
    expect(shouldRetry(0, new RequestError("TIMEOUT", ""))).toBe(false);
  });

  test("waits longer each time where the server names no time", () => {
    const unreachable = new RequestError("UNREACHABLE", "");
    expect([0, 1, 2, 9].map((count) => retryDelay(count, unreachable))).toEqual([
      1_000, 2_000, 4_000, 30_000,
    ]);
  });
});

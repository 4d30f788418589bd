import { describe, expect, test } from "vitest";
import { ApiError, isApiError } from "./errors.ts";

describe("an error of the API", () => {
  test("is recognised by its code, whichever copy of the class made it", async () => {
    const copy = (await import(
      `${new URL("./errors.ts", import.meta.url)}?copy`
    )) as typeof import("./errors.ts");
    expect(copy.ApiError).not.toBe(ApiError);
    expect(isApiError(new copy.ApiError("NOT_FOUND"))).toBe(true);
    expect(isApiError(new ApiError("NOT_FOUND"))).toBe(true);
  });

  test("is no other error, whatever that is called", () => {
    const named = Object.assign(new Error("x"), { name: "ApiError" });
    const coded = Object.assign(new Error("x"), { code: "ECONNRESET", issues: [], headers: {} });
    const inherited = Object.assign(new Error("x"), { code: "toString", issues: [], headers: {} });
    for (const error of [named, coded, inherited, null, "NOT_FOUND", { code: "NOT_FOUND" }]) {
      expect(isApiError(error)).toBe(false);
    }
  });
});

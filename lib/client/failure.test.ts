import { describe, expect, test } from "vitest";
import type { Issue } from "#lib/contract/errors.ts";
import { type ErrorCode, errorTable } from "#lib/contract/errors.ts";
import { failureDetails, failureText } from "./failure.ts";
import { RequestError } from "./request.ts";

describe("a failure's text", () => {
  test("differs for every code of the API", () => {
    const titles = (Object.keys(errorTable) as ErrorCode[]).map(
      (code) => failureText(new RequestError(code, "")).title,
    );
    expect(new Set(titles).size).toBe(titles.length);
  });

  test("asks to sign in if another token may help, and to try again only if that can help", () => {
    const remedy = (code: RequestError["code"]) => failureText(new RequestError(code, "")).remedy;
    expect(remedy("UNAUTHORIZED")).toBe("sign-in");
    expect(remedy("FORBIDDEN")).toBe("sign-in");
    expect(remedy("CURSOR_REPEATED")).toBe("none");
    expect(remedy("SERVICE_UNAVAILABLE")).toBe("retry");
  });

  test("holds for a code that is newer than this page", () => {
    const error = new RequestError("TEAPOT" as RequestError["code"], "short and stout");
    expect(failureText(error)).toMatchObject({ advice: "short and stout", remedy: "retry" });
  });
});

test("a failure's details name page, time, version, code, status, request and each issue", () => {
  const issues: Issue[] = [{ path: ["query", "page"], code: "too_small", message: "Expected at least 1" }];
  const error = new RequestError("BAD_REQUEST", "Invalid input data", {
    status: 400,
    issues,
    requestId: "r1",
  });
  const details = failureDetails(error, "/blocks/0xab");
  for (const part of [
    "/blocks/0xab",
    "Time: 20",
    "Version: ",
    "BAD_REQUEST",
    "400",
    "r1",
    "query page Expected at least 1",
  ]) {
    expect(details).toContain(part);
  }
  const unrendered = Object.assign(new Error("An error occurred"), { digest: "1234567" });
  expect(failureDetails(unrendered, "/")).toContain("Error: 1234567");
});

import { describe, expect, test } from "vitest";
import { safePath } from "./paths.ts";

describe("the path to open after signing in", () => {
  test.each(["/", "/blocks/12?page=2&name=a%20b", "/addresses/ckb1q#row"])("may be %s", (path) => {
    expect(safePath(path)).toBe(path);
  });

  test.each([
    null,
    undefined,
    "",
    "blocks/12",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/\t/evil.example",
    "/\n/evil.example",
    "/.//evil.example",
    "/a/..//evil.example",
  ])("is the home page for %j", (path) => {
    expect(safePath(path)).toBe("/");
  });
});

import { expect, test } from "vitest";
import { isUnavailable } from "#lib/store/errors.ts";
import { explain } from "./failure.ts";

test("a file that cannot be made for lack of space is a full disk, whoever says so", () => {
  const noSpace = Object.assign(new Error("ENOSPC: no space left on device, open 'aqs.db'"), {
    code: "ENOSPC",
  });
  const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  for (const error of [noSpace, full]) {
    const words = explain("aqs.db", error) as Error;
    expect(words.message).toMatch(/^aqs\.db: the disk is full \(/);
    expect(isUnavailable(words)).toBe(true);
    expect(explain("aqs.db", words)).toBe(words);
  }
  const forbidden = Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
  expect(explain("aqs.db", forbidden)).toBe(forbidden);
});

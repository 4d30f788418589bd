import { expect, test } from "vitest";
import { isLimited, isLonger, limitText } from "./texts.ts";

test("a text is cut by code points, and its last one then is an ellipsis", () => {
  expect(limitText("abc", 3)).toBe("abc");
  expect(limitText("abcd", 3)).toBe("ab…");
  expect(limitText("😀😀😀", 3)).toBe("😀😀😀");
  expect(limitText("😀😀😀😀", 3)).toBe("😀😀…");
  expect(limitText("", 3)).toBe("");
  expect([...limitText("é😀".repeat(1_000_000), 256)]).toHaveLength(256);
});

test("a text counts as cut only if it has the full length and ends with an ellipsis", () => {
  expect(isLimited(limitText("😀".repeat(9), 3), 3)).toBe(true);
  expect(isLimited("ab…", 3)).toBe(true);
  expect(["abc", "a…", "abc…", "", "…"].map((text) => isLimited(text, 3))).toEqual(Array(5).fill(false));
});

test("half of a surrogate pair counts as one", () => {
  expect([isLonger("\ud800\ud800", 2), isLonger("\ud800\ud800", 1)]).toEqual([false, true]);
});

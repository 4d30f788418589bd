import { expect, test } from "vitest";
import { labelsWith, withLabel } from "./labels.ts";

test("a label is added, replaced, removed, and found by a part of it", () => {
  const alice = { ref: "a", label: "Alice" };
  expect(withLabel([alice], { ref: "b", label: "Bob" })).toEqual([{ ref: "b", label: "Bob" }, alice]);
  expect(withLabel([alice], { ref: "a", label: "Anna" })).toEqual([{ ref: "a", label: "Anna" }]);
  expect(withLabel([alice], { ref: "a", label: "" })).toEqual([]);
  expect(labelsWith([alice], "LIC")).toEqual([alice]);
  expect(labelsWith([alice], "")).toEqual([]);
});

test("a label is found as it is seen: in any Unicode form, without hidden characters", () => {
  const cafe = { ref: "a", label: "Caf\u00e9" };
  const turned = { ref: "b", label: "abc\u202egnp.exe" };
  expect(labelsWith([cafe, turned], "cafe\u0301")).toEqual([cafe]);
  expect(labelsWith([cafe, turned], "abcgnp")).toEqual([turned]);
});

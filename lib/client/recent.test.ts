import { describe, expect, test } from "vitest";
import { storedLookups, withLookup } from "./recent.ts";

const lookup = (name: string) => ({ path: `/blocks/${name}`, label: name });

describe("recent look-ups", () => {
  test("list the newest first, each once, and at most ten", () => {
    const many = Array.from({ length: 12 }, (_, at) => lookup(`b${at}`)).reduce(withLookup, []);
    expect(withLookup(many, lookup("b5")).map(({ label }) => label)).toEqual([
      "b5",
      "b11",
      "b10",
      "b9",
      "b8",
      "b7",
      "b6",
      "b4",
      "b3",
      "b2",
    ]);
  });

  test.each([
    null,
    "",
    "{",
    "{}",
    '[{"path":"https://evil.example","label":"x"}]',
    '[{"path":"//evil","label":"x"}]',
  ])("are empty if %j is stored", (stored) => {
    expect(storedLookups.parse(stored)).toEqual([]);
  });
});

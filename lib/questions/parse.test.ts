import { expect, test } from "vitest";
import { z } from "zod";
import { check } from "./parse.ts";

test("a parameter is read as it is given each time, also after the same one and after a wrong one", () => {
  const declaration = {
    params: z.object({ place: z.string().max(3) }),
    query: z.object({
      size: z.coerce.number().int().max(9).default(5),
      tags: z.array(z.string()).default([]),
    }),
  };
  const read = (place: string, query: string) => {
    const { given, issues } = check(declaration, { place }, new URLSearchParams(query));
    return { ...given, wrong: issues.map(({ path }) => path.at(-1)) };
  };
  const first = { place: "a", size: 1, tags: ["x"], wrong: [] };
  expect(read("a", "size=1&tags=x")).toEqual(first);
  expect(read("a", "size=1&tags=x")).toEqual(first);
  expect(read("b", "size=2&tags=y")).toEqual({ place: "b", size: 2, tags: ["y"], wrong: [] });
  for (let i = 0; i < 2; i++) {
    expect(read("long", "size=10")).toEqual({ tags: [], wrong: ["place", "size"] });
  }
  expect(read("a", "")).toEqual({ place: "a", size: 5, tags: [], wrong: [] });
});

import { expect, test } from "vitest";
import { z } from "zod";
import { issueCodes } from "#lib/contract/errors.ts";
import { events } from "#lib/contract/events.ts";
import { operations } from "./operations.ts";
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

test("every parameter that is wrong has a code that the API documents", () => {
  const contracts = [...Object.values(operations).map(({ contract }) => contract), events];
  const hash = "ab".repeat(32);
  const wrong = ["", "nonsense", "-1", "9".repeat(500), "x".repeat(500), `${hash}:9999999999`, "2026-13-45"];
  const codes = new Set<string>();
  for (const { params, query } of contracts) {
    for (const name of [...Object.keys(params.shape), ...Object.keys(query.shape)]) {
      for (const value of wrong) {
        const many = Array.from({ length: 101 }, () => [name, value]);
        for (const pairs of [many.slice(0, 1), many.slice(0, 2), many, []]) {
          const search = new URLSearchParams(pairs);
          const given = name in params.shape && pairs.length > 0 ? { [name]: value } : {};
          for (const { code } of check({ params, query }, given, search).issues) codes.add(code);
        }
      }
    }
  }
  expect([...codes].sort()).toEqual([...codes].filter((code) => code in issueCodes).sort());
  expect(codes).toContain("invalid_block");
});

import { expect, test } from "vitest";
import { type Awaitable, done, runAtOnce, runInTurn, type Steps } from "./steps.ts";

function* sum(result: (n: number) => Awaitable<number>): Steps<number> {
  return (yield* done(result(1))) + (yield* done(result(2)));
}

test("steps have one result, whether theirs are values or promises", async () => {
  expect(runAtOnce(sum((n) => n))).toBe(3);
  expect(await runInTurn(sum(async (n) => n))).toBe(3);
});

test("steps that must run at once refuse a promise", () => {
  expect(() => runAtOnce(sum(async (n) => n))).toThrow(TypeError);
});

test("a rejected promise ends the steps", async () => {
  const asked: number[] = [];
  const failing = sum(async (n) => {
    asked.push(n);
    throw new Error("lost");
  });
  await expect(runInTurn(failing)).rejects.toThrow("lost");
  expect(asked).toEqual([1]);
});

import { expect, test } from "vitest";
import { type Awaitable, done, runAtOnce, runInTurn, type Steps } from "./steps.ts";

function* sum(answer: (n: number) => Awaitable<number>): Steps<number> {
  return (yield* done(answer(1))) + (yield* done(answer(2)));
}

test("steps come to one result, whether their answers are there or come later", async () => {
  expect(runAtOnce(sum((n) => n))).toBe(3);
  expect(await runInTurn(sum(async (n) => n))).toBe(3);
});

test("steps that may not give way refuse an answer that is not there", () => {
  expect(() => runAtOnce(sum(async (n) => n))).toThrow(TypeError);
});

test("a failed answer ends the steps", async () => {
  const asked: number[] = [];
  const failing = sum(async (n) => {
    asked.push(n);
    throw new Error("lost");
  });
  await expect(runInTurn(failing)).rejects.toThrow("lost");
  expect(asked).toEqual([1]);
});

import { expect, test } from "vitest";
import { Streams } from "./streams.ts";

function make(limits = {}, isValid = async (_token: string) => true) {
  const failed = (error: unknown) => {
    throw error;
  };
  const deps = { maxStreams: 3, maxStreamsPerToken: 2, isValid, failed, ...limits };
  return new Streams(deps, { checkMs: 5 });
}

/** Numbers, until the signal is aborted. */
async function* numbers(signal: AbortSignal) {
  for (let n = 0; !signal.aborted; n++) yield n;
}

/** Never has a piece, unless the signal is aborted. */
async function* silence(signal: AbortSignal): AsyncGenerator<number> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

test("as many streams are open as a token, and the server, may have", async () => {
  const streams = make();
  const open = (caller: string) => streams.open(caller, caller, numbers);
  const first = open("a");
  open("a");
  expect(() => open("a")).toThrow("Too many requests");
  open("b");
  expect(() => open("c")).toThrow("Service unavailable");
  expect(() => open("b")).toThrow("Service unavailable");
  expect(streams.size).toBe(3);
  await first.return!();
  open("a");
});

test("a stream has its place until it ends, fails or is left, begun or not", async () => {
  const streams = make();
  const ending = streams.open("a", "a", async function* () {
    yield 1;
  });
  expect(await ending.next()).toEqual({ value: 1, done: false });
  expect(streams.size).toBe(1);
  expect((await ending.next()).done).toBe(true);
  expect(streams.size).toBe(0);

  // biome-ignore lint/correctness/useYield: it fails before its first piece
  const failing = streams.open("a", "a", async function* () {
    throw new Error("no piece");
  });
  await expect(failing.next()).rejects.toThrow("no piece");
  expect(streams.size).toBe(0);

  await streams.open("a", "a", numbers).return!();
  const waiting = streams.open("a", "a", silence);
  const piece = waiting.next();
  await waiting.return!();
  await waiting.return!();
  expect(streams.size).toBe(0);
  expect((await piece).done).toBe(true);
});

test("all streams of a token end with it, and those of others go on", async () => {
  const ended = new Set<string>();
  const streams = make({}, async (token) => !ended.has(token));
  const [one, two, other] = ["a", "a", "b"].map((token) => streams.open(token, token, silence));
  const pieces = [one!.next(), two!.next()];
  let isOver = false;
  void other!.next().then(() => {
    isOver = true;
  });
  ended.add("a");
  expect((await Promise.all(pieces)).map(({ done }) => done)).toEqual([true, true]);
  expect([streams.size, isOver]).toEqual([1, false]);
});

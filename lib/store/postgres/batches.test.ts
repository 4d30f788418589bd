import { expect, test } from "vitest";
import { inBatches } from "./batches.ts";

/** Reads that end when the test lets them, each with the keys that it was called with. */
function heldReads() {
  const reads: { keys: readonly string[]; end: PromiseWithResolvers<string> }[] = [];
  const read = inBatches((keys: readonly string[]) => {
    const end = Promise.withResolvers<string>();
    reads.push({ keys, end });
    return end.promise;
  });
  const begun = async (count: number) => {
    while (reads.length < count) await new Promise(setImmediate);
  };
  return { reads, read, begun };
}

test("calls that come during a read share the next one, which begins after it", async () => {
  const { reads, read, begun } = heldReads();
  const first = read("a");
  await begun(1);
  const others = [read("b"), read("a")];
  expect(reads).toHaveLength(1);
  reads[0]!.end.resolve("old");
  await begun(2);
  reads[1]!.end.resolve("new");
  expect(await first).toBe("old");
  expect(await Promise.all(others)).toEqual(["new", "new"]);
  expect(reads.map(({ keys }) => keys)).toEqual([["a"], ["b", "a"]]);
});

test("a read that fails fails only its own calls", async () => {
  const { reads, read, begun } = heldReads();
  const first = read("a");
  await begun(1);
  const second = read("b");
  reads[0]!.end.reject(new Error("lost"));
  await expect(first).rejects.toThrow("lost");
  await begun(2);
  reads[1]!.end.resolve("found");
  expect(await second).toBe("found");
});

test("a read that hangs does not keep the next one waiting", async () => {
  const { reads, read, begun } = heldReads();
  void read("a");
  await begun(1);
  const second = read("b");
  await begun(2);
  reads[1]!.end.resolve("found");
  expect(await second).toBe("found");
});

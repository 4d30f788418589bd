import { expect, test } from "vitest";
import type { Block } from "#lib/contract/ledger.ts";
import type { ChainSource } from "#lib/contract/source.ts";
import { Ledger, native } from "#lib/testing/ledger.ts";
import { fetchBlocks, Pace } from "./block-queue.ts";

const MB = 1024 * 1024;

/** The requests to a node with blocks of the size in `bytesAt`, while the reader takes them one by one. */
async function requests(count: number, bytesAt: (height: number) => number) {
  const ledger = new Ledger();
  const blocks = Array.from({ length: count }, (_, height) => ({
    ...ledger.block([]),
    bytes: bytesAt(height),
  }));
  const asked: number[] = [];
  /** Bytes that were requested and not taken. */
  let ahead = 0;
  let mostAhead = 0;
  const source: Pick<ChainSource, "native" | "blocks"> = {
    native,
    async blocks(from, to): Promise<Block[]> {
      asked.push(to - from + 1);
      const some = blocks.slice(from, to + 1);
      for (const { bytes } of some) ahead += bytes;
      mostAhead = Math.max(mostAhead, ahead);
      return some;
    },
  };
  const taken: number[] = [];
  for await (const block of fetchBlocks(source as ChainSource, 0, count - 1, null, new Pace())) {
    taken.push(block.height);
    ahead -= block.bytes!;
  }
  expect(taken).toEqual(blocks.map(({ height }) => height));
  return { asked, mostAhead };
}

test("large blocks are requested one by one, once the first response has shown their size", async () => {
  const { asked } = await requests(100, () => 4 * MB);
  expect(asked.slice(0, 3)).toEqual([16, 16, 16]);
  expect(new Set(asked.slice(3))).toEqual(new Set([1]));
});

test("small blocks are requested by many", async () => {
  const { asked } = await requests(2_000, () => 2_000);
  expect(asked.slice(0, -1).every((blocks) => blocks === 16)).toBe(true);
});

test("where blocks grow, requests shrink after the next response", async () => {
  const { asked, mostAhead } = await requests(1_000, (height) => (height < 200 ? 100_000 : 2 * MB));
  expect(asked.at(-2)).toBe(2);
  // Those that were requested while blocks were small.
  expect(mostAhead).toBeLessThan(11 * 16 * 2 * MB);
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ChainBuilder } from "#lib/chains/ckb/testing/chain-builder.ts";
import { StandInNode } from "#lib/chains/ckb/testing/stand-in-node.ts";
import { SourceError } from "#lib/contract/source.ts";
import { CkbNode } from "./node.ts";
import { CkbNodeThread } from "./node-thread.ts";

const chain = new ChainBuilder();
chain.emptyBlocks(40);

describe("a node read in a thread of its own", () => {
  let node: StandInNode;
  let thread: CkbNodeThread;

  beforeEach(async () => {
    node = await StandInNode.start({ blocks: chain.blocks });
    thread = new CkbNodeThread(node.url);
  });

  afterEach(async () => {
    thread.close();
    await node.close();
  });

  test("answers as the node does, few blocks or many", async () => {
    const plain = new CkbNode(node.url);
    expect(await thread.identity()).toEqual(await plain.identity());
    expect(await thread.tip()).toEqual(await plain.tip());
    expect(await thread.hashAt(3)).toBe(await plain.hashAt(3));
    for (const [from, to] of [
      [0, 2],
      [0, 40],
      [30, 60],
    ] as const) {
      expect(await thread.blocks(from, to)).toEqual(await plain.blocks(from, to));
    }
  });

  test("distinguishes a fault of the node from one of its own, and continues after it", async () => {
    node.failNext({ kind: "tampered", method: "get_block_by_number" });
    const failing = thread.blocks(0, 40);
    await expect(failing).rejects.toThrow(SourceError);
    await expect(failing).rejects.toThrow(/block 0: header.transactions_root is/);
    expect(await thread.blocks(0, 40)).toHaveLength(41);
  });

  test("cancels its requests when it is stopped or closed", async () => {
    node.failNext({ kind: "hang", count: 2 });
    const stop = new AbortController();
    const stopped = new CkbNodeThread(node.url, stop.signal);
    const first = stopped.blocks(0, 40);
    stop.abort();
    await expect(first).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    const second = thread.blocks(0, 40);
    thread.close();
    await expect(second).rejects.toThrow("closed");
  });

  test("gives up a request that is no longer wanted, and makes room for the next", async () => {
    node.failNext({ kind: "hang", count: 5, method: "get_block_by_number" });
    const ends = Array.from({ length: 5 }, () => new AbortController());
    const unwanted = ends.map(({ signal }) => thread.blocks(0, 40, signal));
    for (const end of ends) end.abort();
    for (const each of unwanted)
      await expect(each).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
    node.failNone();
    expect(await thread.blocks(0, 40)).toHaveLength(41);
  });
});
